/* SPDX-License-Identifier: Apache-2.0 */
/* Batch norms with statistics shared by several replicas, forward and backward, against the definition on the joined
 * batch in double precision. */
#include "poplibs/replicas.h"

#include <poplin/codelets.h>
#include <popnn/norms.h>
#include <popops/collectives.h>

enum { BATCH = 3, CHANNELS = 5, FIELD = 7, EACH = BATCH * CHANNELS * FIELD, REPLICAS = 4, ALL = EACH * REPLICAS };
static const double eps = 0.01;

/* A graph with the codelets of norms. */
static void open_norms(struct replica_fixture *r)
{
    open_replica_fixture(r, REPLICAS, 4);
    poplin_add_codelets(r->graph);
}

/* Writes values to all replicas and stores them, rounded to the type. */
static void put(struct replica_fixture *r, const char *handle, pop_type type, double *values, size_t each,
                unsigned seed)
{
    for (size_t i = 0; i < REPLICAS * each; ++i)
        values[i] = (double)((i * 2654435761u + seed) % 1009) / 504.5 - 1 + (double)(i / each);
    replica_fixture_put(r, handle, type, values, each);
}

static size_t channel_of(size_t i)
{
    return i / FIELD % CHANNELS;
}

/* Of the replicas [first, first + members): statistics for each channel, and the gradients of their activations. */
static void reference(const double *x, const double *d, const double *gamma, unsigned first, unsigned members,
                      bool unbiased, double *mean, double *inverse, double *dx)
{
    size_t from = (size_t)first * EACH, to = from + (size_t)members * EACH;
    double count = (double)members * BATCH * FIELD, products[CHANNELS] = { 0 }, sums[CHANNELS] = { 0 };
    for (size_t c = 0; c < CHANNELS; ++c)
        mean[c] = inverse[c] = 0;
    for (size_t i = from; i < to; ++i)
        mean[channel_of(i)] += x[i] / count;
    for (size_t i = from; i < to; ++i)
        inverse[channel_of(i)] += pow(x[i] - mean[channel_of(i)], 2) / (unbiased ? count - 1 : count);
    for (size_t c = 0; c < CHANNELS; ++c)
        inverse[c] = 1 / sqrt(inverse[c] + eps);
    for (size_t i = from; i < to; ++i) {
        size_t c = channel_of(i);
        products[c] += (x[i] - mean[c]) * inverse[c] * d[i] * gamma[c];
        sums[c] += d[i] * gamma[c];
    }
    for (size_t i = from; i < to; ++i) {
        size_t c = channel_of(i);
        dx[i] = inverse[c] * (d[i] * gamma[c] - sums[c] / count - (x[i] - mean[c]) * inverse[c] * products[c] / count);
    }
}

/* A reduce callback of a user: the same sum, and a count of its calls. */
static void by_hand(void *context, pop_graph *graph, pop_tensor *tensors, size_t count, pop_program sequence,
                    unsigned group_size, const char *name)
{
    for (size_t i = 0; i < count; ++i)
        tensors[i] = popops_group_all_reduce(graph, tensors[i], POPOPS_COLLECTIVE_ADD,
                                             ((popops_replica_group){ POPOPS_GROUP_CONSECUTIVE, group_size, 1 }),
                                             sequence, name, POP_NO_OPTIONS);
    ++*(unsigned *)context;
}

struct variant {
    pop_type type;
    unsigned members;
    bool stable, unbiased, callback;
};

static void build(struct replica_fixture *r, const struct variant *v, unsigned *calls)
{
    const char *const names[] = { "mean", "inverse", "dx" };
    poplin_norm_reduce reduce = v->callback ? by_hand : NULL;
    unsigned batch = BATCH * v->members;
    pop_tensor x = replica_fixture_input(r, v->type, POP_SHAPE(BATCH, CHANNELS, FIELD), "x"),
               d = replica_fixture_input(r, v->type, POP_SHAPE(BATCH, CHANNELS, FIELD), "d"),
               gamma = replica_fixture_input(r, v->type, POP_SHAPE(CHANNELS), "gamma"), made[3];
    popnn_distributed_batch_norm_statistics(r->graph, x, eps, r->program, v->unbiased, reduce, calls, batch, v->stable,
                                            POP_FLOAT, "bn", POP_NO_OPTIONS, &made[0], &made[1]);
    pop_tensor white = popnn_batch_norm_whiten(r->graph, x, made[0], made[1], r->program, "bn", POP_NO_OPTIONS);
    made[2] = popnn_distributed_batch_norm_gradients(r->graph, white, d, made[1], gamma, r->program, reduce, calls,
                                                     batch, POP_FLOAT, "bn", POP_NO_OPTIONS);
    for (unsigned i = 0; i < 3; ++i)
        pop_graph_create_host_read(r->graph, names[i], made[i]);
}

static void check_variant(const struct variant *v)
{
    struct replica_fixture r;
    unsigned calls = 0;
    open_norms(&r);
    build(&r, v, &calls);
    assert_int_equal(calls, !v->callback || v->members == 1 ? 0 : v->stable ? 3 : 2);
    load_replica_fixture(&r, POP_NO_OPTIONS);
    static double x[ALL], d[ALL], dx[ALL], got[ALL], gamma[REPLICAS * CHANNELS], inverse[REPLICAS * CHANNELS],
        mean[REPLICAS * CHANNELS];
    put(&r, "x", v->type, x, EACH, 1);
    put(&r, "d", v->type, d, EACH, 77);
    put(&r, "gamma", v->type, gamma, CHANNELS, 5);
    for (unsigned i = CHANNELS; i < REPLICAS * CHANNELS; ++i)
        gamma[i] = gamma[i % CHANNELS]; /* replicas have the same parameters */
    replica_fixture_put(&r, "gamma", v->type, gamma, CHANNELS);
    run_replica_fixture(&r);
    for (unsigned first = 0; first < REPLICAS; first += v->members)
        for (unsigned i = first; i < first + v->members; ++i)
            reference(x, d, gamma, first, v->members, v->unbiased, mean + (size_t)i * CHANNELS,
                      inverse + (size_t)i * CHANNELS, dx);
    double near = v->type == POP_HALF ? 0.01 : 2e-5;
    replica_fixture_get(&r, "mean", v->type, got, CHANNELS);
    fixture_check(got, mean, REPLICAS * CHANNELS, near, near);
    replica_fixture_get(&r, "inverse", v->type, got, CHANNELS);
    fixture_check(got, inverse, REPLICAS * CHANNELS, near, near);
    for (unsigned i = 0; i < REPLICAS; ++i) /* equal bits in all members of a group */
        assert_memory_equal(got + (size_t)i * CHANNELS, got + (size_t)(i / v->members * v->members) * CHANNELS,
                            CHANNELS * sizeof(*got));
    replica_fixture_get(&r, "dx", v->type, got, EACH);
    fixture_check(got, dx, ALL, near, v->type == POP_HALF ? 0.05 : 1e-4);
    close_replica_fixture(&r);
}

static void test_groups_of_replicas(void **state)
{
    (void)state;
    static const unsigned members[] = { 1, 2, 4 };
    for (unsigned m = 0; m < 3; ++m)
        for (unsigned bits = 0; bits < 16; ++bits)
            check_variant(
                &(struct variant){ bits & 1 ? POP_HALF : POP_FLOAT, members[m], bits & 2, bits & 4, bits & 8 });
}

static void spoil(void *context, pop_graph *graph, pop_tensor *tensors, size_t count, pop_program sequence,
                  unsigned group_size, const char *name)
{
    (void)graph, (void)sequence, (void)group_size, (void)name;
    tensors[count - 1] = *(pop_tensor *)context;
}

static void expect(struct replica_fixture *r, const char *text)
{
    pop_error error = { 0 };
    assert_int_equal(pop_graph_take_error(r->graph, &error), POP_POPLAR_ERROR);
    if (!strstr(error.text, text))
        fail_msg("'%s' is not in: %s", text, error.text);
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct replica_fixture r;
    open_norms(&r);
    pop_tensor x = replica_fixture_input(&r, POP_FLOAT, POP_SHAPE(BATCH, CHANNELS), "x"),
               wrong = replica_fixture_input(&r, POP_FLOAT, POP_SHAPE(2), "w"), mean, inverse, none = { 0 };
    const struct {
        unsigned batch;
        const char *text;
    } bad[] = { { 4, "normBatchSize is 4 and the activations' batch 3" },
                { 7, "it must be a multiple of the batch" },
                { 9, "groups of 3 replicas do not divide the graph's 4" },
                { 24, "groups of 8 replicas do not divide the graph's 4" } };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); ++i) {
        poplin_distributed_norm_statistics(r.graph, x, eps, r.program, false, NULL, NULL, bad[i].batch, false,
                                           POP_FLOAT, "n", POP_NO_OPTIONS, &mean, &inverse);
        expect(&r, bad[i].text);
        poplin_distributed_norm_statistics_gradients(r.graph, x, x, wrong, r.program, NULL, NULL, bad[i].batch,
                                                     POP_FLOAT, "n", POP_NO_OPTIONS);
        expect(&r, bad[i].text);
    }
    poplin_distributed_norm_statistics(r.graph, x, eps, r.program, false, spoil, &wrong, 6, false, POP_FLOAT, "n",
                                       POP_NO_OPTIONS, &mean, &inverse);
    expect(&r, "the reduce callback returned a tensor whose shape or type differs");
    poplin_distributed_norm_statistics(r.graph, x, eps, r.program, false, spoil, &none, 6, true, POP_FLOAT, "n",
                                       POP_NO_OPTIONS, &mean, &inverse);
    expect(&r, "the result of the reduce callback");
    close_replica_fixture(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_groups_of_replicas),
                                        cmocka_unit_test(mistakes_are_errors) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
