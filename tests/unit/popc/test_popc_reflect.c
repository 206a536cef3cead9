/* SPDX-License-Identifier: Apache-2.0 */
/* popc reads from a compiled object the layout of the compiler and the fields that the user wrote. */
#include "popc/module/codelet.h"
#include "popc/module/module.h"
#include "popc/popc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
/* cmocka needs the above first */
#include <cmocka.h>

#include "scratch.h"

#include "../../codelets/fields.c"

static int fields_setup(void **state)
{
    char path[512];
    pop_error error;
    struct module *module;
    if (scratch_make() || popc_load(test_codelets(path, sizeof(path), "fields.c"), NULL, &module, &error) != POP_OK) {
        pop_error_print(&error);
        return 1;
    }
    *state = module;
    return 0;
}

static int fields_teardown(void **state)
{
    module_release(*state);
    return scratch_remove();
}

static const struct codelet *find(const struct module *module, const char *name)
{
    for (uint32_t i = 0; i < module->codelet_count; ++i)
        if (strcmp(module->codelets[i].name, name) == 0)
            return module->codelets + i;
    return NULL;
}

static const struct codelet_field *field(void **state, const char *vertex, const char *name)
{
    const struct codelet *codelet = find(*state, vertex);
    assert_non_null(codelet);
    const struct codelet_field *found = codelet_find_field(codelet, name);
    if (!found)
        fail_msg("%s has no field %s", vertex, name);
    return found;
}

/* The field's offset according to the compiler. */
#define CHECK_PLACE(vertex, name)                                                                                      \
    do {                                                                                                               \
        assert_int_equal(field(state, #vertex, #name)->offset, offsetof(vertex, name));                                \
        assert_int_equal(field(state, #vertex, #name)->bytes, sizeof(((vertex *)0)->name));                            \
    } while (0)

#define CHECK(vertex, name, direction_, shape_, type_, layout_, inner_, size_, inner_size_, align_)                    \
    do {                                                                                                               \
        const struct codelet_field *f = field(state, #vertex, #name);                                                  \
        CHECK_PLACE(vertex, name);                                                                                     \
        assert_int_equal(f->direction, direction_);                                                                    \
        assert_int_equal(f->shape, shape_);                                                                            \
        assert_string_equal(pop_type_name(f->type), pop_type_name(type_));                                             \
        assert_int_equal(f->layout, layout_);                                                                          \
        assert_int_equal(f->inner_layout, inner_);                                                                     \
        assert_int_equal(f->has_size, size_);                                                                          \
        assert_int_equal(f->inner_has_size, inner_size_);                                                              \
        assert_int_equal(f->alignment, align_);                                                                        \
    } while (0)

static void scalars(void **state)
{
#define SCALAR(name, direction, type, bytes) CHECK(Scalars, name, direction, SHAPE_SCALAR, type, 0, 0, 0, 0, bytes)
    SCALAR(a, FIELD_INPUT, POP_BOOL, 1);
    SCALAR(b, FIELD_OUTPUT, POP_CHAR, 1);
    SCALAR(c, FIELD_INOUT, POP_SIGNED_CHAR, 1);
    SCALAR(d, FIELD_INPUT, POP_UNSIGNED_CHAR, 1);
    SCALAR(e, FIELD_OUTPUT, POP_SHORT, 2);
    SCALAR(f, FIELD_INOUT, POP_UNSIGNED_SHORT, 2);
    SCALAR(g, FIELD_INPUT, POP_INT, 4);
    SCALAR(h, FIELD_OUTPUT, POP_UNSIGNED_INT, 4);
    SCALAR(i, FIELD_INOUT, POP_LONGLONG, 8);
    SCALAR(j, FIELD_INPUT, POP_UNSIGNED_LONGLONG, 8);
    SCALAR(k, FIELD_OUTPUT, POP_HALF, 2);
    SCALAR(l, FIELD_INOUT, POP_FLOAT, 4);
    SCALAR(m, FIELD_INPUT, POP_LONGLONG, 8);
    SCALAR(n, FIELD_INPUT, POP_UNSIGNED_CHAR, 1);
    assert_int_equal(find(*state, "Scalars")->field_count, 14);
    assert_int_equal(find(*state, "Scalars")->state_bytes, sizeof(Scalars));
    assert_int_equal(find(*state, "Scalars")->state_alignment, _Alignof(Scalars));
}

static void layouts(void **state)
{
#define VECTOR(name, direction, type, layout, size, align)                                                             \
    CHECK(Layouts, name, direction, SHAPE_VECTOR, type, layout, 0, size, 0, align)
    VECTOR(span, FIELD_INPUT, POP_FLOAT, LAYOUT_SPAN, 1, 4);
    VECTOR(short_span, FIELD_OUTPUT, POP_FLOAT, LAYOUT_SHORT_SPAN, 1, 4);
    VECTOR(one, FIELD_INOUT, POP_HALF, LAYOUT_ONE_PTR, 0, 2);
    VECTOR(p32, FIELD_INPUT, POP_INT, LAYOUT_SCALED_PTR32, 0, 4);
    VECTOR(p64, FIELD_INPUT, POP_INT, LAYOUT_SCALED_PTR64, 0, 8);
    VECTOR(p128, FIELD_INPUT, POP_UNSIGNED_CHAR, LAYOUT_SCALED_PTR128, 0, 16);
    VECTOR(compact, FIELD_INPUT, POP_BOOL, LAYOUT_COMPACT_PTR, 0, 2);
    assert_true(field(state, "Layouts", "p128")->interleaved);
    assert_false(field(state, "Layouts", "p64")->interleaved);
    assert_int_equal(field(state, "Layouts", "span")->inner_stride, 0);
    assert_int_equal(find(*state, "Layouts")->state_bytes, sizeof(Layouts));
}

static void nested(void **state)
{
    CHECK(Nested, rows, FIELD_INPUT, SHAPE_VECTORS, POP_FLOAT, LAYOUT_SPAN, LAYOUT_SPAN, 1, 1, 4);
    CHECK(Nested, one_span, FIELD_OUTPUT, SHAPE_VECTORS, POP_HALF, LAYOUT_ONE_PTR, LAYOUT_SPAN, 0, 1, 2);
    CHECK(Nested, span_one, FIELD_INOUT, SHAPE_VECTORS, POP_INT, LAYOUT_SPAN, LAYOUT_ONE_PTR, 1, 0, 8);
    CHECK(Nested, list, FIELD_INPUT, SHAPE_VECTOR_LIST, POP_FLOAT, LAYOUT_SPAN, LIST_COMPACT_DELTAN, 1, 1, 4);
    CHECK(Nested, deltan, FIELD_INPUT, SHAPE_VECTOR_LIST, POP_HALF, LAYOUT_SPAN, LIST_DELTAN, 1, 1, 8);
    CHECK(Nested, elements, FIELD_OUTPUT, SHAPE_VECTOR_LIST, POP_SHORT, LAYOUT_SPAN, LIST_DELTANELEMENTS, 1, 1, 2);
    CHECK(Nested, outs, FIELD_OUTPUT, SHAPE_SCALARS, POP_FLOAT, LAYOUT_SPAN, 0, 1, 0, 4);
    CHECK(Nested, ins, FIELD_INPUT, SHAPE_SCALARS, POP_UNSIGNED_INT, LAYOUT_ONE_PTR, 0, 0, 0, 4);
    assert_true(field(state, "Nested", "span_one")->interleaved);
    assert_int_equal(field(state, "Nested", "rows")->inner_stride, sizeof(((Nested *)0)->rows.data[0]));
    assert_int_equal(field(state, "Nested", "span_one")->inner_stride, sizeof(((Nested *)0)->span_one.data[0]));
    assert_int_equal(field(state, "Nested", "outs")->inner_stride, sizeof(void *));
}

static void plain_state(void **state)
{
#define STATE(name, type) CHECK(State, name, FIELD_STATE, SHAPE_SCALAR, type, 0, 0, 0, 0, pop_type_size(type))
    STATE(first, POP_UNSIGNED_CHAR);
    STATE(second, POP_UNSIGNED_SHORT);
    STATE(third, POP_BOOL);
    STATE(fourth, POP_FLOAT);
    STATE(fifth, POP_CHAR);
    STATE(sixth, POP_HALF);
    STATE(colour, POP_UNSIGNED_INT);
    STATE(constant, POP_INT);
    STATE(big, POP_LONGLONG);
    STATE(fixed, POP_LONGLONG);
    STATE(last, POP_UNSIGNED_CHAR);
    CHECK(State, table, FIELD_STATE, SHAPE_VECTOR, POP_UNSIGNED_SHORT, LAYOUT_SPAN, 0, 1, 0, 2);
    CHECK(State, bare, FIELD_STATE, SHAPE_VECTOR, POP_FLOAT, LAYOUT_ONE_PTR, 0, 0, 0, 16);
    CHECK(State, tables, FIELD_STATE, SHAPE_VECTORS, POP_INT, LAYOUT_SPAN, LAYOUT_SPAN, 1, 1, 4);
    assert_int_equal(find(*state, "State")->state_bytes, sizeof(State));
    assert_int_equal(find(*state, "State")->state_alignment, _Alignof(State));
}

static void kinds_and_registrations(void **state)
{
    const struct module *module = *state;
    assert_int_equal(module->codelet_count, 5);
    assert_int_equal(find(module, "Scalars")->kind, VERTEX_WORKER);
    assert_int_equal(find(module, "Layouts")->kind, VERTEX_SUPERVISOR);
    assert_int_equal(find(module, "Nested")->kind, VERTEX_MULTI);
    assert_null(find(module, "Forgotten"));
    assert_int_equal(find(module, "Empty")->field_count, 0);
    assert_int_equal(find(module, "Empty")->state_bytes, 1);
}

static void constraints(void **state)
{
    const struct codelet *layouts_type = find(*state, "Layouts"), *nested_type = find(*state, "Nested");
    assert_int_equal(layouts_type->constraint_count, 2);
    assert_string_equal(layouts_type->constraints[0], "elem(*span) != elem(*one)");
    assert_string_equal(layouts_type->constraints[1], "region(*p32) != region(*p64)");
    assert_int_equal(nested_type->constraint_count, 1);
    assert_string_equal(nested_type->constraints[0], "elem(**rows) != elem(**span_one)");
    assert_int_equal(find(*state, "State")->constraint_count, 0);
}

static void a_file_contains_everything(void **state)
{
    const struct module *module = *state;
    char *data, *again;
    size_t size, again_size;
    struct module *read;
    assert_int_equal(module_write(module, &data, &size, NULL), POP_OK);
    assert_int_equal(module_read("again.gp", data, size, &read, NULL), POP_OK);
    assert_int_equal(read->codelet_count, module->codelet_count);
    assert_int_equal(read->level, module->level);
    assert_string_equal(read->name, "again.gp");
    assert_int_equal(module_write(read, &again, &again_size, NULL), POP_OK);
    assert_int_equal(size, again_size);
    assert_memory_equal(data, again, size);
    free(data);
    free(again);
    module_release(read);
}

/* ---- vertices that are refused ---- */

static void refused(const char *text, const char *first, const char *second)
{
    pop_error error;
    struct module *module;
    assert_int_equal(popc_compile("bad.c", text, NULL, &module, &error), POP_GRAPH_PROGRAM_COMPILATION_ERROR);
    assert_null(module);
    if (!strstr(error.text, first) || !strstr(error.text, second))
        fail_msg("'%s' does not contain '%s' and '%s'", error.text, first, second);
}

#define VERTEX(fields) "#include <poplar/vertex.h>\n" fields "\nvoid V_compute(V *v) { (void)v; }\n"

static void fields_that_are_refused(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        { "struct foo { int x; };\nPOP_VERTEX(V) { struct foo x; };", "unsupported field type 'struct foo'" },
        { "struct foo { int x; };\nPOP_VERTEX(V) { POP_INPUT(struct foo) x; };",
          "unsupported field type 'struct foo'" },
        { "struct foo { int x; };\nPOP_VERTEX(V) { POP_OUTPUT(POP_VECTOR(struct foo)) x; };",
          "unsupported field type 'struct foo'" },
        { "\nPOP_VERTEX(V) { unsigned x[100]; };", "unsupported field type 'unsigned int [100]'" },
        { "\nPOP_VERTEX(V) { char *x; };", "unsupported field type 'char *'" },
        { "\nPOP_VERTEX(V) { double x; };", "unsupported field type 'double', use float" },
        { "\nPOP_VERTEX(V) { POP_INOUT(POP_VECTOR(int)) y, x; };", "declare each field by itself" },
        { "\nPOP_VERTEX(V) { POP_INPUT(POP_VECTOR(long)) x; };", "unsupported field type 'long', use int" },
        { "\nPOP_VERTEX(V) { POP_INPUT(POP_VECTOR(size_t)) x; };", "unsupported field type 'size_t'" },
        { "\nPOP_VERTEX(V) { POP_INPUT(POP_VECTOR(float *)) x; };", "unsupported field type 'const float *'" },
        { "\nPOP_VERTEX(V) { POP_INPUT(POP_VECTOR(POP_VECTOR(float))) x; };", "vector in a vector" },
        { "\nPOP_VERTEX(V) { POP_INPUT(POP_VECTORS(POP_VECTOR(float, ONE_PTR), ONE_PTR, SPAN)) x; };",
          "vector in a vector" },
        { "\nPOP_VERTEX(V) { POP_INPUT(float) y, x; };", "unsupported field type 'const float *'" },
        { "\nPOP_VERTEX(V) { unsigned x : 3; };", "bit-field" },
        { "\nPOP_VERTEX(V) { POP_INPUT(POP_VECTOR(float, SPAN, 3)) x; };", "alignment 3" },
        { "union u { int x; };\nPOP_VERTEX(V) { union u x; };", "unsupported field type 'union u'" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        char text[512];
        snprintf(text, sizeof(text), "#include <poplar/vertex.h>\n%s\nvoid V_compute(V *v) { (void)v; }\n", rows[i][0]);
        refused(text, rows[i][1], "bad.c:3: field 'V.x' ");
    }
}

static void computes_that_are_refused(void **state)
{
    (void)state;
    refused("typedef int x;\n", "no vertex in it", "POP_VERTEX(Name)");
    refused("#include <poplar/vertex.h>\nPOP_VERTEX(V) { int x; };\n", "'V' has no function V_compute(V *v)", "bad.c");
    refused("#include <poplar/vertex.h>\nPOP_VERTEX(V) { int x; };\nint V_compute(V *v) { return v->x; }\n",
            "V_compute returns 'int'", "bad.c:3");
    refused("#include <poplar/vertex.h>\nPOP_VERTEX(V) { int x; };\nvoid V_compute(int *v) { *v = 1; }\n",
            "has to take (V *v)", "bad.c:3");
    refused("#include <poplar/vertex.h>\nPOP_MULTI_VERTEX(V) { int x; };\nvoid V_compute(V *v) { v->x = 1; }\n",
            "(V *v, unsigned worker)", "bad.c:3");
    refused("#include <poplar/vertex.h>\nPOP_VERTEX(V) { int x; };\nvoid V_compute(V *v, unsigned w) { v->x = w; }\n",
            "has to take (V *v)", "bad.c:3");
}

static void constraints_that_are_refused(void **state)
{
    (void)state;
#define CONSTRAINED(vertex, text)                                                                                      \
    VERTEX("POP_VERTEX(V) { POP_INPUT(int) a; };\nPOP_CONSTRAINT(" vertex ", \"" text "\");")
    refused(CONSTRAINED("V", "elem(*a) != elem(*z)"), "names 'z'", "vertex 'V'");
    refused(CONSTRAINED("W", "elem(*a) != elem(*a)"), "'W'", "not a vertex");
    refused(CONSTRAINED("V", "nonsense"), "not of the form", "nonsense");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars),
        cmocka_unit_test(layouts),
        cmocka_unit_test(nested),
        cmocka_unit_test(plain_state),
        cmocka_unit_test(kinds_and_registrations),
        cmocka_unit_test(constraints),
        cmocka_unit_test(a_file_contains_everything),
        cmocka_unit_test(fields_that_are_refused),
        cmocka_unit_test(computes_that_are_refused),
        cmocka_unit_test(constraints_that_are_refused),
    };
    return cmocka_run_group_tests(tests, fields_setup, fields_teardown);
}
