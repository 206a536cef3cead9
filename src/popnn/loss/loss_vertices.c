/* SPDX-License-Identifier: Apache-2.0 */
/* popnn::LossSumSquaredTransform<T> and LossCrossEntropyTransform<T>: gradients, and each element's part of the
 * loss, for one region, which may span rows; ...2D: for pieces of single rows. popnn::CalcAccuracy<L>: compares
 * labels and adds the hits to a count. */
#include "poplibs/vertex_types.h"

#define TYPES POPLIBS_FLOATING

#ifdef __POPC__
#include "poplibs/half_vectors.h"

#include <poplar/vertex.h>
#include <popops/element_functions.h>
#include <string.h>

#define MASKED 0xffffffffu

struct scales {
    float deltas, outputs;
    float epsilon; /* added to a probability, so that the logarithm of 0 is finite */
};

/* A row or a part of it; right is the column of the label, relative to the part. */
static inline void squared(const float *probs, float *deltas, float *losses, size_t n, size_t right,
                           const struct scales *scales)
{
    (void)scales;
    for (size_t i = 0; i < n; ++i) {
        deltas[i] = probs[i];
        losses[i] = 0.5f * probs[i] * probs[i];
    }
    if (right < n) {
        float delta = probs[right] - 1.0f;
        deltas[right] = delta;
        losses[right] = 0.5f * delta * delta;
    }
}
static inline void entropy(const float *probs, float *deltas, float *losses, size_t n, size_t right,
                           const struct scales *scales)
{
    float scale = scales->deltas / scales->outputs;
    for (size_t i = 0; i < n; ++i) {
        deltas[i] = scale * probs[i];
        losses[i] = 0.0f;
    }
    if (right < n) {
        float p = probs[right];
        deltas[right] = scale * (p - scales->outputs);
        losses[right] = popops_logf(scales->outputs) - popops_logf(p + scales->epsilon);
    }
}

enum { BLOCK = 256 };
#define TEMPLATE "popnn/loss/loss_typed.h"
#include "poplibs/each_type.h"

POP_VERTEX(CalcAccuracy)
{
    POP_INPUT(POP_VECTOR(unsigned)) maxPerBatch;
    POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) expected;
    POP_INOUT(unsigned) numCorrect; /* incremented */
};
POP_VERTEX_NAME(CalcAccuracy, "popnn::CalcAccuracy<unsigned int>");
void CalcAccuracy_compute(CalcAccuracy *v)
{
    unsigned correct = *v->numCorrect;
    for (size_t i = 0; i < v->maxPerBatch.size; ++i)
        correct += v->maxPerBatch.data[i] == v->expected.data[i];
    *v->numCorrect = correct;
}

#else
#include "poplibs/estimates.h"
#include "popnn/vertices.h"

/* 19 + 4 cycles for each element, or two halves; 20 + 9 for cross entropy (Poplibs 1.2's estimators). A piece of a
 * 2D vertex takes 6 more, like rows of other 2D vertices. */
static uint64_t squared_cycles(size_t n, void *user)
{
    return 4 * (poplibs_type_of_user(user) == POP_HALF ? poplibs_ceil_div(n, 2) : n);
}
/* Floating-point operations for an element: difference, square and its half; for cross entropy the logarithm, two
 * products, a sum and the gradient's difference. */
enum { SQUARED_FLOPS = 3, ENTROPY_FLOPS = 5 };
static pop_perf estimate_squared(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target;
    size_t elements = pop_vertex_view_field_size(vertex, "transformed", POP_WHOLE);
    return (pop_perf){ 19 + squared_cycles(elements, user), SQUARED_FLOPS * elements };
}
static pop_perf estimate_squared_2d(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target;
    pop_perf perf = { 19, 0 };
    for (size_t i = 0, rows = pop_vertex_view_field_size(vertex, "transformed", POP_WHOLE); i < rows; ++i) {
        size_t elements = pop_vertex_view_field_size(vertex, "transformed", i);
        perf.cycles += 6 + squared_cycles(elements, user);
        perf.flops += SQUARED_FLOPS * elements;
    }
    return perf;
}
static pop_perf estimate_entropy(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    size_t elements = pop_vertex_view_field_size(vertex, "transformed", POP_WHOLE);
    return (pop_perf){ 20 + 9 * elements, ENTROPY_FLOPS * elements };
}
static pop_perf estimate_entropy_2d(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    pop_perf perf = { 20, 0 };
    for (size_t i = 0, rows = pop_vertex_view_field_size(vertex, "transformed", POP_WHOLE); i < rows; ++i) {
        size_t elements = pop_vertex_view_field_size(vertex, "transformed", i);
        perf.cycles += 6 + 9 * elements;
        perf.flops += ENTROPY_FLOPS * elements;
    }
    return perf;
}
static pop_perf estimate_accuracy(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    return (pop_perf){ 14 + 4 * pop_vertex_view_field_size(vertex, "maxPerBatch", POP_WHOLE), 0 };
}

void register_loss_vertices(pop_graph *graph)
{
    static const struct poplibs_estimate families[] = { { "popnn::LossSumSquaredTransform<%s>", estimate_squared },
                                                        { "popnn::LossSumSquaredTransform2D<%s>", estimate_squared_2d },
                                                        { "popnn::LossCrossEntropyTransform<%s>", estimate_entropy },
                                                        { "popnn::LossCrossEntropyTransform2D<%s>",
                                                          estimate_entropy_2d } };
    poplibs_register_estimates(graph, TYPES, families, sizeof(families) / sizeof(families[0]));
    pop_graph_register_perf_estimator(graph, "popnn::CalcAccuracy<unsigned int>", estimate_accuracy, NULL);
}
#endif
