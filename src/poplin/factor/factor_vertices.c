/* SPDX-License-Identifier: Apache-2.0 */
/* poplin::experimental::Householder, ReflectRows and EliminateRows: what a step of a QR or LU factorisation does to a
 * worker's rows. */
#ifdef __POPC__
#include <math.h>
#include <poplar/vertex.h>

/* The unit vector whose reflection turns a column into a multiple of its first unit vector. */
POP_VERTEX(Householder)
{
    POP_INPUT(POP_VECTOR(float)) column;
    POP_OUTPUT(POP_VECTOR(float, ONE_PTR)) v;
};
POP_VERTEX_NAME(Householder, "poplin::experimental::Householder");
void Householder_compute(Householder *v)
{
    const float *a = v->column.data;
    size_t size = v->column.size;
    float squares = 0, rest = 0;
    for (size_t i = 1; i < size; ++i)
        rest += a[i] * a[i];
    squares = rest + a[0] * a[0];
    float first = a[0] + (a[0] < 0 ? -sqrtf(squares) : sqrtf(squares));
    float length = sqrtf(rest + first * first);
    for (size_t i = 0; i < size; ++i)
        v->v.data[i] = length > 0 ? (i ? a[i] : first) / length : 0;
}

/* x - 2 (v . x) v for each row x. */
POP_VERTEX(ReflectRows)
{
    POP_INPUT(POP_VECTOR(float)) v;
    POP_INOUT(POP_VECTOR(float)) rows;
};
POP_VERTEX_NAME(ReflectRows, "poplin::experimental::ReflectRows");
void ReflectRows_compute(ReflectRows *vertex)
{
    const float *v = vertex->v.data;
    size_t size = vertex->v.size;
    for (float *x = vertex->rows.data, *end = x + vertex->rows.size; size && x < end; x += size) {
        float product = 0;
        for (size_t i = 0; i < size; ++i)
            product += v[i] * x[i];
        for (size_t i = 0; i < size; ++i)
            x[i] -= 2 * product * v[i];
    }
}

/* Subtracts the multiple of the pivot row that makes the first element of each row 0; lower receives the factors. */
POP_VERTEX(EliminateRows)
{
    POP_INPUT(POP_VECTOR(float)) pivot;
    POP_INOUT(POP_VECTOR(float, ONE_PTR)) rows;
    POP_OUTPUT(POP_VECTOR(float)) lower;
};
POP_VERTEX_NAME(EliminateRows, "poplin::experimental::EliminateRows");
void EliminateRows_compute(EliminateRows *vertex)
{
    const float *pivot = vertex->pivot.data;
    size_t size = vertex->pivot.size;
    float *x = vertex->rows.data;
    for (size_t row = 0; row < vertex->lower.size; ++row, x += size) {
        float factor = x[0] / pivot[0];
        vertex->lower.data[row] = factor;
        x[0] = 0;
        for (size_t i = 1; i < size; ++i)
            x[i] -= factor * pivot[i];
    }
}

#else
#include "poplibs/support.h"
#include "poplin/vertices.h"

/* Poplibs 3.1 (QR) and 3.3 (LU): the cycles of one worker. */
static pop_perf householder(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    return (pop_perf){ 47 + 5 * pop_vertex_view_field_size(vertex, "column", POP_WHOLE), 0 };
}
static pop_perf reflect(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    uint64_t size = pop_vertex_view_field_size(vertex, "v", POP_WHOLE),
             rows = size ? pop_vertex_view_field_size(vertex, "rows", POP_WHOLE) / size : 0;
    return (pop_perf){ 80 + rows * (76 + 7 * size), 0 };
}
static pop_perf eliminate(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    return (pop_perf){ 10 + pop_vertex_view_field_size(vertex, "lower", POP_WHOLE) *
                                (8 + 7 * pop_vertex_view_field_size(vertex, "pivot", POP_WHOLE)),
                       0 };
}

void register_factor_vertices(pop_graph *graph)
{
    pop_graph_register_perf_estimator(graph, "poplin::experimental::Householder", householder, NULL);
    pop_graph_register_perf_estimator(graph, "poplin::experimental::ReflectRows", reflect, NULL);
    pop_graph_register_perf_estimator(graph, "poplin::experimental::EliminateRows", eliminate, NULL);
}
#endif
