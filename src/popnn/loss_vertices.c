/* SPDX-License-Identifier: Apache-2.0 */
/* popnn::LossSumSquaredTransform<T> and LossCrossEntropyTransform<T>: gradients, and what each element gives to the
 * loss, of one region, which may span rows; ...2D: of pieces of single rows.  popnn::CalcAccuracy<L>: labels compared,
 * hits added to a count. */
#include "poplibs/vertex_types.h"

#ifdef __POPC__
#include "poplibs/half_vectors.h"

#include <poplar/vertex.h>
#include <popops/element_functions.h>
#include <string.h>

#define MASKED 0xffffffffu

struct scales {
    float deltas, outputs;
    float smallest; /* normal number of the type */
};
#define SMALLEST_half  6.10351562e-5f
#define SMALLEST_float 1.17549435e-38f

/* One row, or a part of it: right is the column of the right class, counted from the part's first. */
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
        losses[right] = popops_logf(scales->outputs) - popops_logf(p < scales->smallest ? scales->smallest : p);
    }
}

/* Half goes through float block by block. */
enum { BLOCK = 256 };
#define ROWS_OF(function)                                                                                              \
    static void function##_float(const float *probs, float *deltas, float *losses, size_t n, size_t right,             \
                                 const struct scales *scales)                                                          \
    {                                                                                                                  \
        function(probs, deltas, losses, n, right, scales);                                                             \
    }                                                                                                                  \
    static void function##_half(const half *probs, half *deltas, half *losses, size_t n, size_t right,                 \
                                const struct scales *scales)                                                           \
    {                                                                                                                  \
        float wide[BLOCK], wide_deltas[BLOCK], wide_losses[BLOCK];                                                     \
        for (size_t at = 0, count; at < n; at += count) {                                                              \
            count = n - at < BLOCK ? n - at : BLOCK;                                                                   \
            poplibs_widen(wide, probs + at, count);                                                                    \
            function(wide, wide_deltas, wide_losses, count, right - at, scales);                                       \
            poplibs_narrow(deltas + at, wide_deltas, count);                                                           \
            poplibs_narrow(losses + at, wide_losses, count);                                                           \
        }                                                                                                              \
    }
ROWS_OF(squared)
ROWS_OF(entropy)
#define NOTHING_OF(tag, type, text)                                                                                    \
    static void nothing_##tag(type *deltas, type *losses, size_t n)                                                    \
    {                                                                                                                  \
        memset(deltas, 0, n * sizeof(*deltas));                                                                        \
        memset(losses, 0, n * sizeof(*losses));                                                                        \
    }
POPLIBS_FLOATING(NOTHING_OF)

/* expected: the labels of the rows that the region touches; column: where in its row it begins. */
#define VERTICES_OF(tag, type, text, function, Name)                                                                   \
    POP_VERTEX(Name##_##tag)                                                                                           \
    {                                                                                                                  \
        POP_INPUT(POP_VECTOR(type, ONE_PTR)) probs;                                                                    \
        POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) expected;                                                             \
        POP_OUTPUT(POP_VECTOR(type, ONE_PTR)) deltas;                                                                  \
        POP_OUTPUT(POP_VECTOR(type)) transformed;                                                                      \
        POP_INPUT(type) deltasScale;                                                                                   \
        POP_INPUT(type) modelOutputScaling;                                                                            \
        unsigned column, classes;                                                                                      \
    };                                                                                                                 \
    POP_VERTEX_NAME(Name##_##tag, "popnn::" #Name "<" text ">");                                                       \
    void Name##_##tag##_compute(Name##_##tag *v)                                                                       \
    {                                                                                                                  \
        struct scales scales = { .deltas = (float)*v->deltasScale,                                                     \
                                 .outputs = (float)*v->modelOutputScaling,                                             \
                                 .smallest = SMALLEST_##tag };                                                         \
        unsigned column = v->column;                                                                                   \
        for (size_t i = 0, row = 0; i < v->transformed.size; ++row, column = 0) {                                      \
            size_t left = v->transformed.size - i, n = v->classes - column < left ? v->classes - column : left;        \
            unsigned label = v->expected.data[row];                                                                    \
            if (label == MASKED)                                                                                       \
                nothing_##tag(v->deltas.data + i, v->transformed.data + i, n);                                         \
            else                                                                                                       \
                function##_##tag(v->probs.data + i, v->deltas.data + i, v->transformed.data + i, n,                    \
                                 (size_t)label - column, &scales);                                                     \
            i += n;                                                                                                    \
        }                                                                                                              \
    }                                                                                                                  \
    POP_VERTEX(Name##2D_##tag)                                                                                         \
    {                                                                                                                  \
        POP_INPUT(POP_VECTORS(type, ONE_PTR, ONE_PTR)) probs;                                                          \
        POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) expected;                                                             \
        POP_OUTPUT(POP_VECTORS(type, ONE_PTR, ONE_PTR)) deltas;                                                        \
        POP_OUTPUT(POP_VECTORS(type)) transformed;                                                                     \
        POP_INPUT(type) deltasScale;                                                                                   \
        POP_INPUT(type) modelOutputScaling;                                                                            \
        POP_STATE(POP_VECTOR(unsigned, ONE_PTR)) columns;                                                              \
    };                                                                                                                 \
    POP_VERTEX_NAME(Name##2D_##tag, "popnn::" #Name "2D<" text ">");                                                   \
    void Name##2D_##tag##_compute(Name##2D_##tag *v)                                                                   \
    {                                                                                                                  \
        struct scales scales = { .deltas = (float)*v->deltasScale,                                                     \
                                 .outputs = (float)*v->modelOutputScaling,                                             \
                                 .smallest = SMALLEST_##tag };                                                         \
        for (size_t i = 0; i < v->transformed.size; ++i) {                                                             \
            size_t n = v->transformed.data[i].size;                                                                    \
            unsigned label = v->expected.data[i];                                                                      \
            if (label == MASKED)                                                                                       \
                nothing_##tag(v->deltas.data[i].data, v->transformed.data[i].data, n);                                 \
            else                                                                                                       \
                function##_##tag(v->probs.data[i].data, v->deltas.data[i].data, v->transformed.data[i].data, n,        \
                                 (size_t)label - v->columns.data[i], &scales);                                         \
        }                                                                                                              \
    }
VERTICES_OF(half, half, "half", squared, LossSumSquaredTransform)
VERTICES_OF(float, float, "float", squared, LossSumSquaredTransform)
VERTICES_OF(half, half, "half", entropy, LossCrossEntropyTransform)
VERTICES_OF(float, float, "float", entropy, LossCrossEntropyTransform)

POP_VERTEX(CalcAccuracy)
{
    POP_INPUT(POP_VECTOR(unsigned)) maxPerBatch;
    POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) expected;
    POP_INOUT(unsigned) numCorrect; /* added to */
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
#include "poplibs/support.h"
#include "popnn/vertices.h"

/* 19 + 4 cycles for each element, or two halves; 20 + 9 (poplibs.md 2.2).  A piece of a vertex of several costs 6 more,
 * as rows of other 2D forms do. */
static uint64_t loss_cycles(void *user, size_t n)
{
    bool entropy = (uintptr_t)user & 1, half = (uintptr_t)user & 2;
    return entropy ? 9 * n : 4 * (half ? poplibs_ceil_div(n, 2) : n);
}
static pop_perf estimate_loss(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target;
    return (pop_perf){ ((uintptr_t)user & 1 ? 20 : 19) +
                           loss_cycles(user, pop_vertex_view_field_size(vertex, "transformed", POP_WHOLE)),
                       0 };
}
static pop_perf estimate_loss_2d(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target;
    uint64_t cycles = (uintptr_t)user & 1 ? 20 : 19;
    for (size_t i = 0, rows = pop_vertex_view_field_size(vertex, "transformed", POP_WHOLE); i < rows; ++i)
        cycles += 6 + loss_cycles(user, pop_vertex_view_field_size(vertex, "transformed", i));
    return (pop_perf){ cycles, 0 };
}
static pop_perf estimate_accuracy(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    return (pop_perf){ 14 + 4 * pop_vertex_view_field_size(vertex, "maxPerBatch", POP_WHOLE), 0 };
}

void popnn_loss_vertices(pop_graph *graph)
{
#define REGISTER(tag, type, text, half)                                                                                \
    pop_graph_register_perf_estimator(graph, "popnn::LossSumSquaredTransform<" text ">", estimate_loss,                \
                                      poplibs_as_user(half));                                                          \
    pop_graph_register_perf_estimator(graph, "popnn::LossSumSquaredTransform2D<" text ">", estimate_loss_2d,           \
                                      poplibs_as_user(half));                                                          \
    pop_graph_register_perf_estimator(graph, "popnn::LossCrossEntropyTransform<" text ">", estimate_loss,              \
                                      poplibs_as_user(half + 1));                                                      \
    pop_graph_register_perf_estimator(graph, "popnn::LossCrossEntropyTransform2D<" text ">", estimate_loss_2d,         \
                                      poplibs_as_user(half + 1));
    REGISTER(half, half, "half", 2)
    REGISTER(float, float, "float", 0)
    pop_graph_register_perf_estimator(graph, "popnn::CalcAccuracy<unsigned int>", estimate_accuracy, NULL);
}
#endif
