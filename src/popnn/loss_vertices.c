/* SPDX-License-Identifier: Apache-2.0 */
/* popnn::LossSumSquaredTransform<T> and LossCrossEntropyTransform<T>: gradients, and what each element gives to the loss, of one region, which may span
 * rows; ...2D: of pieces of single rows.  popnn::CalcAccuracy<L>: labels compared. */
#include "poplibs/vertex_types.h"

#ifdef __POPC__
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math") /* loops become vectors */
#endif
#include "poplibs/vector_math.h"

#include <poplar/vertex.h>

#define MASKED 0xffffffffu

struct scales {
    float deltas, outputs;
};

/* One row, or a part of it: right is the column of the right class, counted from the part's first. */
#define LOSSES_OF(tag, type, text, smallest_normal)                                                                    \
    static inline void squared_##tag(const type *probs, type *deltas, type *losses, size_t n, unsigned right, const struct scales *scales) \
    {                                                                                                                  \
        (void)scales;                                                                                                  \
        for (size_t i = 0; i < n; ++i) {                                                                               \
            float delta = (float)probs[i] - (i == right ? 1.0f : 0.0f);                                                \
            deltas[i] = (type)delta;                                                                                   \
            losses[i] = (type)(0.5f * delta * delta);                                                                  \
        }                                                                                                              \
    }                                                                                                                  \
    static inline void entropy_##tag(const type *probs, type *deltas, type *losses, size_t n, unsigned right, const struct scales *scales) \
    {                                                                                                                  \
        float scale = scales->deltas / scales->outputs;                                                                \
        for (size_t i = 0; i < n; ++i) {                                                                               \
            deltas[i] = (type)(scale * ((float)probs[i] - (i == right ? scales->outputs : 0.0f)));                     \
            losses[i] = (type)0.0f;                                                                                    \
        }                                                                                                              \
        if (right < n) {                                                                                               \
            float p = (float)probs[right];                                                                             \
            losses[right] = (type)(poplibs_log(scales->outputs) - poplibs_log(p < smallest_normal ? smallest_normal : p)); \
        }                                                                                                              \
    }                                                                                                                  \
    static inline void nothing_##tag(type *deltas, type *losses, size_t n)                                             \
    {                                                                                                                  \
        for (size_t i = 0; i < n; ++i)                                                                                 \
            deltas[i] = losses[i] = (type)0.0f;                                                                        \
    }
LOSSES_OF(half, half, "half", 6.10351562e-5f)
LOSSES_OF(float, float, "float", 1.17549435e-38f)

/* expected: the labels of the rows that the region touches; column: where in its row it begins. */
#define VERTICES_OF(tag, type, text, function, Name)                                                                   \
    POP_VERTEX(Name##_##tag) {                                                                                         \
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
        struct scales scales = { .deltas = (float)*v->deltasScale, .outputs = (float)*v->modelOutputScaling };         \
        unsigned column = v->column;                                                                                   \
        for (size_t i = 0, row = 0; i < v->transformed.size; ++row, column = 0) {                                      \
            size_t left = v->transformed.size - i, n = v->classes - column < left ? v->classes - column : left;        \
            unsigned label = v->expected.data[row];                                                                    \
            if (label == MASKED)                                                                                       \
                nothing_##tag(v->deltas.data + i, v->transformed.data + i, n);                                         \
            else                                                                                                       \
                function##_##tag(v->probs.data + i, v->deltas.data + i, v->transformed.data + i, n, label - column, &scales); \
            i += n;                                                                                                    \
        }                                                                                                              \
    }                                                                                                                  \
    POP_VERTEX(Name##2D_##tag) {                                                                                       \
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
        struct scales scales = { .deltas = (float)*v->deltasScale, .outputs = (float)*v->modelOutputScaling };         \
        for (size_t i = 0; i < v->transformed.size; ++i) {                                                             \
            size_t n = v->transformed.data[i].size;                                                                    \
            unsigned label = v->expected.data[i];                                                                      \
            if (label == MASKED)                                                                                       \
                nothing_##tag(v->deltas.data[i].data, v->transformed.data[i].data, n);                                 \
            else                                                                                                       \
                function##_##tag(v->probs.data[i].data, v->deltas.data[i].data, v->transformed.data[i].data, n, label - v->columns.data[i], &scales); \
        }                                                                                                              \
    }
VERTICES_OF(half, half, "half", squared, LossSumSquaredTransform)
VERTICES_OF(float, float, "float", squared, LossSumSquaredTransform)
VERTICES_OF(half, half, "half", entropy, LossCrossEntropyTransform)
VERTICES_OF(float, float, "float", entropy, LossCrossEntropyTransform)

POP_VERTEX(CalcAccuracy) {
    POP_INPUT(POP_VECTOR(unsigned)) maxPerBatch;
    POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) expected;
    POP_OUTPUT(unsigned) numCorrect;
};
POP_VERTEX_NAME(CalcAccuracy, "popnn::CalcAccuracy<unsigned int>");
void CalcAccuracy_compute(CalcAccuracy *v)
{
    unsigned correct = 0;
    for (size_t i = 0; i < v->maxPerBatch.size; ++i)
        correct += v->maxPerBatch.data[i] == v->expected.data[i];
    *v->numCorrect = correct;
}

#else
#include "poplibs/support.h"
#include "popnn/vertices.h"

/* 19 + 4 cycles for each element, or two halves; 20 + 9 (poplibs.md 2.2).  A piece of a vertex of several costs 6 more, as rows of other 2D forms do. */
static uint64_t loss_cycles(void *user, size_t n)
{
    bool entropy = (uintptr_t)user & 1, half = (uintptr_t)user & 2;
    return entropy ? 9 * n : 4 * (half ? poplibs_ceil_div(n, 2) : n);
}
static pop_perf estimate_loss(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target;
    return (pop_perf){ ((uintptr_t)user & 1 ? 20 : 19) + loss_cycles(user, pop_vertex_view_field_size(vertex, "transformed", POP_WHOLE)), 0 };
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
    pop_graph_register_perf_estimator(graph, "popnn::LossSumSquaredTransform<" text ">", estimate_loss, poplibs_as_user(half)); \
    pop_graph_register_perf_estimator(graph, "popnn::LossSumSquaredTransform2D<" text ">", estimate_loss_2d, poplibs_as_user(half)); \
    pop_graph_register_perf_estimator(graph, "popnn::LossCrossEntropyTransform<" text ">", estimate_loss, poplibs_as_user(half + 1)); \
    pop_graph_register_perf_estimator(graph, "popnn::LossCrossEntropyTransform2D<" text ">", estimate_loss_2d, poplibs_as_user(half + 1));
    REGISTER(half, half, "half", 2)
    REGISTER(float, float, "float", 0)
    pop_graph_register_perf_estimator(graph, "popnn::CalcAccuracy<unsigned int>", estimate_accuracy, NULL);
}
#endif
