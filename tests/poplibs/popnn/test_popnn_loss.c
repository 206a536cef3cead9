/* SPDX-License-Identifier: Apache-2.0 */
/* Losses and gradients against double precision, with labels of all kinds; accuracy; costs of vertices. */
#include "poplibs/numeric.h"

#include <popnn/codelets.h>
#include <popnn/loss.h>
#include <popops/codelets.h>

static void add_codelets(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    popnn_add_codelets_at(where, graph);
}

struct sizes {
    size_t batch, classes;
    enum fixture_mapping mapping;
};
static const struct sizes shapes[] = { { 7, 11, FIXTURE_LINEAR },
                                       { 5, 13, FIXTURE_SCATTERED },
                                       { 1, 1, FIXTURE_ONE_TILE },
                                       { 3, 101, FIXTURE_LINEAR },
                                       { 17, 3, FIXTURE_ONE_TILE } };

/* Labels of every class, an invalid one, a masked one. */
static pop_tensor labels_of(struct fixture *fixture, pop_type type, const struct sizes *sizes, double *labels)
{
    for (size_t i = 0; i < sizes->batch; ++i)
        labels[i] = (double)(i * 7 % sizes->classes);
    if (sizes->batch > 4) {
        labels[3] = type == POP_INT ? -1 : 4294967295.0;
        labels[4] = (double)sizes->classes + 5;
    }
    pop_tensor t = pop_graph_add_variable(fixture->graph, type, POP_SHAPE(sizes->batch), "labels");
    fixture_map(fixture, t, FIXTURE_SCATTERED);
    fixture_write(fixture, t, labels, 0, 0);
    return t;
}
static bool masked(double label)
{
    return label < 0 || label == 4294967295.0;
}

static void test_losses(void **state)
{
    (void)state;
    for (unsigned test = 0; test < 5 * 2 * 2 * 2; ++test) {
        const struct sizes *sizes = &shapes[test % 5];
        pop_type type = test / 5 % 2 ? POP_HALF : POP_FLOAT;
        popnn_loss_type loss_type = test / 10 % 2 ? POPNN_CROSS_ENTROPY_LOSS : POPNN_SUM_SQUARED_LOSS;
        struct fixture fixture = fixture_open(test / 20 ? FIXTURE_MODEL : FIXTURE_CPU, 5, add_codelets);
        double labels[32], *got[3];
        pop_tensor probs =
            fixture_input_of(&fixture, type, POP_SHAPE(sizes->batch, sizes->classes), sizes->mapping, 0.05, 1);
        pop_tensor expected = labels_of(&fixture, test % 2 ? POP_INT : POP_UNSIGNED_INT, sizes, labels);
        pop_tensor outputs[3] = { pop_graph_add_variable(fixture.graph, type, POP_SHAPE(sizes->batch), "loss"),
                                  pop_graph_clone(fixture.graph, POP_TYPE_NULL, probs,
                                                  POP_CLONE_PRESERVE_ORDER_AND_ALIASES, "deltas"),
                                  pop_graph_add_variable(fixture.graph, POP_UNSIGNED_INT, POP_SHAPE(1), "correct") };
        fixture_map(&fixture, outputs[0], FIXTURE_LINEAR);
        pop_graph_set_tile_mapping(fixture.graph, outputs[2],
                                   pop_target_num_tiles(pop_graph_target(fixture.graph)) - 1);
        fixture_write(&fixture, outputs[2], &(double){ 3 }, 0, 0); /* the count is added to */
        pop_sequence_add(fixture.program, popnn_calc_loss_and_accuracy(fixture.graph, probs, expected, outputs[0],
                                                                       outputs[1], outputs[2], loss_type, "loss"));
        fixture_run_all(&fixture, outputs, got, 3);
        double *p = fixture_given(&fixture, probs), losses[32],
               *deltas = calloc(sizes->batch * sizes->classes, sizeof(double)), correct = 0;
        for (size_t i = 0; i < sizes->batch; ++i) {
            size_t largest = 0;
            losses[i] = 0;
            for (size_t k = 0; k < sizes->classes; ++k) {
                double value = p[i * sizes->classes + k], e = (double)k == labels[i];
                largest = value > p[i * sizes->classes + largest] ? k : largest;
                if (masked(labels[i]))
                    continue;
                deltas[i * sizes->classes + k] = value - e;
                losses[i] += loss_type == POPNN_SUM_SQUARED_LOSS ? 0.5 * (value - e) * (value - e) : -e * log(value);
            }
            correct += (double)largest == labels[i];
        }
        fixture_check(got[0], losses, sizes->batch, type == POP_HALF ? 0.002 : 2e-6, type == POP_HALF ? 3e-4 : 1e-6);
        fixture_check(got[1], deltas, sizes->batch * sizes->classes, type == POP_HALF ? 0.0006 : 2e-7,
                      type == POP_HALF ? 1e-7 : 0);
        assert_true(got[2][0] == correct + 3);
        free(deltas);
        fixture_close(&fixture);
    }
}

/* EPS_LOG_N_HALF = 2^-24 and EPS_LOG_N_FLOAT are added to p, so a probability of 0 has a finite loss, and small ones
 * keep theirs. */
static void test_entropy_of_small_probabilities(void **state)
{
    (void)state;
    static const double p[] = { 0, 0x1p-24, 0x1p-23, 0x1p-20, 0x1p-15, 0x1p-14, 0x1p-10, 1 };
    for (unsigned test = 0; test < 4; ++test) {
        struct fixture fixture = fixture_open(test / 2 ? FIXTURE_MODEL : FIXTURE_CPU, 3, add_codelets);
        bool half = test % 2;
        pop_type type = half ? POP_HALF : POP_FLOAT;
        pop_tensor probs = pop_graph_add_variable(fixture.graph, type, POP_SHAPE(8, 1), "p"),
                   labels = pop_graph_add_variable(fixture.graph, POP_INT, POP_SHAPE(8), "labels");
        pop_tensor outputs[] = { pop_graph_add_variable(fixture.graph, type, POP_SHAPE(8), "loss"),
                                 pop_graph_add_variable(fixture.graph, type, POP_SHAPE(8, 1), "deltas") };
        fixture_map(&fixture, probs, FIXTURE_LINEAR);
        fixture_map(&fixture, labels, FIXTURE_ONE_TILE);
        fixture_map(&fixture, outputs[0], FIXTURE_ONE_TILE);
        fixture_map(&fixture, outputs[1], FIXTURE_SCATTERED);
        fixture_write(&fixture, probs, p, 0, 0);
        fixture_write(&fixture, labels, (double[8]){ 0 }, 0, 0);
        pop_sequence_add(fixture.program, popnn_calc_loss(fixture.graph, probs, labels, outputs[0], outputs[1],
                                                          POPNN_CROSS_ENTROPY_LOSS, "loss"));
        double *got[2], wanted[8];
        fixture_run_all(&fixture, outputs, got, 2);
        for (size_t i = 0; i < 8; ++i)
            wanted[i] = -log(p[i] + (half ? 0x1p-24 : 0x1p-126));
        fixture_check(got[0], wanted, 8, half ? 0.0005 : 1e-7, half ? 1e-7 : 0);
        fixture_close(&fixture);
    }
}

/* Outputs of a scaled softmax and scaled gradients, in half: the loss is that of the probabilities. */
static void test_scaled_entropy(void **state)
{
    (void)state;
    for (unsigned half = 0; half < 2; ++half) {
        struct fixture fixture = fixture_open(FIXTURE_MODEL, 3, add_codelets);
        struct sizes sizes = { 3, 5, FIXTURE_LINEAR };
        pop_type type = half ? POP_HALF : POP_FLOAT;
        double labels[3], *got[2];
        pop_tensor probs = fixture_input_of(&fixture, type, POP_SHAPE(3, 5), FIXTURE_SCATTERED, 50, 62000),
                   expected = labels_of(&fixture, POP_UNSIGNED_INT, &sizes, labels);
        pop_tensor scales =
            pop_graph_add_constant(fixture.graph, type, POP_SHAPE(2), POP_FLOAT, (float[]){ 1024, 62000 }, "scales");
        pop_graph_set_tile_mapping(fixture.graph, scales, 1);
        pop_tensor outputs[2] = { pop_graph_add_variable(fixture.graph, type, POP_SHAPE(3), "loss"),
                                  pop_graph_add_variable(fixture.graph, type, POP_SHAPE(3, 5), "deltas") };
        fixture_map(&fixture, outputs[0], FIXTURE_LINEAR);
        fixture_map(&fixture, outputs[1], FIXTURE_ONE_TILE);
        pop_sequence_add(fixture.program,
                         popnn_calc_loss_scaled(fixture.graph, probs, expected, outputs[0], outputs[1],
                                                pop_tensor_at(scales, 0), pop_tensor_slice(scales, 1, 2, 0),
                                                POPNN_CROSS_ENTROPY_LOSS, "loss"));
        fixture_run_all(&fixture, outputs, got, 2);
        double *p = fixture_given(&fixture, probs), losses[3] = { 0 }, deltas[15],
               scaling = half ? 62016 : 62000; /* the nearest half */
        for (size_t i = 0; i < 15; ++i) {
            deltas[i] = 1024 * (p[i] / scaling - (i % 5 == labels[i / 5]));
            if (i % 5 == labels[i / 5])
                losses[i / 5] = -log(p[i] / scaling);
        }
        fixture_check(got[0], losses, 3, half ? 0.001 : 2e-6, 1e-6);
        fixture_check(got[1], deltas, 15, half ? 0.0006 : 1e-6, half ? 0 : 1e-4);
        fixture_close(&fixture);
    }
}

static void test_accuracy_alone(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 4, add_codelets);
    pop_tensor outputs = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(9, 6), FIXTURE_SCATTERED),
               counts = pop_graph_add_variable(fixture.graph, POP_UNSIGNED_INT, POP_SHAPE(2), "n");
    double *given = fixture_given(&fixture, outputs), right[9];
    for (size_t i = 0; i < 9; ++i) {
        right[i] = 0;
        for (size_t k = 1; k < 6; ++k)
            right[i] = given[6 * i + k] > given[6 * i + (size_t)right[i]] ? (double)k : right[i];
        right[i] = i == 2 ? fmod(right[i] + 1, 6) : right[i];
    }
    pop_tensor labels = pop_graph_add_variable(fixture.graph, POP_INT, POP_SHAPE(9), "labels");
    fixture_map(&fixture, labels, FIXTURE_LINEAR);
    fixture_write(&fixture, labels, right, 0, 0);
    pop_graph_set_tile_mapping(fixture.graph, counts, 3);
    fixture_write(&fixture, counts, (double[]){ 0, 5 }, 0, 0);
    pop_sequence_add(fixture.program,
                     popnn_calc_accuracy(fixture.graph, outputs, labels, pop_tensor_at(counts, 0), "a"));
    pop_sequence_add(fixture.program,
                     popnn_calc_accuracy(fixture.graph, outputs, labels, pop_tensor_at(counts, 0), "again"));
    pop_tensor none = pop_tensor_slice(outputs, 0, 0, 0), no_labels = pop_tensor_slice(labels, 0, 0, 0);
    pop_sequence_add(fixture.program,
                     popnn_calc_accuracy(fixture.graph, none, no_labels, pop_tensor_at(counts, 1), "none"));
    double *got = fixture_run(&fixture, counts);
    assert_true(got[0] == 16 && got[1] == 5);
    fixture_close(&fixture);
}

/* The guide: 99 cycles for 20 elements, 78 for 16 labels. */
static void estimates_follow_the_formulas(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 1, add_codelets);
    static const struct {
        const char *type;
        pop_type element;
        size_t n;
        uint64_t cycles;
    } table[] = {
        { "popnn::LossSumSquaredTransform<float>", POP_FLOAT, 20, 99 },
        { "popnn::LossSumSquaredTransform<half>", POP_HALF, 21, 19 + 44 },
        { "popnn::LossCrossEntropyTransform<float>", POP_FLOAT, 20, 200 },
        { "popnn::LossCrossEntropyTransform<half>", POP_HALF, 3, 47 },
        { "popnn::LossSumSquaredTransform2D<float>", POP_FLOAT, 20, 105 },
        { "popnn::CalcAccuracy<unsigned int>", POP_UNSIGNED_INT, 16, 78 },
    };
    pop_compute_set set = pop_graph_add_compute_set(fixture.graph, "estimates");
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); ++i) {
        pop_vertex vertex = pop_graph_add_vertex(fixture.graph, set, table[i].type);
        pop_tensor t = pop_graph_add_variable(fixture.graph, table[i].element, POP_SHAPE(1, table[i].n), "t");
        pop_graph_connect(fixture.graph, vertex, table[i].element == POP_UNSIGNED_INT ? "maxPerBatch" : "transformed",
                          strstr(table[i].type, "2D") ? t : pop_tensor_at(t, 0));
        assert_int_equal(pop_graph_get_perf_estimate(fixture.graph, vertex).cycles, table[i].cycles);
    }
    fixture_close(&fixture);
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 2, add_codelets);
    pop_tensor p = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(3, 4), FIXTURE_LINEAR),
               labels = fixture_input(&fixture, POP_INT, POP_SHAPE(3), FIXTURE_LINEAR);
    pop_tensor loss = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(3), FIXTURE_LINEAR),
               half = fixture_input(&fixture, POP_HALF, POP_SHAPE(3), FIXTURE_LINEAR);
    pop_tensor correct = fixture_input(&fixture, POP_UNSIGNED_INT, POP_SHAPE(), FIXTURE_ONE_TILE);
    popnn_calc_loss(fixture.graph, p, loss, loss, p, POPNN_SUM_SQUARED_LOSS, "x");
    assert_error(fixture.graph, POP_TYPE_ERROR, "popnn_calc_loss", "labels have type float");
    popnn_calc_loss(fixture.graph, p, labels, loss, p, (popnn_loss_type)7, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_calc_loss", "7 is not a loss");
    popnn_calc_loss(fixture.graph, p, pop_tensor_slice(labels, 0, 2, 0), loss, p, POPNN_SUM_SQUARED_LOSS, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_calc_loss", "{3,4} and the labels {2}");
    popnn_calc_loss(fixture.graph, p, labels, half, p, POPNN_SUM_SQUARED_LOSS, "x");
    assert_error(fixture.graph, POP_TYPE_ERROR, "popnn_calc_loss", "the loss is half");
    popnn_calc_loss(fixture.graph, p, labels, loss, pop_tensor_transpose(p), POPNN_SUM_SQUARED_LOSS, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_calc_loss", "the deltas {4,3}");
    popnn_calc_loss_scaled(fixture.graph, p, labels, loss, p, pop_tensor_at(loss, 0), (pop_tensor){ 0 },
                           POPNN_SUM_SQUARED_LOSS, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popnn_calc_loss",
                 "scale of the deltas goes with the cross entropy alone");
    popnn_calc_loss_scaled(fixture.graph, p, labels, loss, p, (pop_tensor){ 0 }, pop_tensor_at(half, 0),
                           POPNN_CROSS_ENTROPY_LOSS, "x");
    assert_error(fixture.graph, POP_TYPE_ERROR, "popnn_calc_loss", "one of type float");
    popnn_calc_loss_and_accuracy(fixture.graph, p, labels, loss, p, labels, POPNN_SUM_SQUARED_LOSS, "x");
    assert_error(fixture.graph, POP_TYPE_ERROR, "popnn_calc_loss_and_accuracy",
                 "one unsigned int, not to 3 of type int");
    popnn_calc_accuracy(fixture.graph, labels, labels, correct, "x");
    assert_error(fixture.graph, POP_TYPE_ERROR, "popnn_calc_accuracy", "half or float");
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_losses),
        cmocka_unit_test(test_entropy_of_small_probabilities),
        cmocka_unit_test(test_scaled_entropy),
        cmocka_unit_test(test_accuracy_alone),
        cmocka_unit_test(estimates_follow_the_formulas),
        cmocka_unit_test(mistakes_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
