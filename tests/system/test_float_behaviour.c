/* SPDX-License-Identifier: Apache-2.0 */
/* The floating-point behaviour that programs set takes effect: exceptions name the vertex, half rounds stochastically
 * with the seeds, overflow gives NaN or the largest value.  On every machine, in both modes, and without effect by
 * default. */
#include "fixture.h"

#include <math.h>
#include <string.h>

enum { COUNT = 4096 };

static const char codelets[] =
    "#include <poplar/vertex.h>\n"
    "POP_VERTEX(Divide) { POP_INPUT(POP_VECTOR(float)) a; POP_INPUT(POP_VECTOR(float)) b; "
    "POP_OUTPUT(POP_VECTOR(float)) out; };\n"
    "bool Divide_compute(Divide *v)\n"
    "{\n"
    "    for (size_t i = 0; i < v->out.size; ++i)\n"
    "        v->out.data[i] = v->a.data[i] / v->b.data[i];\n"
    "    return true;\n"
    "}\n"
    "POP_VERTEX(Guarded) { POP_INPUT(POP_VECTOR(float)) a; POP_INPUT(POP_VECTOR(float)) b; "
    "POP_OUTPUT(POP_VECTOR(float)) out; };\n"
    "bool Guarded_compute(Guarded *v)\n"
    "{\n"
    "    for (size_t i = 0; i < v->out.size; ++i)\n"
    "        v->out.data[i] = v->b.data[i] != 0 ? v->a.data[i] / v->b.data[i] : 0;\n"
    "    return true;\n"
    "}\n"
    "POP_VERTEX(Narrow) { POP_INPUT(POP_VECTOR(float)) in; POP_OUTPUT(POP_VECTOR(half)) out; };\n"
    "bool Narrow_compute(Narrow *v)\n"
    "{\n"
    "    for (size_t i = 0; i < v->out.size; ++i)\n"
    "        v->out.data[i] = (half)v->in.data[i];\n"
    "    return true;\n"
    "}\n";
static const char cpp_codelets[] = "#include <poplar/HalfFloat.hpp>\n"
                                   "#include <poplar/Vertex.hpp>\n"
                                   "using namespace poplar;\n"
                                   "class NarrowCpp : public Vertex {\n"
                                   "public:\n"
                                   "    Input<Vector<float>> in;\n"
                                   "    Output<Vector<half>> out;\n"
                                   "    bool compute()\n"
                                   "    {\n"
                                   "        for (unsigned i = 0; i < out.size(); ++i)\n"
                                   "            out[i] = half(in[i]);\n"
                                   "        return true;\n"
                                   "    }\n"
                                   "};\n";

static pop_program execute(struct fixture *w, const char *type, const char *const *fields, const pop_tensor *tensors,
                           size_t count)
{
    pop_compute_set set = pop_graph_add_compute_set(w->graph, type);
    pop_vertex vertex = fixture_vertex(w, set, type, 0);
    for (size_t i = 0; i < count; ++i)
        pop_graph_connect(w->graph, vertex, fields[i], tensors[i]);
    pop_graph_set_perf_estimate(w->graph, vertex, 100, 0);
    return pop_execute(set, NULL);
}

static pop_program behaving(struct fixture *w, pop_float_behaviour behaviour, pop_program then)
{
    pop_program program = pop_sequence(w->graph, NULL);
    pop_set_float_behaviour(w->graph, program, behaviour, NULL);
    pop_sequence_add(program, then);
    return program;
}

static pop_program division(struct fixture *w, const char *type)
{
    static const char *const fields[] = { "a", "b", "out" };
    const pop_tensor tensors[] = { fixture_variable(w, POP_FLOAT, POP_SHAPE(8), "a"),
                                   fixture_variable(w, POP_FLOAT, POP_SHAPE(8), "b"),
                                   fixture_variable(w, POP_FLOAT, POP_SHAPE(8), "out") };
    return execute(w, type, fields, tensors, 3);
}

static void exceptions_name_the_vertex(struct fixture *w)
{
    pop_graph_add_codelets_source(w->graph, codelets, POP_FILE_C, NULL);
    pop_program divide = division(w, "Divide");
    fixture_start(w, POP_PROGRAMS(behaving(w, (pop_float_behaviour){ .div0 = true }, divide),
                                  behaving(w, (pop_float_behaviour){ .inv = true }, divide),
                                  behaving(w, (pop_float_behaviour){ .oflo = true }, divide),
                                  behaving(w, (pop_float_behaviour){ .esr = false }, divide)));
    FIXTURE_PUT(w, "a", ((const float[]){ 1, 1, 1, 1, 1, 1, 1, 1 }));
    FIXTURE_PUT(w, "b", ((const float[]){ 1, 1, 1, 0, 1, 1, 1, 1 }));
    fixture_run_fails(w, 0, POP_APPLICATION_RUNTIME_ERROR, "(Divide)");
    fixture_run_fails(w, 0, POP_APPLICATION_RUNTIME_ERROR, "div0");
    fixture_run(w, 1);
    fixture_run(w, 3);
    float out[8];
    fixture_get(w, "out", out, sizeof(out));
    assert_true(isinf(out[3]) && out[4] == 1);
    FIXTURE_PUT(w, "a", ((const float[]){ 1, 1, 1, 0, 1, 1, 1, 1 }));
    fixture_run_fails(w, 1, POP_APPLICATION_RUNTIME_ERROR, "inv");
    fixture_run(w, 0); /* 0/0 is not a division by zero */
    FIXTURE_PUT(w, "a", ((const float[]){ 1, 1, 1, 1, 1, 1, 1, 3e38f }));
    FIXTURE_PUT(w, "b", ((const float[]){ 1, 1, 1, 1, 1, 1, 1, 1e-5f }));
    fixture_run_fails(w, 2, POP_APPLICATION_RUNTIME_ERROR, "oflo");
    fixture_run(w, 0);
}

/* Operations that the source does not execute raise no exception, however it is compiled. */
static void guarded_divisions_raise_no_exception(struct fixture *w)
{
    pop_graph_add_codelets_source(w->graph, codelets, POP_FILE_C, NULL);
    fixture_start(w, POP_PROGRAMS(behaving(w, (pop_float_behaviour){ .inv = true, .div0 = true, .oflo = true },
                                           division(w, "Guarded"))));
    FIXTURE_PUT(w, "a", ((const float[]){ 1, 0, 1, 1, 1, 1, 1, 1 }));
    FIXTURE_PUT(w, "b", ((const float[]){ 1, 0, 1, 0, 1, 1, 1, 2 }));
    fixture_run(w, 0);
    FIXTURE_FLOATS(w, "out", 1, 0, 1, 0, 1, 1, 1, 0.5f);
}

static pop_program narrowing(struct fixture *w, const char *type)
{
    static const char *const fields[] = { "in", "out" };
    const pop_tensor tensors[] = { fixture_variable(w, POP_FLOAT, POP_SHAPE(COUNT), "in"),
                                   fixture_variable(w, POP_HALF, POP_SHAPE(COUNT), "out") };
    return execute(w, type, fields, tensors, 2);
}

static void get_halves(struct fixture *w, float *values)
{
    uint16_t bits[COUNT];
    fixture_get(w, "out", bits, sizeof(bits));
    pop_convert(POP_HALF, bits, POP_FLOAT, values, COUNT);
}

static double mean(const float *values)
{
    double sum = 0;
    for (size_t i = 0; i < COUNT; ++i)
        sum += values[i];
    return sum / COUNT;
}

/* 1 + 2^-12 is a quarter of the way from 1 to the next half, 1 + 2^-10; 5 * 2^-27 is five eighths of the way from 0 to
 * the smallest. */
static void rounds_stochastically(struct fixture *w, const char *type)
{
    pop_program narrow = narrowing(w, type), random = behaving(w, (pop_float_behaviour){ .esr = true }, narrow);
    pop_program nearest = behaving(w, (pop_float_behaviour){ .esr = false }, narrow);
    fixture_start_with(w, POP_PROGRAMS(random, nearest), POP_OPTIONS({ "prng.seed", "42" }));
    static float in[COUNT], first[COUNT], again[COUNT];
    for (size_t i = 0; i < COUNT; ++i)
        in[i] = 1 + 1.0f / 4096;
    fixture_put(w, "in", in, sizeof(in));
    fixture_run(w, 1);
    get_halves(w, first);
    assert_true(mean(first) == 1);
    fixture_run(w, 0);
    get_halves(w, first);
    assert_true(fabs(mean(first) - in[0]) < 5e-5); /* seven standard deviations */
    for (size_t i = 0; i < COUNT; ++i)
        assert_true(first[i] == 1 || first[i] == 1 + 1.0f / 1024);
    fixture_run(w, 0); /* a new sequence of numbers */
    get_halves(w, again);
    assert_memory_not_equal(first, again, sizeof(first));
    for (size_t i = 0; i < COUNT; ++i)
        in[i] = -5.0f / (1 << 27);
    fixture_put(w, "in", in, sizeof(in));
    fixture_run(w, 0);
    get_halves(w, first);
    assert_true(fabs(mean(first) * (1 << 24) + 0.625) < 0.06);
    for (size_t i = 0; i < COUNT; ++i)
        in[i] = (float)i / 4; /* exact below 2048, as are its results */
    fixture_put(w, "in", in, sizeof(in));
    fixture_run(w, 0);
    get_halves(w, first);
    for (size_t i = 0; i < COUNT && in[i] < 512; ++i)
        assert_true(first[i] == in[i]);
}

static void half_rounds_stochastically(struct fixture *w)
{
    pop_graph_add_codelets_source(w->graph, codelets, POP_FILE_C, NULL);
    rounds_stochastically(w, "Narrow");
}

static void half_of_cpp_rounds_stochastically(struct fixture *w)
{
    pop_graph_add_codelets_source(w->graph, cpp_codelets, POP_FILE_CPP, NULL);
    rounds_stochastically(w, "NarrowCpp");
}

/* A run of a newly loaded engine, with a seed. */
static void draw(struct fixture *w, pop_program program, const char *seed, const char *enable, float *values)
{
    static float in[COUNT];
    for (size_t i = 0; i < COUNT; ++i)
        in[i] = 1 + 1.0f / 4096;
    fixture_start_with(
        w, POP_PROGRAMS(program),
        POP_OPTIONS({ "prng.seed", seed }, { "prng.enableStochasticRounding", "true" }, { "prng.enable", enable }));
    fixture_put(w, "in", in, sizeof(in));
    fixture_run(w, 0);
    get_halves(w, values);
    pop_engine_destroy(w->engine);
    w->engine = NULL;
}

static void results_depend_on_seeds(struct fixture *w)
{
    static float first[COUNT], second[COUNT], third[COUNT];
    pop_graph_add_codelets_source(w->graph, codelets, POP_FILE_C, NULL);
    pop_program narrow = narrowing(w, "Narrow");
    draw(w, narrow, "1", "true", first);
    draw(w, narrow, "2", "true", second);
    draw(w, narrow, "1", "true", third);
    assert_true(mean(first) != 1); /* set by the option only */
    assert_memory_equal(first, third, sizeof(first));
    assert_memory_not_equal(first, second, sizeof(first));
    draw(w, narrow, "1", "false", third); /* to nearest */
    for (size_t i = 0; i < COUNT; ++i)
        assert_true(third[i] == 1);
}

static void overflow_gives_the_chosen_value(struct fixture *w)
{
    pop_graph_add_codelets_source(w->graph, codelets, POP_FILE_C, NULL);
    pop_program narrow = narrowing(w, "Narrow");
    fixture_start(w, POP_PROGRAMS(behaving(w, (pop_float_behaviour){ .nanoo = true }, narrow),
                                  behaving(w, (pop_float_behaviour){ .nanoo = false }, narrow),
                                  behaving(w, (pop_float_behaviour){ .oflo = true }, narrow)));
    static float in[COUNT] = { 65504, 65519, 65520, -1e6f, 1, -65504 }, out[COUNT];
    fixture_put(w, "in", in, sizeof(in));
    fixture_run(w, 0);
    get_halves(w, out);
    assert_true(out[0] == 65504 && out[1] == 65504 && isnan(out[2]) && isnan(out[3]) && out[4] == 1 &&
                out[5] == -65504);
    fixture_run(w, 1);
    get_halves(w, out);
    assert_true(out[1] == 65504 && out[2] == 65504 && out[3] == -65504 && out[4] == 1);
    fixture_run_fails(w, 2, POP_APPLICATION_RUNTIME_ERROR, "oflo");
}

/* Some of the tiles have another behaviour. */
static void tiles_may_differ(struct fixture *w)
{
    if (w->tiles < 2)
        return;
    pop_graph_add_codelets_source(w->graph, codelets, POP_FILE_C, NULL);
    pop_compute_set set = pop_graph_add_compute_set(w->graph, "both");
    for (unsigned tile = 0; tile < 2; ++tile) {
        pop_vertex vertex = fixture_vertex(w, set, "Divide", tile);
        pop_tensor a = fixture_variable(w, POP_FLOAT, POP_SHAPE(1), tile ? "a1" : "a0"),
                   b = fixture_variable(w, POP_FLOAT, POP_SHAPE(1), tile ? "b1" : "b0");
        pop_graph_connect(w->graph, vertex, "a", a);
        pop_graph_connect(w->graph, vertex, "b", b);
        pop_graph_connect(w->graph, vertex, "out",
                          fixture_variable(w, POP_FLOAT, POP_SHAPE(1), tile ? "out1" : "out0"));
        pop_graph_set_perf_estimate(w->graph, vertex, 100, 0);
    }
    pop_graph *second = pop_graph_create_virtual_range(w->graph, 1, 2);
    pop_program program = pop_sequence(w->graph, NULL);
    pop_set_float_behaviour(second, program, (pop_float_behaviour){ .div0 = true }, NULL);
    pop_sequence_add(program, pop_execute(set, NULL));
    fixture_start(w, POP_PROGRAMS(program));
    pop_graph_destroy(second);
    FIXTURE_PUT(w, "a0", ((const float[]){ 1 }));
    FIXTURE_PUT(w, "a1", ((const float[]){ 1 }));
    FIXTURE_PUT(w, "b0", ((const float[]){ 0 }));
    FIXTURE_PUT(w, "b1", ((const float[]){ 2 }));
    fixture_run(w, 0);
    FIXTURE_FLOATS(w, "out1", 0.5f);
    FIXTURE_PUT(w, "b1", ((const float[]){ 0 }));
    fixture_run_fails(w, 0, POP_APPLICATION_RUNTIME_ERROR, "vertex 1 (Divide)");
}

static void defaults_change_nothing(struct fixture *w)
{
    pop_graph_add_codelets_source(w->graph, codelets, POP_FILE_C, NULL);
    fixture_start(w, POP_PROGRAMS(narrowing(w, "Narrow")));
    static float in[COUNT] = { 65504, 65520, -1e6f, 1 + 1.0f / 4096 }, out[COUNT];
    fixture_put(w, "in", in, sizeof(in));
    fixture_run(w, 0);
    get_halves(w, out);
    assert_true(out[0] == 65504 && isinf(out[1]) && isinf(out[2]) && out[3] == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCENARIO(exceptions_name_the_vertex), SCENARIO(guarded_divisions_raise_no_exception),
        SCENARIO(half_rounds_stochastically), SCENARIO(half_of_cpp_rounds_stochastically),
        SCENARIO(results_depend_on_seeds),    SCENARIO(overflow_gives_the_chosen_value),
        SCENARIO(tiles_may_differ),           SCENARIO(defaults_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
