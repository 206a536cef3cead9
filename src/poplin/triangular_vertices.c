/* SPDX-License-Identifier: Apache-2.0 */
/* poplin::TriangularSolve<T>: right-hand sides, each of which becomes its solution; poplin::Cholesky<T>: a matrix that becomes its lower factor.  A matrix is n rows of n
 * elements, one after the other, and only its lower triangle is read.  Sums are in float. */
#include "poplibs/vertex_types.h"

#ifdef __POPC__
#include <poplar/vertex.h>

#define VERTICES_OF(tag, T, text)                                                                                      \
    POP_VERTEX(TriangularSolve_##tag) {                                                                                \
        POP_INPUT(POP_VECTOR(T, ONE_PTR)) a;                                                                           \
        POP_INOUT(POP_VECTORS(T)) x;                                                                                   \
        POP_STATE(bool) unitDiagonal;                                                                                  \
    };                                                                                                                 \
    POP_VERTEX_NAME(TriangularSolve_##tag, "poplin::TriangularSolve<" text ">");                                       \
    void TriangularSolve_##tag##_compute(TriangularSolve_##tag *v)                                                     \
    {                                                                                                                  \
        for (size_t column = 0; column < v->x.size; ++column) {                                                        \
            T *x = v->x.data[column].data;                                                                             \
            size_t n = v->x.data[column].size;                                                                         \
            const T *row = v->a.data;                                                                                  \
            for (size_t i = 0; i < n; ++i, row += n) {                                                                 \
                float sum = (float)x[i];                                                                               \
                for (size_t k = 0; k < i; ++k)                                                                         \
                    sum -= (float)row[k] * (float)x[k];                                                                \
                x[i] = (T)(v->unitDiagonal ? sum : sum / (float)row[i]);                                               \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    POP_VERTEX(Cholesky_##tag) {                                                                                       \
        POP_INOUT(POP_VECTOR(T, ONE_PTR)) a;                                                                           \
        POP_STATE(unsigned) dim;                                                                                       \
    };                                                                                                                 \
    POP_VERTEX_NAME(Cholesky_##tag, "poplin::Cholesky<" text ">");                                                     \
    void Cholesky_##tag##_compute(Cholesky_##tag *v)                                                                   \
    {                                                                                                                  \
        T *row = v->a.data;                                                                                            \
        for (size_t i = 0; i < v->dim; ++i, row += v->dim) {                                                           \
            const T *other = v->a.data;                                                                                \
            for (size_t j = 0; j <= i; ++j, other += v->dim) {                                                         \
                float sum = (float)row[j];                                                                             \
                for (size_t k = 0; k < j; ++k)                                                                         \
                    sum -= (float)row[k] * (float)other[k];                                                            \
                row[j] = (T)(j < i ? sum / (float)other[j] : __builtin_sqrtf(sum));                                    \
            }                                                                                                          \
        }                                                                                                              \
    }
POPLIBS_FLOATING(VERTICES_OF)

#else
#include "poplibs/support.h"
#include "poplin/vertices.h"

/* No formula is published for these.  As straight code of a worker: a step of an inner product is two loads, a multiplication and a subtraction (half: two
 * conversions more); a row begins and ends in 12 cycles, a division takes 6, a square root 8. */
enum { START = 15, ROW = 12, DIVISION = 6, ROOT = 8 };
static uint64_t step_cycles(void *user)
{
    return poplibs_type_of_user(user) == POP_HALF ? 6 : 4;
}
static pop_perf estimate_solve(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target;
    uint64_t cycles = START, flops = 0;
    for (size_t i = 0, columns = pop_vertex_view_field_size(vertex, "x", POP_WHOLE); i < columns; ++i) {
        uint64_t n = pop_vertex_view_field_size(vertex, "x", i);
        cycles += n * (ROW + DIVISION) + n * (n - 1) / 2 * step_cycles(user);
        flops += n * n;
    }
    return (pop_perf){ cycles, flops };
}
static pop_perf estimate_cholesky(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target;
    uint64_t n = (uint64_t)pop_vertex_view_field_value(vertex, "dim", 0), elements = n * (n + 1) / 2, steps = (n - 1) * n * (n + 1) / 6;
    return (pop_perf){ START + elements * (ROW + DIVISION) + n * ROOT + steps * step_cycles(user), 2 * steps + elements };
}

void poplin_triangular_vertices(pop_graph *graph)
{
#define REGISTER(tag, T, text)                                                                                         \
    pop_graph_register_perf_estimator(graph, "poplin::TriangularSolve<" text ">", estimate_solve, poplibs_as_user(pop_type_by_name(text))); \
    pop_graph_register_perf_estimator(graph, "poplin::Cholesky<" text ">", estimate_cholesky, poplibs_as_user(pop_type_by_name(text)));
    POPLIBS_FLOATING(REGISTER)
}
#endif
