/* SPDX-License-Identifier: Apache-2.0 */
/* C++ sources: which are refused and why, the C++ library in codelets, what runs, what is merged and cached. */
#include "popc/module/codelet.h"
#include "popc/module/device_code.h"
#include "popc/module/link.h"
#include "popc/module/machine.h"
#include "popc/module/module.h"
#include "popc/popc.h"

#include "base/file.h"
#include "base/log.h"
#include "base/str.h"

#include <poplar/popc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>
/* cmocka needs the above first */
#include <cmocka.h>

#include "scratch.h"

#define HEAD         "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"
#define VERTEX(body) HEAD "class V : public Vertex {\npublic:\n" body "\n};\n"

static void refused_as(pop_status status, const char *text, const char *first, const char *second)
{
    pop_error error;
    struct module *module;
    assert_int_equal(popc_compile("dir/bad.cpp", text, NULL, &module, &error), status);
    assert_null(module);
    if (!strstr(error.text, first) || !strstr(error.text, second))
        fail_msg("'%s' does not contain '%s' and '%s'", error.text, first, second);
}

static void fields_that_are_refused(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        { "struct Mine { int x; }; bool compute();\nMine a;",
          "dir/bad.cpp:6: Error: Field 'V.a' has unsupported field type 'V::Mine'" },
        { "bool compute();\nunsigned a[100];",
          "dir/bad.cpp:6: Error: Field 'V.a' has unsupported field type 'unsigned int [100]'" },
        { "bool compute();\nchar *a;", "Error: Field 'V.a' has unsupported field type 'char *'" },
        { "bool compute();\nconst float &a;", "Error: Field 'V.a' has unsupported field type 'const float &'" },
        { "bool compute();\ndouble a;", "Error: Field 'V.a' has unsupported field type 'double', use float" },
        { "bool compute();\nInput<Vector<double>> a;",
          "Error: Field 'V.a' has unsupported field type 'double', use float" },
        { "bool compute();\nVector<Input<Vector<Vector<float>>>> a;",
          "Error: Field 'V.a' has unsupported field type 'poplar::Vector<float,poplar::VectorLayout::SPAN,4,false>'" },
        { "bool compute();\nunsigned a : 3;", "field 'V.a' is a bit-field" },
        { "bool compute();\nInput<Vector<float, VectorLayout::SPAN, 1 << 20>> a;",
          "field 'V.a' has alignment 1048576, which is not a power of two up to 65536" },
        { "bool compute();\nInput<Vector<Vector<float, VectorLayout::SPAN, 3>>> a;",
          "field 'V.a' has alignment 3, which is not a power of two up to 65536" },
        { "bool compute();\nVector<Input<VectorList<float>>> a;",
          "Error: Field 'V.a' has unsupported field type 'poplar::VectorList<" },
        { "virtual bool compute() { return true; }\nint a;", "virtual functions" },
        { "void compute() {}\nInput<Vector<float, VectorLayout::SPAN, 1 << 20>> a;",
          "dir/bad.cpp:6: field 'V.a' has alignment 1048576, which is not a power of two up to 65536" },
        { "void compute() {}\nInput<Vector<float, VectorLayout::SPAN, 3>> a;", "field 'V.a' has alignment 3, " },
        { "void compute() {}\nVector<Input<Vector<float, VectorLayout::SPAN, (1u << 31)>>> a;",
          "field 'V.a' has alignment 2147483648, " },
        { "int compute() { return 1; }", "compute() of 'V' returns 'int', it can return bool or void" },
        { "bool compute(unsigned) { return true; }", "compute of 'V' has to take no parameters" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        struct str text = { 0 };
        str_format(&text, "%sclass V : public Vertex {\npublic:\n%s\n};\n", HEAD, rows[i][0]);
        refused_as(POP_GRAPH_PROGRAM_COMPILATION_ERROR, text.text, "bad.cpp", rows[i][1]);
        str_free(&text);
    }
    refused_as(POP_GRAPH_PROGRAM_COMPILATION_ERROR,
               HEAD "struct MyOwnStructType { int x; };\nclass WhatIsAllowedVertex : public Vertex { MyOwnStructType "
                    "aComplexType; bool compute(); };\n",
               "dir/bad.cpp:4: ",
               "Error: Field 'WhatIsAllowedVertex.aComplexType' has unsupported field type 'MyOwnStructType'");
    refused_as(POP_GRAPH_PROGRAM_COMPILATION_ERROR,
               HEAD "struct Mine { int x; };\ntemplate <class T> class V : public Vertex { Input<Vector<T>> in; bool "
                    "compute() { return true; } };\n"
                    "template class V<Mine>;\n",
               "dir/bad.cpp:4: ", "Error: Field 'V<Mine>.in' has unsupported field type 'Mine'");
}

static void sources_that_are_refused(void **state)
{
    (void)state;
    const pop_status status = POP_GRAPH_PROGRAM_COMPILATION_ERROR;
    refused_as(status, "inline int x() { return 1; }", "bad.cpp", "no vertex in it");
    refused_as(status, "", "bad.cpp", "no vertex in it");
    refused_as(status, "// nothing but this\n", "bad.cpp", "no vertex in it");
    refused_as(status, "\xEF\xBB\xBF", "bad.cpp", "no vertex in it");
    refused_as(status, HEAD "template <class T> class V { bool compute(); };\nclass W { bool compute(); };\n",
               "no vertex in it", "explicit instantiation");
    refused_as(status, VERTEX("int x;"), "vertex 'V' has no compute", "");
    refused_as(status, VERTEX("bool compute() { return nothing; }"), "dir/bad.cpp:5:", "error: ");
    refused_as(status, VERTEX("bool compute() { throw 1; }"), "dir/bad.cpp:5:", "disabled");
    refused_as(status, HEAD "class V : public MultiVertex { public: bool compute() { return true; } };\n",
               "'V', a MultiVertex", "(unsigned worker)");
    refused_as(status, "#include <cassert>\n" VERTEX("V() { assert(x == 1); }\nint x = 2;\nvoid compute() {}"),
               "default constructor of 'V' failed", "assertion 'x == 1' failed");
}

static struct module *compile(const char *text, const char *flags)
{
    pop_error error;
    struct module *module;
    if (popc_compile("good.cpp", text, flags, &module, &error) != POP_OK || module_link(module, NULL, &error) != POP_OK)
        fail_msg("%s", error.text);
    return module;
}

static void *put_pointer(const struct codelet *codelet, void *vertex, const char *name, void *to)
{
    const struct codelet_field *field = codelet_find_field(codelet, name);
    assert_non_null(field);
    return memcpy((char *)vertex + field->offset, &to, sizeof(to));
}

/* Runs the first vertex of a module with its field out; returns the value. */
static float run_once(const struct module *module)
{
    const struct codelet *codelet = module->codelets;
    float out = -1;
    void *vertex = mem_zero(1, codelet->state_bytes + 16);
    memcpy(vertex, codelet->defaults, codelet->state_bytes);
    put_pointer(codelet, vertex, "out", &out);
    struct codelet_call call = { .states = vertex, .stride = codelet->state_bytes, .count = 1, .workers = 6 };
    module_run(module, codelet)(&call);
    free(vertex);
    return out;
}

static void expect(float expected, const char *text, const char *flags)
{
    struct module *module = compile(text, flags);
    assert_float_equal(run_once(module), expected, 0);
    module_release(module);
}

static void standard_headers_work(void **state)
{
    (void)state;
    static const char text[] =
        "#include <algorithm>\n#include <array>\n#include <cassert>\n#include <cmath>\n#include <cstdint>\n#include "
        "<cstring>\n#include <limits>\n"
        "#include <tuple>\n#include <type_traits>\n#include <utility>\n" HEAD
        "template <class T> class V : public Vertex {\n    Output<T> out;\n    void compute() {\n"
        "        std::array<T, 4> a{ { 9, 1, 4, 16 } };\n        std::sort(a.begin(), a.end());\n        T sum = 0;\n"
        "        for (const auto &x : a) sum += std::sqrt(x);\n        assert(std::is_floating_point<T>::value);\n"
        "        T copy; std::memcpy(&copy, &sum, sizeof(T));\n        *out = std::max(copy, "
        "std::numeric_limits<T>::lowest());\n    }\n};\n"
        "template class V<float>;\n";
    static const char *const flags[] = { NULL, "-O0 -std=c++11", "-O3 -std=gnu++14", "-O1 -g -std=c++20",
                                         "-Wall -Wextra -Werror" };
    for (int i = 0; i < 5; ++i)
        expect(10, text, flags[i]);
}

static void flags_that_programs_pass(void **state)
{
    (void)state;
    expect(7,
           HEAD "#ifdef NDEBUG\nclass V : public Vertex { Output<float> out; void compute() { *out = N; } };\n#endif\n",
           "-O3 -DNDEBUG -D N=7 -I codelets -ffast-math -funroll-loops -finline-functions -fno-math-errno "
           "-march=native -mtune=native "
           "-mllvm -unroll-threshold=4 -pedantic -Wno-unused -Ofast");
    static const char *const targets[] = {
        "--target ipu2,ipu21,cpu", "--target=cpu",
        "'--target=[{\"name\":\"ipu2:cpp\",\"arch\":\"ipu2\",\"compile-flags\":[\"-O3\"]}]'"
    };
    for (int i = 0; i < 3; ++i)
        expect(1, HEAD "class V : public Vertex { Output<float> out; void compute() { *out = 1; } };\n", targets[i]);
}

static void a_compute_without_a_body_ends_only_runs_that_use_it(void **state)
{
    (void)state;
    expect(1,
           HEAD "class A : public Vertex { Output<float> out; void compute() { *out = 1; } };\nclass B : public Vertex "
                "{ public: void compute(); };\n",
           NULL);
}

/* The compared value changes sign, is rounded to half at each step, and is not contracted. */
static void half_and_float_round_after_each_operation(void **state)
{
    (void)state;
    static const char text[] = HEAD
        "class V : public Vertex { Output<float> out; volatile float a = 1.0f + 1.0f / 4096;\n"
        "    void compute() { half h = 2048; h = h + half(1.0f); float b = a * a - 1.0f; *out = float(h) + b; } };\n";
    volatile float a = 1.0f + 1.0f / 4096, square = a * a;
    const char *lowest = machine_level() == LEVEL_ARMV8 ? "-O3 -march=armv8-a" : "-O3 -march=x86-64";
    const char *const flags[] = { "-O0", "-O3", lowest, "-O3 -ffast-math" };
    for (int i = 0; i < 4; ++i)
        expect(2048.0f + (square - 1.0f), text, flags[i]);
}

static void symbols_of_the_cpp_library_are_link_errors(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        { "float *kept;\n" VERTEX("Output<float> out;\nvoid compute() { kept = new float(*out); *out = *kept; }"),
          "undefined symbol _Znwm" },
        { "#include <vector>\nfloat *kept;\n" VERTEX("Output<float> out;\nvoid compute() { std::vector<float> "
                                                     "v(static_cast<unsigned>(*out)); kept = v.data(); }"),
          "undefined symbol _Z" },
        { VERTEX("Output<float> out;\nvoid compute() { extern float elsewhere(); *out = elsewhere(); }"),
          "no file defines 'elsewhere()'" },
    };
    for (int i = 0; i < 3; ++i) {
        pop_error error;
        struct module *module;
        if (popc_compile("links.cpp", rows[i][0], NULL, &module, &error) != POP_OK)
            fail_msg("%s", error.text);
        assert_int_equal(module_link(module, NULL, &error), POP_LINK_ERROR);
        if (!strstr(error.text, rows[i][1]) || !strstr(error.text, "links.cpp"))
            fail_msg("'%s' does not contain '%s'", error.text, rows[i][1]);
        module_release(module);
    }
}

static void host_program_and_codelet_in_one_file(void **state)
{
    (void)state;
    expect(3,
           "#ifdef __POPC__\n" HEAD "class V : public Vertex { Output<float> out; void compute() { *out = 3; } };\n"
           "#ifdef __IPU__\n#error it runs on the host\n#endif\n"
           "#else\n#include <no/such/header.hpp>\nint main() { throw 1; }\n#endif\n",
           NULL);
}

static void statics_of_two_files_are_separate(void **state)
{
    (void)state;
#define COUNTER(start)                                                                                                 \
    HEAD "template <class T> struct Count { static T total; };\ntemplate <class T> T Count<T>::total = " start         \
         ";\ninline float &once() { static "                                                                           \
         "float all = " start "; return all; }\nclass V : public Vertex { Output<float> out; void compute() { *out = " \
         "++Count<float>::total + ++once(); } };\n"
    struct module *a = compile(COUNTER("0"), NULL), *b = compile(COUNTER("100"), NULL);
    for (int i = 1; i < 3; ++i) {
        assert_float_equal(run_once(a), (float)(2 * i), 0);
        assert_float_equal(run_once(b), (float)(200 + 2 * i), 0);
    }
    module_release(a);
    module_release(b);
}

static const char *in_scratch(char *path, const char *name)
{
    sprintf(path, "%s/%s", scratch_path, name);
    return path;
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void c_and_cpp_are_merged(void **state)
{
    (void)state;
    char c[128], cpp[128], other[128], first[128], all[128];
    pop_error error;
    struct module *module = NULL;
    write_file(in_scratch(c, "a.c"), "#include <poplar/vertex.h>\nPOP_VERTEX(A) { POP_OUTPUT(float) out; };\nvoid "
                                     "A_compute(A *v) { *v->out = 1; }\n");
    write_file(in_scratch(cpp, "b.cpp"),
               HEAD "namespace n { class B : public Vertex { Output<float> out; void compute() { *out = 2; } }; }\n");
    write_file(in_scratch(other, "c.cc"),
               HEAD "namespace n { class C : public Vertex { Output<float> out; void compute() { *out = 3; } }; }\n");
    in_scratch(first, "first.gp");
    in_scratch(all, "all.gp");
    const char *const sources[] = { c, cpp }, *const rest[] = { first, other };
    if (popc_compile_files(sources, 2, "-std=c++17", first, false, &error) != POP_OK ||
        popc_compile_files(rest, 2, NULL, all, false, &error) != POP_OK ||
        popc_load(all, NULL, &module, &error) != POP_OK || module_link(module, NULL, &error) != POP_OK)
        fail_msg("%s", error.text);
    static const char *const names[] = { "A", "n::B", "n::C" };
    assert_int_equal(module->codelet_count, 3);
    for (unsigned i = 0; i < 3; ++i)
        assert_string_equal(module->codelets[i].name, names[i]);
    module_release(module);
}

/* A constraint in an included file: a change of the file changes the constraint. */
static void included_files_and_the_cache(void **state)
{
    (void)state;
    char header[128], source[128];
    pop_error error;
    struct module *module;
    in_scratch(source, "main.cpp");
    write_file(source, "#include \"vertex.hpp\"\n");
    static const char *const constraints[] = { "elem(*a) != elem(*b)", "region(*a) != region(*b)" };
    for (int i = 0; i < 4; ++i) {
        char text[400];
        snprintf(text, sizeof(text),
                 HEAD "class [[poplar::constraint(\"%s\")]] V : public Vertex { Input<float> a; Output<float> b; void "
                      "compute() {} };\n",
                 constraints[i / 2]);
        write_file(in_scratch(header, "vertex.hpp"), text);
        if (i % 2)
            setenv("TREMULA_CXX", "/nonexistent/g++", 1); /* the second time needs no compiler */
        pop_status status = popc_load(source, NULL, &module, &error);
        unsetenv("TREMULA_CXX");
        if (status != POP_OK)
            fail_msg("%s", error.text);
        assert_int_equal(module->codelets[0].constraint_count, 1);
        assert_string_equal(module->codelets[0].constraints[0], constraints[i / 2]);
        module_release(module);
    }
}

static void a_constraint_on_an_unknown_field_is_left_out(void **state)
{
    (void)state;
    struct module *module = compile(HEAD "class [[poplar::constraint(\"elem(*a) != elem(*z)\")]] V : public Vertex { "
                                         "Input<float> a; void compute() {} };\n",
                                    NULL);
    assert_int_equal(module->codelets[0].constraint_count, 0);
    module_release(module);
}

/* Compiles a vertex with a constraint in line 5; the returned log is malloc'ed. */
static struct module *compile_constrained(const char *constraint, char **logged)
{
    char path[128];
    struct str text = { 0 };
    size_t size;
    snprintf(path, sizeof(path), "%s/log", scratch_path);
    setenv("POPLAR_LOG_DEST", path, 1);
    setenv("POPLAR_CODELETS_LOG_LEVEL", "WARN", 1);
    log_reset();
    str_format(&text,
               HEAD "\n\nclass [[poplar::constraint(%s)]] V : public Vertex {\npublic:\n    Input<Vector<float>> a;\n  "
                    "  Output<Vector<float>> b;\n"
                    "    Vector<Input<Vector<float>>> deep;\n    void compute() {}\n};\n",
               constraint);
    struct module *module = compile(text.text, NULL);
    setenv("POPLAR_LOG_DEST", "stderr", 1);
    unsetenv("POPLAR_CODELETS_LOG_LEVEL");
    log_reset(); /* closes the file */
    if (file_read(path, logged, &size, NULL) != POP_OK)
        *logged = mem_string("");
    unlink(path);
    str_free(&text);
    return module;
}

static void malformed_constraints_are_left_out_with_a_warning(void **state)
{
    (void)state;
    static const struct {
        const char *constraint;
        uint32_t kept;
        const char *words;
    } rows[] = {
        { "\"elem(*a) != elem(*b)\"", 1, NULL },
        { "\"elem( * a )!=elem(*b) \"", 1, NULL },
        { "\"elem(*a) \" \"!= elem(**deep)\", \"region(*b) != region(**deep[0])\"", 2, NULL },
        { "R\"x(elem(*a) != elem(*b))x\"", 1, NULL },
        { "\"garbage\"", 0,
          "good.cpp:5: warning: constraint \"garbage\" of vertex 'V' is not of the form \"elem(*a) != elem(*b)\": it "
          "is left out" },
        { "\"\"", 0, "constraint \"\" of vertex 'V' is not of the form" },
        { "", 0, "constraint \"\" of vertex 'V' is not of the form" },
        { "3", 0, "constraint \"3\" of vertex 'V' is not of the form" },
        { "\"elem(*a)\" != 3", 0, "is not of the form" },
        { "\"elem(*a) != \"", 0, "is not of the form" },
        { "\"elem(*a) == elem(*b)\"", 0, "is not of the form" },
        { "\"elem(a) != elem(b)\"", 0, "is not of the form" },
        { "\"elem(*a) != region(*b)\"", 0, "is not of the form" },
        { "\"elem(*a) != elem(*b) && elem(*b) != elem(*a)\"", 0, "is not of the form" },
        { "\"elem(**a) != elem(*b)\"", 0, "has 2 '*' before 'a', which has one level" },
        { "\"elem(*a) != elem(***deep)\"", 0, "has 3 '*' before 'deep', which has two levels" },
        { "\"elem(*a) != elem(*z)\", \"elem(*a) != elem(*b)\"", 1, "names 'z', which is not one of its fields" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        char *logged;
        struct module *module = compile_constrained(rows[i].constraint, &logged);
        if (module->codelets[0].constraint_count != rows[i].kept ||
            (rows[i].words ? !strstr(logged, rows[i].words) : strstr(logged, "constraint") != NULL))
            fail_msg("%s: %u kept; '%s'", rows[i].constraint, (unsigned)module->codelets[0].constraint_count, logged);
        free(logged);
        module_release(module);
    }
}

/* Some editors begin files with one. */
static void byte_order_marks_are_skipped(void **state)
{
    (void)state;
    struct module *module = compile("\xEF\xBB\xBF" VERTEX("int x; void compute() {}"), NULL);
    assert_string_equal(module->codelets[0].name, "V");
    module_release(module);
    refused_as(POP_GRAPH_PROGRAM_COMPILATION_ERROR, "\xEF\xBB\xBF" VERTEX("bool compute() { return nothing; }"),
               "dir/bad.cpp:5:", "error: ");
}

/* On the device's stand-in; sizes of code that it cannot compile are estimated. */
static void code_is_measured_for_devices(void **state)
{
    (void)state;
    if (system("command -v clang >/dev/null") != 0)
        skip();
#define SIZED                                                                                                          \
    HEAD "template <class T> class V : public Vertex { Input<Vector<T>> in; Output<float> out;\n    bool compute() { " \
         "float s = 0; for (unsigned i = 0; i < "                                                                      \
         "in.size(); ++i) s += float(in[i]); *out = s; return true; } };\ntemplate class V<float>;\ntemplate class "   \
         "V<int>;\n"
    static const char *const texts[] = { SIZED, "#include <cmath>\n" SIZED };
    for (int i = 0; i < 2; ++i) {
        struct module *module = compile(texts[i], "--target ipu2");
        assert_non_null(module->devices[DEVICE_IPU2]);
        for (unsigned k = 0; k < 2; ++k) {
            assert_in_range(module->devices[DEVICE_IPU2][k].bytes, 16, 400);
            assert_false(module->devices[DEVICE_IPU2][k].estimated);
        }
        module_release(module);
    }
}

static void without_a_compiler(void **state)
{
    (void)state;
    setenv("TREMULA_CXX", "/nonexistent/g++", 1);
    refused_as(POP_NO_ENVIRONMENT, VERTEX("int never_seen_before; void compute() {}"),
               "there is no C++ compiler '/nonexistent/g++'", "set TREMULA_CXX");
    unsetenv("TREMULA_CXX");
}

/* Programs add files of templates that another file instantiates. */
static void templates_without_instances_add_nothing(void **state)
{
    (void)state;
    struct module *module = compile(
        HEAD "template <class T> class V : public Vertex { public: Output<Vector<T>> o; bool compute(); };\n", "");
    assert_int_equal(module->codelet_count, 0);
    module_release(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_that_are_refused),
        cmocka_unit_test(sources_that_are_refused),
        cmocka_unit_test(templates_without_instances_add_nothing),
        cmocka_unit_test(standard_headers_work),
        cmocka_unit_test(flags_that_programs_pass),
        cmocka_unit_test(a_compute_without_a_body_ends_only_runs_that_use_it),
        cmocka_unit_test(half_and_float_round_after_each_operation),
        cmocka_unit_test(symbols_of_the_cpp_library_are_link_errors),
        cmocka_unit_test(host_program_and_codelet_in_one_file),
        cmocka_unit_test(statics_of_two_files_are_separate),
        cmocka_unit_test(c_and_cpp_are_merged),
        cmocka_unit_test(included_files_and_the_cache),
        cmocka_unit_test(a_constraint_on_an_unknown_field_is_left_out),
        cmocka_unit_test(malformed_constraints_are_left_out_with_a_warning),
        cmocka_unit_test(byte_order_marks_are_skipped),
        cmocka_unit_test(code_is_measured_for_devices),
        cmocka_unit_test(without_a_compiler),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
