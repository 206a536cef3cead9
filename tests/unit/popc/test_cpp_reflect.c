/* SPDX-License-Identifier: Apache-2.0 */
/* What popc reads from C++ classes, with each installed compiler: names, kinds, fields, defaults, constraints. */
#include "popc/module/codelet.h"
#include "popc/module/module.h"
#include "popc/popc.h"

#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
/* cmocka needs the above first */
#include <cmocka.h>

#include "scratch.h"

static const char *const compilers[] = { "g++", "clang++" };
enum { COMPILERS = 2 };
static struct module *modules[COMPILERS]; /* NULL: the compiler is not installed */

static bool there_is(const char *program)
{
    char command[64];
    snprintf(command, sizeof(command), "command -v %s >/dev/null", program);
    return system(command) == 0;
}

static int fields_setup(void **state)
{
    (void)state;
    char path[512];
    pop_error error;
    if (scratch_make())
        return 1;
    for (int i = 0; i < COMPILERS; ++i) {
        if (!there_is(compilers[i]))
            continue;
        setenv("TREMULA_CXX", compilers[i], 1);
        if (popc_load(test_codelets(path, sizeof(path), "fields.cpp"), NULL, modules + i, &error) != POP_OK) {
            pop_error_print(&error);
            return 1;
        }
    }
    unsetenv("TREMULA_CXX");
    return 0;
}

static int fields_teardown(void **state)
{
    (void)state;
    for (int i = 0; i < COMPILERS; ++i)
        module_release(modules[i]);
    return scratch_remove();
}

/* "name direction shape type layout/inner size/inner_size alignment @offset+bytes", and "=bytes" of a default that is
 * not zero. */
static void describe_field(const struct codelet *codelet, const struct codelet_field *field, struct str *out)
{
    static const char *const directions[] = { "state", "in", "out", "inout" };
    static const char *const shapes[] = { "scalar", "vector", "vectors", "list", "scalars" };
    str_format(out, "%s %s %s %s %d/%d %d/%d %u%s @%u+%u", field->name, directions[field->direction],
               shapes[field->shape], pop_type_name((pop_type)field->type), field->layout, field->inner_layout,
               field->has_size, field->inner_has_size, (unsigned)field->alignment, field->interleaved ? "i" : "",
               (unsigned)field->offset, (unsigned)field->bytes);
    bool any = false;
    for (uint32_t i = 0; i < field->bytes; ++i)
        any |= codelet->defaults[field->offset + i] != 0;
    for (uint32_t i = 0; any && i < field->bytes; ++i)
        str_format(out, "%s%02x", i ? "" : " =", codelet->defaults[field->offset + i]);
    str_add(out, "\n");
}

static void describe(const struct module *module, const char *name, struct str *out)
{
    for (uint32_t i = 0; i < module->codelet_count; ++i) {
        const struct codelet *codelet = module->codelets + i;
        if (strcmp(codelet->name, name) != 0)
            continue;
        str_format(out, "kind %d, %u bytes, aligned to %u\n", codelet->kind, (unsigned)codelet->state_bytes,
                   (unsigned)codelet->state_alignment);
        for (uint32_t k = 0; k < codelet->field_count; ++k)
            describe_field(codelet, codelet->fields + k, out);
        for (uint32_t k = 0; k < codelet->constraint_count; ++k)
            str_format(out, "%s\n", codelet->constraints[k]);
        return;
    }
    fail_msg("there is no vertex type '%s'", name);
}

static void check(const char *name, const char *expected)
{
    for (int i = 0; i < COMPILERS; ++i) {
        if (!modules[i])
            continue;
        struct str seen = { 0 };
        describe(modules[i], name, &seen);
        assert_string_equal(seen.text, expected);
        str_free(&seen);
    }
}

static void scalar_edges_of_every_type(void **state)
{
    (void)state;
    check("Scalars", "kind 0, 104 bytes, aligned to 8\n"
                     "a in scalar bool 0/0 0/0 1 @0+8\n"
                     "b out scalar char 0/0 0/0 1 @8+8\n"
                     "c inout scalar signed char 0/0 0/0 1 @16+8\n"
                     "d in scalar unsigned char 0/0 0/0 1 @24+8\n"
                     "e out scalar short 0/0 0/0 2 @32+8\n"
                     "f inout scalar unsigned short 0/0 0/0 2 @40+8\n"
                     "g in scalar int 0/0 0/0 4 @48+8\n"
                     "h out scalar unsigned int 0/0 0/0 4 @56+8\n"
                     "i inout scalar long long 0/0 0/0 8 @64+8\n"
                     "j in scalar unsigned long long 0/0 0/0 8 @72+8\n"
                     "k out scalar half 0/0 0/0 2 @80+8\n"
                     "l inout scalar float 0/0 0/0 4 @88+8\n"
                     "m in scalar long long 0/0 0/0 8 @96+8\n");
}

static void layouts_alignments_and_interleaving(void **state)
{
    (void)state;
    check("Layouts", "kind 0, 72 bytes, aligned to 8\n"
                     "span in vector float 0/0 1/0 4 @0+16\n"
                     "shortSpan out vector float 1/0 1/0 4 @16+16\n"
                     "one inout vector half 2/0 0/0 8 @32+8\n"
                     "p32 in vector int 3/0 0/0 4 @40+8\n"
                     "p64 in vector int 4/0 0/0 8 @48+8\n"
                     "p128 in vector unsigned char 5/0 0/0 16i @56+8\n"
                     "compact in vector bool 6/0 0/0 4i @64+8\n");
}

static void vectors_of_vectors_lists_and_vectors_of_scalars(void **state)
{
    (void)state;
    check("Nested", "kind 0, 120 bytes, aligned to 8\n"
                    "rows in vectors float 0/0 1/1 4 @0+16\n"
                    "oneSpan out vectors half 2/0 0/1 2 @16+8\n"
                    "spanOne inout vectors int 0/2 1/0 8 @24+16\n"
                    "oneOne in vectors short 2/2 0/0 2 @40+8\n"
                    "list in list float 0/2 1/1 4 @48+16\n"
                    "elements out list half 0/1 1/1 8i @64+16\n"
                    "outs out scalars float 0/0 1/0 4 @80+16\n"
                    "ins in scalars unsigned int 2/0 0/0 4 @96+8\n"
                    "set in scalars float 0/0 1/0 4 @104+16\n");
}

static void state_with_statics_left_out(void **state)
{
    (void)state;
    check("State", "kind 0, 80 bytes, aligned to 8\n"
                   "constant state scalar unsigned short 0/0 0/0 2 @0+2\n"
                   "colour state scalar unsigned int 0/0 0/0 4 @4+4\n"
                   "size state scalar unsigned char 0/0 0/0 1 @8+1\n"
                   "count state scalar unsigned long long 0/0 0/0 8 @16+8\n"
                   "more state scalar long long 0/0 0/0 8 @24+8\n"
                   "h state scalar half 0/0 0/0 2 @32+2\n"
                   "flag state scalar bool 0/0 0/0 1 @34+1\n"
                   "worklist state vector unsigned int 2/0 0/0 4 @40+8\n"
                   "weights state vectors float 0/0 1/1 4 @48+16\n"
                   "values state vector int 0/0 1/0 4 @64+16\n");
}

static void defaults_come_from_initialisers_and_constructors(void **state)
{
    (void)state;
    check("Defaults", "kind 0, 48 bytes, aligned to 8\n"
                      "three state scalar int 0/0 0/0 4 @0+4 =03000000\n"
                      "half_ state scalar float 0/0 0/0 4 @4+4 =0000003f\n"
                      "yes state scalar bool 0/0 0/0 1 @8+1 =01\n"
                      "size state scalar unsigned char 0/0 0/0 1 @9+1 =c8\n"
                      "h state scalar half 0/0 0/0 2 @10+2 =003e\n"
                      "computed state scalar unsigned int 0/0 0/0 4 @12+4 =15000000\n"
                      "in in vector float 0/0 1/0 4 @16+16\n"
                      "v state vector float 2/0 0/0 4 @32+8\n"
                      "untouched state scalar int 0/0 0/0 4 @40+4\n");
    check("Constructed", "kind 0, 8 bytes, aligned to 4\n"
                         "a state scalar int 0/0 0/0 4 @0+4 =28000000\n"
                         "b state scalar int 0/0 0/0 4 @4+4 =2a000000\n");
    check("Declared", "kind 0, 8 bytes, aligned to 4\n"
                      "none state scalar int 0/0 0/0 4 @0+4\n"
                      "four state scalar int 0/0 0/0 4 @4+4\n");
}

static void names_of_template_instances(void **state)
{
    (void)state;
    static const char *const two[] = { "outer::inner::Two<float,true>", "outer::inner::Two<half,false>",
                                       "outer::inner::Two<unsigned int,true>",
                                       "outer::inner::Two<unsigned char,true>" };
    static const char *const types[] = { "float", "half", "unsigned int", "unsigned char" };
    for (int i = 0; i < 4; ++i) {
        char expected[160];
        unsigned bytes = i == 1 ? 2 : i == 3 ? 1 : 4;
        snprintf(
            expected, sizeof(expected),
            "kind 0, 24 bytes, aligned to 8\nin in vector %s 0/0 1/0 %u @0+16\nout out scalar %s 0/0 0/0 %u @16+8\n",
            types[i], bytes, types[i], bytes);
        check(two[i], expected);
    }
    static const char out[] = "kind 0, 8 bytes, aligned to 8\nout out scalar int 0/0 0/0 4 @0+8\n";
    check("outer::inner::Enums<int,outer::inner::Kind::SUM,outer::inner::FIRST>", out);
    check("outer::Numbers<3000000000,-4>", out);
    check("outer::Numbers<0,1,long long,signed char,outer::inner::Two<float,true>>", out);
    check("Hidden", out);
}

static void kinds_and_bases(void **state)
{
    (void)state;
    check("Heir", "kind 0, 32 bytes, aligned to 8\n"
                  "count state scalar unsigned int 0/0 0/0 4 @0+4\n"
                  "in in scalar float 0/0 0/0 4 @8+8\n"
                  "small state scalar unsigned char 0/0 0/0 1 @16+1\n"
                  "own state scalar unsigned char 0/0 0/0 1 @17+1\n"
                  "out out scalar float 0/0 0/0 4 @24+8\n");
    check("Multi<float>", "kind 2, 8 bytes, aligned to 8\nout out scalar float 0/0 0/0 4 @0+8\n");
    check("Boss", "kind 1, 8 bytes, aligned to 8\nout out scalar int 0/0 0/0 4 @0+8\n");
    check("Either<true>", "kind 1, 8 bytes, aligned to 8\nout out scalar int 0/0 0/0 4 @0+8\n");
    check("Either<false>", "kind 0, 8 bytes, aligned to 8\nout out scalar int 0/0 0/0 4 @0+8\n");
    for (int i = 0; i < COMPILERS && modules[i]; ++i)
        assert_int_equal(modules[i]->codelet_count, 26); /* no base class without compute() among them */
}

static void constraints_of_classes_and_templates(void **state)
{
    (void)state;
    check("Constrained", "kind 0, 32 bytes, aligned to 8\n"
                         "a in vector float 0/0 1/0 4 @0+16\n"
                         "b out vector float 0/0 1/0 4 @16+16\n"
                         "elem(*a) != elem(*b)\n");
    check("outer::inner::Apart<half>", "kind 0, 48 bytes, aligned to 16\n"
                                       "a in vectors half 0/0 1/1 2 @0+16\n"
                                       "b out vector half 0/0 1/0 2 @16+16\n"
                                       "c out vector half 0/0 1/0 2 @32+16\n"
                                       "elem(**a) != elem(*b)\n"
                                       "elem(*b) != elem(*c)\n"
                                       "region(*b) != region(*c)\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalar_edges_of_every_type),
        cmocka_unit_test(layouts_alignments_and_interleaving),
        cmocka_unit_test(vectors_of_vectors_lists_and_vectors_of_scalars),
        cmocka_unit_test(state_with_statics_left_out),
        cmocka_unit_test(defaults_come_from_initialisers_and_constructors),
        cmocka_unit_test(names_of_template_instances),
        cmocka_unit_test(kinds_and_bases),
        cmocka_unit_test(constraints_of_classes_and_templates),
    };
    return cmocka_run_group_tests(tests, fields_setup, fields_teardown);
}
