/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions by their moments at fixed seeds, dropout, effects of seeds, and costs of vertices. */
#include "poplibs/numeric.h"
#include "poprand/generator.h"
#include "poprand/philox.h"

#include <popops/codelets.h>
#include <poprand/codelets.h>
#include <poprand/random_gen.h>

enum { MANY = 40001 };

static void add_codelets(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    poprand_add_codelets_at(where, graph);
}
static pop_tensor seed_of(struct fixture *fixture, double first, double second)
{
    pop_tensor seed = pop_graph_add_variable(fixture->graph, POP_UNSIGNED_INT, POP_SHAPE(2), "seed");
    fixture_map(fixture, seed, FIXTURE_ONE_TILE);
    fixture_write(fixture, seed, (double[]){ first, second }, 0, 0);
    return seed;
}
static pop_tensor reference_of(struct fixture *fixture, size_t n, enum fixture_mapping mapping)
{
    pop_tensor reference = pop_graph_add_variable(fixture->graph, POP_FLOAT, POP_SHAPE(n), "reference");
    fixture_map(fixture, reference, mapping);
    return reference;
}

struct moments {
    double mean, deviation, min, max;
};
static struct moments moments_of(const double *values, size_t n)
{
    struct moments m = { 0, 0, values[0], values[0] };
    for (size_t i = 0; i < n; ++i) {
        m.mean += values[i] / (double)n;
        m.min = fmin(m.min, values[i]);
        m.max = fmax(m.max, values[i]);
    }
    for (size_t i = 0; i < n; ++i)
        m.deviation += (values[i] - m.mean) * (values[i] - m.mean) / (double)n;
    m.deviation = sqrt(m.deviation);
    return m;
}
/* The error of a mean of n numbers is at most 4 of its standard deviations, and so on; the seeds are fixed. */
static void assert_moments(const double *values, size_t n, double mean, double deviation)
{
    struct moments m = moments_of(values, n);
    if (!(fabs(m.mean - mean) <= 4 * deviation / sqrt((double)n) + 1e-3 * deviation) ||
        !(fabs(m.deviation / deviation - 1) < 0.015))
        fail_msg("mean %g (%g), deviation %g (%g)", m.mean, mean, m.deviation, deviation);
}

static void test_distributions(void **state)
{
    (void)state;
    static const pop_type types[] = { POP_FLOAT, POP_HALF, POP_INT };
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (size_t t = 0; t < 3; ++t) {
            struct fixture fixture = fixture_open(device, 13, add_codelets);
            pop_tensor seed = seed_of(&fixture, 17, 42), reference = reference_of(&fixture, MANY, FIXTURE_LINEAR),
                       out[5];
            pop_type type = types[t];
            double *got[5];
            bool whole = type == POP_INT;
            out[0] = poprand_uniform(fixture.graph, &seed, 1, reference, type, whole ? -7 : -1.3, whole ? 12 : 2.7,
                                     fixture.program, "u");
            out[1] = poprand_bernoulli(fixture.graph, &seed, 2, reference, type, 0.31, fixture.program, "b");
            out[2] = poprand_log_uniform(fixture.graph, &seed, 5, reference, type, 1, 1000, fixture.program, "l");
            if (!whole) {
                out[3] = poprand_normal(fixture.graph, &seed, 3, reference, type, -0.5, 2.5, fixture.program, "n");
                out[4] =
                    poprand_truncated_normal(fixture.graph, &seed, 4, reference, type, 1, 0.5, 2, fixture.program, "t");
            }
            fixture_run_all(&fixture, out, got, whole ? 3 : 5);
            struct moments m = moments_of(got[0], MANY);
            if (whole) {
                assert_moments(got[0], MANY, 2.5, sqrt(399 / 12.0));
                assert_true(m.min == -7 && m.max == 12);
                for (size_t i = 0; i < MANY; ++i)
                    assert_true(got[0][i] == floor(got[0][i]));
            } else {
                assert_moments(got[0], MANY, 0.7, 4 / sqrt(12));
                assert_true(m.min >= -1.3 && m.min < -1.29 && m.max <= 2.7 && m.max > 2.69);
            }
            assert_moments(got[1], MANY, 0.31, sqrt(0.31 * 0.69));
            for (size_t i = 0; i < MANY; ++i)
                assert_true(got[1][i] == 0 || got[1][i] == 1);
            m = moments_of(got[2], MANY);
            assert_true(m.min >= 1 && m.max <= 1000 && m.max > 900);
            for (size_t i = 0; i < MANY; ++i)
                got[2][i] = log(got[2][i] + (whole ? 0.5 : 0));
            if (whole)
                assert_true(fabs(moments_of(got[2], MANY).mean - log(1001) / 2) < 0.05);
            else
                assert_moments(got[2], MANY, log(1000) / 2, log(1000) / sqrt(12));
            if (!whole) {
                assert_moments(got[3], MANY, -0.5, 2.5);
                size_t near = 0, far = 0;
                for (size_t i = 0; i < MANY; ++i) {
                    near += fabs(got[3][i] + 0.5) < 2.5;
                    far += fabs(got[3][i] + 0.5) > 7.5;
                }
                assert_true(fabs((double)near / MANY - 0.6827) < 0.01 && far > 60 && far < 160);
                m = moments_of(got[4], MANY);
                assert_true(m.min >= 0 && m.max <= 2 && m.max > 1.98);
                assert_moments(got[4], MANY, 1, 0.5 * 0.87963); /* sqrt(1 - 2 a phi(a) / (2 Phi(a) - 1)) at a = 2 */
            }
            fixture_close(&fixture);
        }
}

/* Neighbours, and tiles, are not correlated. */
static void test_streams_are_independent(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 8, add_codelets);
    pop_tensor seed = seed_of(&fixture, 0, 0), reference = reference_of(&fixture, 8 * 6 * 500, FIXTURE_LINEAR);
    pop_tensor out[] = { poprand_normal(fixture.graph, &seed, 0, reference, POP_FLOAT, 0, 1, fixture.program, "n"),
                         poprand_normal(fixture.graph, &seed, 1, reference, POP_FLOAT, 0, 1, fixture.program, "n") };
    double *got[2];
    fixture_run_all(&fixture, out, got, 2);
    static const size_t lags[] = {
        1, 2, 3, 64, 128, 250, 500, 1000, 3000, 6000, 12000
    }; /* within a worker, between workers, between tiles */
    for (size_t l = 0; l <= sizeof(lags) / sizeof(lags[0]); ++l) {
        double sum = 0;
        size_t count = 0;
        for (size_t i = 0; i + (l ? lags[l - 1] : 0) < 24000; ++i, ++count)
            sum += got[0][i] * (l ? got[0][i + lags[l - 1]] : got[1][i]); /* and between modifiers */
        if (!(fabs(sum / sqrt((double)count)) < 4))
            fail_msg("correlation %g", sum / (double)count);
    }
    fixture_close(&fixture);
}

/* Half values are in the requested range, though neither end is a half. */
static void test_half_within_range(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 2, add_codelets);
    pop_tensor seed = seed_of(&fixture, 5, 6), reference = reference_of(&fixture, 4001, FIXTURE_SCATTERED);
    pop_tensor out[] = {
        poprand_uniform(fixture.graph, &seed, 0, reference, POP_HALF, 1000.3, 1002.7, fixture.program, "u"),
        poprand_uniform(fixture.graph, &seed, 0, reference, POP_FLOAT, -3e38, 3e38, fixture.program, "u"),
        poprand_uniform(fixture.graph, &seed, 0, reference, POP_INT, -2147483648.0, 2147483647.0, fixture.program, "u"),
        poprand_uniform(fixture.graph, &seed, 0, reference, POP_HALF, -65504, 65504, fixture.program, "u"),
        poprand_truncated_normal(fixture.graph, &seed, 0, reference, POP_HALF, 100.03, 1, 0.2, fixture.program, "t"),
        poprand_uniform(fixture.graph, &seed, 0, reference, POP_FLOAT, 3, 3, fixture.program, "u")
    };
    double *got[6];
    fixture_run_all(&fixture, out, got, 6);
    struct moments m = moments_of(got[0], 4001);
    assert_true(m.min == 1000.5 && m.max == 1002.5);
    assert_moments(got[1], 4001, 0, 6e38 / sqrt(12));
    assert_moments(got[2], 4001, -0.5, 4294967296.0 / sqrt(12));
    assert_moments(got[3], 4001, 0, 131008 / sqrt(12));
    m = moments_of(got[4], 4001);
    assert_true(m.min == 99.875 && m.max == 100.1875);
    m = moments_of(got[5], 4001);
    assert_true(m.min == 3 && m.max == 3);
    fixture_close(&fixture);
}

static void test_dropout(void **state)
{
    (void)state;
    for (unsigned test = 0; test < 4; ++test) {
        pop_type type = test & 1 ? POP_HALF : POP_FLOAT;
        struct fixture fixture = fixture_open(test & 2 ? FIXTURE_MODEL : FIXTURE_CPU, 7, add_codelets);
        pop_tensor seed = seed_of(&fixture, 1, 2),
                   in = fixture_input_of(&fixture, type, POP_SHAPE(101, 97), FIXTURE_SCATTERED, 0.5, 2);
        pop_tensor row = pop_graph_add_variable(fixture.graph, POP_FLOAT, POP_SHAPE(97), "row");
        fixture_map(&fixture, row, FIXTURE_LINEAR);
        pop_tensor out[] = { poprand_dropout(fixture.graph, &seed, 7, in, in, 0.7, 1 / 0.7, fixture.program, "d"),
                             poprand_dropout(fixture.graph, &seed, 7, in, in, 0.7, 1 / 0.7, fixture.program, "again"),
                             poprand_shaped_dropout(fixture.graph, &seed, 8, in, row, 0.7, 2, fixture.program, "s"),
                             poprand_dropout(fixture.graph, &seed, 7, in, in, 1, 1, fixture.program, "all"),
                             poprand_dropout(fixture.graph, &seed, 7, in, in, 0, 3, fixture.program, "none") };
        double *got[5], *given = fixture_given(&fixture, in), kept = 0, rows = 0;
        fixture_run_all(&fixture, out, got, 5);
        for (size_t i = 0; i < 101 * 97; ++i) {
            kept += got[0][i] != 0;
            assert_true(got[0][i] == 0 || fabs(got[0][i] * 0.7 / given[i] - 1) < (type == POP_HALF ? 0.0006 : 1e-6));
            assert_true(got[1][i] == got[0][i]);
            assert_true(got[2][i] == (got[2][i % 97] != 0 ? 2 * given[i] : 0));
            assert_true(got[3][i] == given[i] && got[4][i] == 0);
            rows += i < 97 && got[2][i] != 0;
        }
        assert_true(fabs(kept / (101 * 97) - 0.7) < 0.02 && fabs(rows / 97 - 0.7) < 0.15);
        fixture_close(&fixture);
    }
}

static bool equal(const double *a, const double *b, size_t n)
{
    return memcmp(a, b, n * sizeof(*a)) == 0;
}

static void test_seeds(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device) {
        struct fixture fixture = fixture_open(device, 5, add_codelets);
        pop_tensor seed = seed_of(&fixture, 1, 2), other = seed_of(&fixture, 1, 3),
                   reference = reference_of(&fixture, 301, FIXTURE_SCATTERED), out[12];
        double *got[12];
#define DRAW(seed, modifier)                                                                                           \
    poprand_uniform(fixture.graph, seed, modifier, reference, POP_FLOAT, 0, 1, fixture.program, "x")
        out[0] = DRAW(NULL, 0);
        out[1] = DRAW(&seed, 0);
        out[2] = DRAW(NULL, 0); /* continues after 0, though 1 was used in between */
        out[3] = DRAW(&seed, 0);
        out[4] = DRAW(&seed, 1);
        out[5] = DRAW(&other, 0);
        poprand_set_seed(fixture.graph, seed, 9, fixture.program, "seed");
        out[6] = DRAW(NULL, 0);
        out[7] = DRAW(NULL, 0);
        poprand_set_seed(fixture.graph, seed, 9, fixture.program, "seed");
        out[8] = DRAW(NULL, 0);
        out[9] = DRAW(NULL, 0);
        poprand_set_seed(fixture.graph, seed, 10, fixture.program, "seed");
        out[10] = DRAW(NULL, 0);
        pop_tensor saved = pop_get_hw_seeds(fixture.graph, fixture.program, "saved");
        DRAW(NULL, 0);
        pop_set_hw_seeds(fixture.graph, saved, fixture.program, "restored");
        out[11] = DRAW(NULL, 0);
        fixture_run_all(&fixture, out, got, 12);
        for (size_t i = 0; i < 12; ++i)
            for (size_t k = 0; k < i; ++k) {
                bool same = (i == 3 && k == 1) || (i == 8 && k == 6) || (i == 9 && k == 7);
                assert_true(equal(got[i], got[k], 301) == same);
            }
        fixture_close(&fixture);
    }
}

/* The same numbers with 1, 2 and 4 host threads, in another graph, after other draws. */
static void test_reproducible(void **state)
{
    (void)state;
    double *first = NULL;
    for (unsigned run = 0; run < 3; ++run) {
        char threads[64];
        snprintf(threads, sizeof(threads), "{\"target.hostThreads\":\"%u\"}", 1u << run);
        setenv("POPLAR_ENGINE_OPTIONS", threads, 1);
        struct fixture fixture = fixture_open(FIXTURE_MODEL, 31, add_codelets);
        pop_tensor seed = seed_of(&fixture, 123, 456), reference = reference_of(&fixture, 5003, FIXTURE_LINEAR);
        for (unsigned i = 0; i < run; ++i)
            DRAW(NULL, 0);
        double *got = fixture_run(
            &fixture, poprand_normal(fixture.graph, &seed, 1, reference, POP_HALF, 0, 1, fixture.program, "x"));
        if (first)
            assert_true(equal(got, first, 5003));
        else
            first = memcpy(malloc(5003 * sizeof(double)), got, 5003 * sizeof(double));
        fixture_close(&fixture);
    }
    unsetenv("POPLAR_ENGINE_OPTIONS");
    free(first);
}

/* The known answers of Philox 4x32-10. */
static void test_philox(void **state)
{
    (void)state;
    uint32_t zeros[4] = { 0 }, ones[4] = { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff };
    philox(zeros, 0, 0);
    assert_true(zeros[0] == 0x6627e8d5 && zeros[1] == 0xe169c58d && zeros[2] == 0xbc57ac4c && zeros[3] == 0x9b00dbd8);
    philox(ones, 0xffffffff, 0xffffffff);
    assert_true(ones[0] == 0x408f276d && ones[1] == 0x41c83b0e && ones[2] == 0xa20bc7c6 && ones[3] == 0x6d5451fd);
}

/* A jump is as many draws, and generators that draw together draw what each does alone. */
static void test_generators(void **state)
{
    (void)state;
    static const uint64_t jumps[] = { 0, 1, 2, 63, 64, 127, 128, 129, 1000, 123457 };
    for (size_t i = 0; i < sizeof(jumps) / sizeof(jumps[0]); ++i) {
        struct generator g = { 0x0123456789abcdefu, 0xfedcba9876543210u };
        struct generator jumped = jump_from(g, jump_of(jumps[i]));
        for (uint64_t k = 0; k < jumps[i]; ++k)
            draw(&g);
        assert_true(g.a == jumped.a && g.b == jumped.b);
    }
    struct generator alone[LANES], together[LANES];
    uint32_t words[BLOCK], drawn[LANES][BLOCK];
    for (unsigned lane = 0; lane < LANES; ++lane)
        alone[lane] = together[lane] = (struct generator){ lane + 1, 77 * lane };
    draw_lanes(together, drawn, 101);
    for (unsigned lane = 0; lane < LANES; ++lane) {
        draw_words(&alone[lane], words, 101);
        assert_memory_equal(words, drawn[lane], 102 * sizeof(words[0]));
        assert_memory_equal(&alone[lane], &together[lane], sizeof(together[0]));
    }
}

/* On a CPU device, large draws are those of the tile's one generator, one after the other, and so are later ones. */
static void test_draws_in_parts(void **state)
{
    (void)state;
    static const size_t sizes[] = { 32767, 32768, 100001, 3 * 32768, 17 };
    enum { DRAWS = sizeof(sizes) / sizeof(sizes[0]) };
    struct fixture fixture = fixture_open(FIXTURE_CPU, 1, add_codelets);
    pop_tensor out[DRAWS], seed = seed_of(&fixture, 5, 6);
    double *got[DRAWS];
    poprand_set_seed(fixture.graph, seed, 9, fixture.program, "seed");
    for (size_t i = 0; i < DRAWS; ++i)
        out[i] = poprand_uniform(fixture.graph, NULL, 0, reference_of(&fixture, sizes[i], FIXTURE_ONE_TILE), POP_INT,
                                 -0x1p31, 0x1p31 - 1, fixture.program, "x");
    fixture_run_all(&fixture, out, got, DRAWS);
    uint32_t words[4] = { 9 ^ 0x55555555u, 0xaaaaaaa0u };
    philox(words, 5, 6);
    struct generator g = load(words);
    for (size_t i = 0; i < DRAWS; ++i)
        for (size_t k = 0; k < sizes[i]; k += 2) {
            uint32_t two[2];
            draw_words(&g, two, 2);
            for (size_t j = k; j < k + 2 && j < sizes[i]; ++j)
                if (got[i][j] != (double)two[j - k] - 0x1p31)
                    fail_msg("element %zu of draw %zu", j, i);
        }
    fixture_close(&fixture);
}

/* Poplibs 1.2's estimators; the guide's 146 cycles of SetSeedSupervisor. */
static void estimates_follow_the_formulas(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 1, add_codelets);
    static const struct {
        const char *type;
        pop_type element;
        uint64_t cycles; /* for 100 elements */
    } table[] = {
        { "SetSeedSupervisor", POP_TYPE_NULL, 146 },
        { "UniformSupervisor<float>", POP_FLOAT, 4 + 132 + 4 * 3 + 4 },
        { "UniformSupervisor<half>", POP_HALF, 4 + 144 + 4 * 6 + 12 },
        { "UniformSupervisor<int>", POP_INT, 4 + 132 + 300 },
        { "BernoulliSupervisor<float>", POP_FLOAT, 4 + 126 + 3 + 9 },
        { "BernoulliSupervisor<half>", POP_HALF, 4 + 138 + 6 + 9 },
        { "NormalSupervisor<float>", POP_FLOAT, 4 + 132 + 200 + 3 },
        { "NormalSupervisor<half>", POP_HALF, 4 + 144 + 100 + 12 },
        { "TruncatedNormalSupervisor<float>", POP_FLOAT, 4 + 156 + (11 * 3 + 5) * 50 },
        { "TruncatedNormalSupervisor<half>", POP_HALF, 4 + 168 + (12 * 3 + 5) * 25 },
        { "DropoutSupervisor<float>", POP_FLOAT, 6 + 144 + 100 + 1 },
        { "DropoutSupervisor<half>", POP_HALF, 6 + 144 + 50 + 9 },
        { "LogUniformSupervisor<float>", POP_FLOAT, 4 + 132 + 4 * 3 + 4 + 150 },
    };
    pop_compute_set set = pop_graph_add_compute_set(fixture.graph, "estimates");
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); ++i) {
        char name[64];
        snprintf(name, sizeof(name), "poprand::%s", table[i].type);
        pop_vertex vertex = pop_graph_add_vertex(fixture.graph, set, name);
        if (table[i].element)
            pop_graph_connect(fixture.graph, vertex, "out",
                              pop_graph_add_variable(fixture.graph, table[i].element, POP_SHAPE(100), "t"));
        if (strncmp(table[i].type, "Truncated", 9) == 0)
            pop_graph_set_field_int(fixture.graph, vertex, "iterations", 3);
        assert_int_equal(pop_graph_get_perf_estimate(fixture.graph, vertex).cycles, table[i].cycles);
    }
    fixture_close(&fixture);
}

static void test_errors_and_empty_tensors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 3, add_codelets);
    pop_graph *graph = fixture.graph;
    pop_tensor seed = seed_of(&fixture, 1, 2), r = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(3), FIXTURE_LINEAR),
               whole = fixture_input(&fixture, POP_INT, POP_SHAPE(3), FIXTURE_LINEAR);
    poprand_set_seed(graph, r, 0, fixture.program, "x");
    assert_error(graph, POP_TYPE_ERROR, "poprand_set_seed", "3 elements of type float; 2 of type unsigned int");
    poprand_uniform(graph, &whole, 0, r, POP_FLOAT, 0, 1, fixture.program, "x");
    assert_error(graph, POP_TYPE_ERROR, "poprand_uniform", "the seed has 3");
    poprand_uniform(graph, &seed, 0, r, POP_BOOL, 0, 1, fixture.program, "x");
    assert_error(graph, POP_TYPE_ERROR, "poprand_uniform", "type bool are not possible; half, float or int");
    poprand_normal(graph, &seed, 0, r, POP_INT, 0, 1, fixture.program, "x");
    assert_error(graph, POP_TYPE_ERROR, "poprand_normal", "type int are not possible; half or float are");
    poprand_uniform(graph, &seed, 0, r, POP_FLOAT, 1, 0, fixture.program, "x");
    assert_error(graph, POP_POPLAR_ERROR, "poprand_uniform", "from 1 to 0");
    poprand_uniform(graph, &seed, 0, r, POP_HALF, 0, 70000, fixture.program, "x");
    assert_error(graph, POP_POPLAR_ERROR, "poprand_uniform", "not all numbers from 0 to 70000 are values of type half");
    poprand_uniform(graph, &seed, 0, r, POP_INT, 0.2, 0.7, fixture.program, "x");
    assert_error(graph, POP_POPLAR_ERROR, "poprand_uniform", "no value of type int");
    poprand_log_uniform(graph, &seed, 0, r, POP_FLOAT, 0, 7, fixture.program, "x");
    assert_error(graph, POP_POPLAR_ERROR, "poprand_log_uniform", "above 0");
    poprand_bernoulli(graph, &seed, 0, r, POP_FLOAT, 1.5, fixture.program, "x");
    assert_error(graph, POP_POPLAR_ERROR, "poprand_bernoulli", "1.5 is not a probability");
    poprand_normal(graph, &seed, 0, r, POP_FLOAT, 0, -1, fixture.program, "x");
    assert_error(graph, POP_POPLAR_ERROR, "poprand_normal", "standard deviation -1");
    poprand_truncated_normal(graph, &seed, 0, r, POP_FLOAT, 0, 1, 0, fixture.program, "x");
    assert_error(graph, POP_POPLAR_ERROR, "poprand_truncated_normal", "more than 0");
    poprand_dropout(graph, &seed, 0, whole, whole, 0.5, 2, fixture.program, "x");
    assert_error(graph, POP_TYPE_ERROR, "poprand_dropout", "type int");
    poprand_dropout(graph, &seed, 0, r, pop_tensor_slice(r, 0, 2, 0), 0.5, 2, fixture.program, "x");
    assert_error(graph, POP_POPLAR_ERROR, "poprand_dropout", "shape {3} and the reference {2}");
    pop_tensor loose = pop_graph_add_variable(graph, POP_UNSIGNED_INT, POP_SHAPE(2), "loose"),
               floats = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(3), "floats");
    poprand_set_seed(graph, loose, 0, fixture.program, "x");
    assert_error(graph, POP_INVALID_TILE_MAPPING, "poprand_set_seed", "the seed");
    poprand_uniform(graph, &loose, 0, r, POP_FLOAT, 0, 1, fixture.program, "x");
    assert_error(graph, POP_INVALID_TILE_MAPPING, "poprand_uniform", "the seed");
    poprand_normal(graph, &seed, 0, floats, POP_FLOAT, 0, 1, fixture.program, "x");
    assert_error(graph, POP_INVALID_TILE_MAPPING, "poprand_normal", "the reference");
    poprand_dropout(graph, &seed, 0, floats, r, 0.5, 2, fixture.program, "x");
    assert_error(graph, POP_INVALID_TILE_MAPPING, "poprand_dropout", "the input");
    poprand_shaped_dropout(graph, &seed, 0, floats, r, 0.5, 2, fixture.program, "x");
    assert_error(graph, POP_INVALID_TILE_MAPPING, "poprand_shaped_dropout", "the input");
    poprand_shaped_dropout(graph, &seed, 0, r, pop_tensor_slice(r, 0, 2, 0), 0.5, 2, fixture.program, "x");
    assert_error(graph, POP_POPLAR_ERROR, "poputil_broadcast_to_match_shape", "{2}");
    poprand_uniform(graph, NULL, 0, (pop_tensor){ 0 }, POP_FLOAT, 0, 1, fixture.program, "x");
    assert_error(graph, POP_POPLAR_ERROR, "poprand_uniform", "null");
    assert_int_equal(pop_tensor_num_elements(poprand_uniform(graph, NULL, 0, pop_tensor_slice(r, 1, 1, 0), POP_HALF, 0,
                                                             1, fixture.program, "x")),
                     0);
    assert_int_equal(
        pop_tensor_rank(poprand_bernoulli(graph, &seed, 0, pop_tensor_at(r, 1), POP_INT, 0.5, fixture.program, "x")),
        0);
    assert_built(graph);
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distributions),
        cmocka_unit_test(test_streams_are_independent),
        cmocka_unit_test(test_half_within_range),
        cmocka_unit_test(test_dropout),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_reproducible),
        cmocka_unit_test(test_philox),
        cmocka_unit_test(test_generators),
        cmocka_unit_test(test_draws_in_parts),
        cmocka_unit_test(estimates_follow_the_formulas),
        cmocka_unit_test(test_errors_and_empty_tensors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
