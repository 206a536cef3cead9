/* SPDX-License-Identifier: Apache-2.0 */
/* poplin::TriangularSolve<T>: right-hand sides, each of which becomes its solution; poplin::Cholesky<T,lower>: a matrix that becomes its lower or upper
 * factor; poplin::TriangularInverse<T,lower>.  A matrix is n rows of n elements, one after the other, and only the one triangle is read.  Sums are in float. */
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
    }
/* Rows and columns are exchanged in upper ones: AT(i, j) is row i, column j <= i of the lower view. */
#define AT(lower, i, j) ((lower) ? (i) * n + (j) : (j) * n + (i))
#define VERTICES_OF_SIDE(tag, T, text, side, lower)                                                                    \
    POP_VERTEX(Cholesky_##tag##_##side) {                                                                              \
        POP_INOUT(POP_VECTOR(T, ONE_PTR)) a;                                                                           \
        POP_STATE(unsigned) dim;                                                                                       \
    };                                                                                                                 \
    POP_VERTEX_NAME(Cholesky_##tag##_##side, "poplin::Cholesky<" text "," #lower ">");                                 \
    void Cholesky_##tag##_##side##_compute(Cholesky_##tag##_##side *v)                                                 \
    {                                                                                                                  \
        T *a = v->a.data;                                                                                              \
        size_t n = v->dim;                                                                                             \
        for (size_t i = 0; i < n; ++i)                                                                                 \
            for (size_t j = 0; j <= i; ++j) {                                                                          \
                float sum = (float)a[AT(lower, i, j)];                                                                 \
                for (size_t k = 0; k < j; ++k)                                                                         \
                    sum -= (float)a[AT(lower, i, k)] * (float)a[AT(lower, j, k)];                                      \
                a[AT(lower, i, j)] = (T)(j < i ? sum / (float)a[AT(lower, j, j)] : __builtin_sqrtf(sum));              \
            }                                                                                                          \
    }                                                                                                                  \
    POP_VERTEX(TriangularInverse_##tag##_##side) {                                                                     \
        POP_INPUT(POP_VECTOR(T, ONE_PTR)) in;                                                                          \
        POP_OUTPUT(POP_VECTOR(T, ONE_PTR)) out;                                                                        \
        POP_STATE(unsigned) dim;                                                                                       \
    };                                                                                                                 \
    POP_VERTEX_NAME(TriangularInverse_##tag##_##side, "poplin::TriangularInverse<" text "," #lower ">");               \
    void TriangularInverse_##tag##_##side##_compute(TriangularInverse_##tag##_##side *v)                               \
    {                                                                                                                  \
        const T *in = v->in.data;                                                                                      \
        T *out = v->out.data;                                                                                          \
        size_t n = v->dim;                                                                                             \
        for (size_t j = 0; j < n; ++j)                                                                                 \
            for (size_t i = 0; i < n; ++i) {                                                                           \
                float sum = i == j;                                                                                    \
                for (size_t k = j; k < i; ++k)                                                                         \
                    sum -= (float)in[AT(lower, i, k)] * (float)out[AT(lower, k, j)];                                   \
                out[AT(lower, i, j)] = (T)(i < j ? 0 : sum / (float)in[AT(lower, i, i)]);                              \
            }                                                                                                          \
    }
#define VERTICES_OF_SIDES(tag, T, text)                                                                                \
    VERTICES_OF_SIDE(tag, T, text, Lower, true)                                                                        \
    VERTICES_OF_SIDE(tag, T, text, Upper, false)
POPLIBS_FLOATING(VERTICES_OF)
POPLIBS_FLOATING(VERTICES_OF_SIDES)

#else
#include "poplibs/support.h"
#include "poplin/vertices.h"

/* No formula is published for substitution.  As straight code of a worker: a step of an inner product is two loads, a multiplication and a subtraction (half:
 * two conversions more); a row begins and ends in 12 cycles, a division takes 6. */
enum { START = 15, ROW = 12, DIVISION = 6 };
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
    uint64_t cycles = n * n * n + 102 * n * n + 101 * n + 102;
    if (poplibs_type_of_user(user) == POP_HALF)
        cycles = (2 * n * n * n + 795 * n * n + 382 * n) / 4 + 426;
    return (pop_perf){ cycles, 2 * steps + elements };
}
/* Published for float. Of half the inner steps, which walk down columns and make no pairs, cost the same; the rest is to float's as it is in the factor. */
static pop_perf estimate_inverse(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target;
    uint64_t n = (uint64_t)pop_vertex_view_field_value(vertex, "dim", 0), elements = n * (n + 1) / 2, steps = (n - 1) * n * (n + 1) / 6;
    uint64_t cycles = 6 * n * n * n + 51 * n * n + 213 * n + 12;
    if (poplibs_type_of_user(user) == POP_HALF)
        cycles = 6 * n * n * n + 51 * n * n * 795 / 408 + 213 * n * 191 / 202 + 12 * 426 / 102;
    return (pop_perf){ cycles, 2 * steps + elements };
}

void poplin_triangular_vertices(pop_graph *graph)
{
#define REGISTER_SIDE(text, lower)                                                                                     \
    pop_graph_register_perf_estimator(graph, "poplin::Cholesky<" text "," lower ">", estimate_cholesky, poplibs_as_user(pop_type_by_name(text))); \
    pop_graph_register_perf_estimator(graph, "poplin::TriangularInverse<" text "," lower ">", estimate_inverse, poplibs_as_user(pop_type_by_name(text)));
#define REGISTER(tag, T, text)                                                                                         \
    pop_graph_register_perf_estimator(graph, "poplin::TriangularSolve<" text ">", estimate_solve, poplibs_as_user(pop_type_by_name(text))); \
    REGISTER_SIDE(text, "true")                                                                                        \
    REGISTER_SIDE(text, "false")
    POPLIBS_FLOATING(REGISTER)
}
#endif
