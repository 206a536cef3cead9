/* SPDX-License-Identifier: Apache-2.0 */
/* Functions, classes and data that one file of codelets has from another. */
#include "popc/module/codelet.h"
#include "popc/module/link.h"
#include "popc/module/module.h"
#include "popc/module/resolve.h"
#include "popc/popc.h"

#include "base/file.h"

#include <poplar/popc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
/* cmocka needs the above first */
#include <cmocka.h>

#include "scratch.h"

#include <string.h>

enum { FILES = 3 };
static const char *const names[FILES] = { "shared/user.cpp", "shared/helper.cpp", "shared/table.c" };

static const char *in_scratch(char *path, size_t size, const char *name)
{
    snprintf(path, size, "%s/%s", scratch_path, name);
    return path;
}

static struct module *load(const char *name, const char *flags)
{
    char path[512];
    pop_error error;
    struct module *module;
    if (popc_load(*name == '/' ? name : test_codelets(path, sizeof(path), name), flags, &module, &error) != POP_OK)
        fail_msg("%s", error.text);
    return module;
}

/* Offsets of the fields follow each other in a state that is built by hand. */
static void run(const struct module *module, float value, float *result, int *steps)
{
    _Alignas(16) unsigned char state[64] = { 0 };
    const struct codelet *codelet = module->codelets;
    void *at_value = result, *at_steps = steps;
    assert_int_equal(codelet->state_bytes <= sizeof(state), 1);
    memcpy(state, codelet->defaults, codelet->state_bytes);
    *result = value;
    memcpy(state + codelet_find_field(codelet, "value")->offset, &at_value, sizeof(at_value));
    memcpy(state + codelet_find_field(codelet, "steps")->offset, &at_steps, sizeof(at_steps));
    struct codelet_call call = { .states = state, .stride = codelet->state_bytes, .count = 1 };
    assert_true(module_run(module, codelet)(&call));
}

static void check(const struct module *module)
{
    float result;
    int steps;
    run(module, 8, &result, &steps);
    assert_true(result == 8.0f / 2 + 1000 + 2 * 3 + 30);
    assert_int_equal(steps, 7 + 3 * 100);
}

static void functions_of_popc_are_not_shared(void **state)
{
    (void)state;
    static const char source[] = "#include <poplar/vertex.h>\n"
                                 "void *popc_keep_block(unsigned key, __SIZE_TYPE__ bytes);\n"
                                 "%s"
                                 "POP_VERTEX(Keeps) { POP_OUTPUT(int) kept; };\n"
                                 "void Keeps_compute(Keeps *v) { *v->kept = popc_keep_block(0, 8) != 0 %s; }\n";
    for (int others = 0; others < 2; ++others) {
        char text[512];
        struct module *module;
        pop_error error;
        snprintf(text, sizeof(text), source, others ? "int of_another_file(void);\n" : "",
                 others ? "+ of_another_file()" : "");
        if (popc_compile("keeps.c", text, NULL, &module, &error) != POP_OK)
            fail_msg("%s", error.text);
        assert_int_equal(module_shares(module), others);
        module_release(module);
    }
}

static void files_given_together_are_one_gp(void **state)
{
    (void)state;
    char path[FILES][512], parts[FILES][128], whole[128], merged[128];
    const char *sources[FILES], *compiled[FILES];
    pop_error error;
    for (int i = 0; i < FILES; ++i) {
        char name[32];
        snprintf(name, sizeof(name), "part%d.gp", i);
        sources[i] = test_codelets(path[i], sizeof(path[i]), names[i]);
        compiled[i] = in_scratch(parts[i], sizeof(parts[i]), name);
        if (popc_compile_files(sources + i, 1, "--target ipu1,ipu2", compiled[i], false, &error) != POP_OK)
            fail_msg("%s", error.text);
    }
    in_scratch(whole, sizeof(whole), "whole.gp");
    in_scratch(merged, sizeof(merged), "merged.gp");
    assert_int_equal(popc_compile_files(sources, FILES, "--target ipu1,ipu2", whole, false, &error), POP_OK);
    assert_int_equal(popc_compile_files(compiled, FILES, NULL, merged, false, &error), POP_OK);
    struct module *a = load(whole, NULL), *b = load(merged, NULL);
    assert_int_equal(a->codelet_count, 1);
    for (int arch = DEVICE_IPU1; arch <= DEVICE_IPU2; ++arch) { /* sizes are the same either way, and measured */
        assert_int_equal(a->devices[arch]->estimated, 0);
        assert_true(a->devices[arch]->shared_bytes > 0 && a->devices[arch]->data_bytes >= 16);
        assert_int_equal(a->devices[arch]->bytes, b->devices[arch]->bytes);
        assert_int_equal(a->devices[arch]->shared_bytes, b->devices[arch]->shared_bytes);
        assert_int_equal(a->devices[arch]->stack_bytes, b->devices[arch]->stack_bytes);
    }
    assert_int_equal(module_link(a, NULL, &error), POP_OK);
    assert_int_equal(module_link(b, NULL, &error), POP_OK);
    check(a);
    check(b);
    module_release(a);
    module_release(b);
}

static void release_all(struct module **modules)
{
    for (int i = 0; i < FILES; ++i)
        module_release(modules[i]);
}

static void modules_find_each_other(void **state)
{
    (void)state;
    pop_error error;
    struct module *modules[FILES];
    bool listed[FILES] = { true, false, false };
    for (int i = 0; i < FILES; ++i)
        modules[i] = load(names[i], NULL);
    modules_complete(modules, FILES, listed);
    assert_true(listed[1] && listed[2]);
    assert_int_equal(modules_link(modules, NULL, FILES, &error), POP_OK);
    check(modules[0]);
    assert_int_equal(modules_link(modules, NULL, FILES, &error), POP_OK); /* once more changes nothing */
    check(modules[0]);
    release_all(modules);
}

static void what_is_missing_is_named(void **state)
{
    (void)state;
    pop_error error;
    struct module *modules[FILES];
    for (int i = 0; i < FILES; ++i)
        modules[i] = load(names[i], NULL);
    assert_int_equal(modules_link(modules, NULL, 2, &error), POP_LINK_ERROR);
    assert_non_null(strstr(error.text, "shared/user.cpp"));
    assert_non_null(strstr(error.text, "'shared_table'"));
    assert_null(strstr(error.text, "half_of"));
    struct module *without[] = { modules[0], modules[2] };
    assert_int_equal(modules_link(without, NULL, 2, &error), POP_LINK_ERROR);
    assert_non_null(strstr(error.text, "'helper::half_of()'"));
    assert_non_null(strstr(error.text, "'helper::Offset::Offset()'"));
    assert_int_equal(modules_link(modules, NULL, FILES, &error), POP_OK); /* a failure left nothing behind */
    check(modules[0]);
    release_all(modules);
}

static void write_text(const char *name, const char *text)
{
    char path[128];
    pop_error error;
    assert_int_equal(file_write(in_scratch(path, sizeof(path), name), text, strlen(text), &error), POP_OK);
}

#define USER                                                                                                           \
    "#include <poplar/Vertex.hpp>\nfloat twice(float);\nclass U : public poplar::Vertex { public: "                    \
    "poplar::InOut<float> x; bool compute() { *x = twice(*x); return true; } };\n"

/* The error names the function, who uses it and both who define it. */
static void what_is_defined_twice_is_named(void **state)
{
    (void)state;
    char a[128], b[128], u[128], out[128];
    pop_error error;
    write_text("a.cpp", "float twice(float x) { return x + x; }\n");
    write_text("b.cpp", "float twice(float x) { return 2 * x; }\n");
    write_text("u.cpp", USER);
    in_scratch(out, sizeof(out), "twice.gp");
    const char *const files[] = { in_scratch(u, sizeof(u), "u.cpp"), in_scratch(a, sizeof(a), "a.cpp"),
                                  in_scratch(b, sizeof(b), "b.cpp") };
    assert_int_equal(popc_compile_files(files, 2, NULL, out, false, &error), POP_OK);
    assert_int_equal(popc_compile_files(files, 3, NULL, out, false, &error), POP_LINK_ERROR);
    assert_non_null(strstr(error.text, "'twice()'"));
    assert_non_null(strstr(error.text, a));
    assert_non_null(strstr(error.text, b));
    assert_non_null(strstr(error.text, u));
    struct module *modules[] = { load(u, NULL), load(a, NULL), load(b, NULL) };
    bool listed[] = { true, false, false };
    modules_complete(modules, 3, listed);
    assert_true(listed[1] && listed[2]); /* both, so that linking the image says so */
    assert_int_equal(modules_link(modules, NULL, 3, &error), POP_LINK_ERROR);
    assert_non_null(strstr(error.text, "'twice()'"));
    release_all(modules);
}

static void a_c_function_without_extern_c_is_explained(void **state)
{
    (void)state;
    char c[128], u[128];
    pop_error error;
    write_text("c.c", "float twice(float x) { return x + x; }\n");
    write_text("u.cpp", USER);
    struct module *modules[] = { load(in_scratch(u, sizeof(u), "u.cpp"), NULL),
                                 load(in_scratch(c, sizeof(c), "c.c"), NULL) };
    assert_int_equal(modules_link(modules, NULL, 2, &error), POP_LINK_ERROR);
    assert_non_null(strstr(error.text, "'twice()' (a C file has it: declare it extern \"C\")"));
    module_release(modules[0]);
    module_release(modules[1]);
}

/* Where the code of another file stops, the vertex of the call is named. */
static char stopped_with[128];
static jmp_buf stopped;
static void stop(struct codelet_call *call, const char *message, const char *file, int line)
{
    (void)line;
    assert_non_null(call->current);
    snprintf(stopped_with, sizeof(stopped_with), "%s in %s", message, strrchr(file, '/'));
    longjmp(stopped, 1);
}

static void another_files_assertion_stops_the_call(void **state)
{
    (void)state;
    pop_error error;
    struct module *modules[FILES];
    _Alignas(16) unsigned char vertex[64] = { 0 };
    static float value = 5e6f;
    static int steps;
    for (int i = 0; i < FILES; ++i)
        modules[i] = load(names[i], NULL);
    assert_int_equal(modules_link(modules, NULL, FILES, &error), POP_OK);
    const struct codelet *codelet = modules[0]->codelets;
    void *at_value = &value, *at_steps = &steps;
    memcpy(vertex + codelet_find_field(codelet, "value")->offset, &at_value, sizeof(at_value));
    memcpy(vertex + codelet_find_field(codelet, "steps")->offset, &at_steps, sizeof(at_steps));
    struct codelet_call call = { .states = vertex, .stride = codelet->state_bytes, .count = 1, .fail = stop };
    if (!setjmp(stopped)) {
        module_run(modules[0], codelet)(&call);
        fail_msg("the assertion did not stop it");
    }
    assert_string_equal(stopped_with, "assertion 'x < 1e6f' failed in /helper.cpp");
    release_all(modules);
}

/* Code of all files is interpreted, and its cycles are those of one file with the same functions. */
static void cycles_are_counted_over_all_files(void **state)
{
    (void)state;
    static const char one[] = "#include <poplar/Vertex.hpp>\n__attribute__((weak)) float twice(float x) { return x "
                              "+ x; }\nclass U : public poplar::Vertex { public: "
                              "poplar::InOut<float> x; bool compute() { *x = twice(*x); return true; } };\n";
    char a[128], u[128], whole[128];
    uint64_t cycles[2];
    write_text("a.cpp", "float twice(float x) { return x + x; }\n");
    write_text("u.cpp", USER);
    write_text("whole.cpp", one);
    struct module *modules[] = { load(in_scratch(u, sizeof(u), "u.cpp"), NULL),
                                 load(in_scratch(a, sizeof(a), "a.cpp"), NULL),
                                 load(in_scratch(whole, sizeof(whole), "whole.cpp"), NULL) };
    for (int i = 0; i < 2; ++i) {
        _Alignas(64) static unsigned char memory[4096];
        struct device_counter *counter = device_counter_create(DEVICE_IPU2, modules + 2 * i, i ? 1 : 2);
        struct device_run counted = { .memory = memory, .bytes = sizeof(memory), .max = 10000 };
        float x = 3, *at = (float *)(void *)(memory + 512);
        memcpy(at, &x, sizeof(x));
        memcpy(memory, &at, sizeof(at));
        if (!device_counter_run(counter, modules[2 * i]->codelets, &counted, cycles + i))
            fail_msg("%s", counted.reason);
        assert_true(*at == 6);
        device_counter_free(counter);
    }
    assert_int_equal(cycles[0], cycles[1]);
    release_all(modules);
}

static void a_gp_keeps_what_is_shared(void **state)
{
    (void)state;
    char *data;
    size_t size;
    pop_error error;
    struct module *module = load("shared/helper.cpp", "--target ipu1,ipu2,ipu21"), *read;
    assert_int_equal(module_write(module, &data, &size, &error), POP_OK);
    assert_int_equal(module_read("copy.gp", data, size, &read, &error), POP_OK);
    assert_true(read->objects->shares && module_shares(read));
    assert_string_equal(read->objects->source, module->objects->source);
    for (int arch = 0; arch < DEVICE_ARCHS; ++arch) {
        assert_true(read->objects->measured[arch].size > 0);
        assert_int_equal(read->objects->measured[arch].size, module->objects->measured[arch].size);
        assert_memory_equal(read->objects->measured[arch].data, module->objects->measured[arch].data,
                            module->objects->measured[arch].size);
    }
    module_release(read);
    module_release(module);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_given_together_are_one_gp),
        cmocka_unit_test(functions_of_popc_are_not_shared),
        cmocka_unit_test(modules_find_each_other),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(what_is_defined_twice_is_named),
        cmocka_unit_test(a_c_function_without_extern_c_is_explained),
        cmocka_unit_test(another_files_assertion_stops_the_call),
        cmocka_unit_test(cycles_are_counted_over_all_files),
        cmocka_unit_test(a_gp_keeps_what_is_shared),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
