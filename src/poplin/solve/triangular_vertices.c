/* SPDX-License-Identifier: Apache-2.0 */
/* poplin::TriangularSolve<T,lower>: right-hand sides, each of which becomes its solution; poplin::TriangularArrange<T>:
 * pieces of its matrix, one after the other; poplin::Cholesky<T,lower>: a matrix that becomes its lower or upper
 * factor; poplin::TriangularInverse<T,lower>.  A matrix is n rows of n elements, one after the other, and only the one
 * triangle is read.  Sums are in float. */
#include "poplibs/vertex_types.h"

#ifdef __POPC__
#include <poplar/vertex.h>

#define VERTICES_OF(tag, T, text)                                                                                      \
    POP_VERTEX(TriangularArrange_##tag)                                                                                \
    {                                                                                                                  \
        POP_INPUT(POP_VECTOR_LIST(T)) in;                                                                              \
        POP_OUTPUT(POP_VECTOR(T, ONE_PTR)) out;                                                                        \
    };                                                                                                                 \
    POP_VERTEX_NAME(TriangularArrange_##tag, "poplin::TriangularArrange<" text ">");                                   \
    void TriangularArrange_##tag##_compute(TriangularArrange_##tag *v)                                                 \
    {                                                                                                                  \
        T *out = v->out.data;                                                                                          \
        for (size_t piece = 0; piece < v->in.size; out += v->in.data[piece++].size)                                    \
            for (size_t i = 0; i < v->in.data[piece].size; ++i)                                                        \
                out[i] = v->in.data[piece].data[i];                                                                    \
    }
/* Rows and columns are exchanged in upper ones: AT(i, j) is row i, column j <= i of the lower view. */
#define AT(lower, i, j) ((lower) ? (i)*n + (j) : (j)*n + (i))
#define VERTICES_OF_SIDE(tag, T, text, side, lower)                                                                    \
    POP_VERTEX(TriangularSolve_##tag##_##side)                                                                         \
    {                                                                                                                  \
        POP_INPUT(POP_VECTOR(T, ONE_PTR)) a;                                                                           \
        POP_INOUT(POP_VECTORS(T)) x;                                                                                   \
        POP_STATE(bool) unitDiagonal;                                                                                  \
    };                                                                                                                 \
    POP_VERTEX_NAME(TriangularSolve_##tag##_##side, "poplin::TriangularSolve<" text "," #lower ">");                   \
    void TriangularSolve_##tag##_##side##_compute(TriangularSolve_##tag##_##side *v)                                   \
    {                                                                                                                  \
        for (size_t column = 0; column < v->x.size; ++column) {                                                        \
            T *x = v->x.data[column].data;                                                                             \
            size_t n = v->x.data[column].size;                                                                         \
            for (size_t done = 0; done < n; ++done) {                                                                  \
                size_t i = (lower) ? done : n - 1 - done, first = (lower) ? 0 : i + 1;                                 \
                const T *row = v->a.data + i * n;                                                                      \
                float sum = (float)x[i];                                                                               \
                for (size_t k = first; k < first + done; ++k)                                                          \
                    sum -= (float)row[k] * (float)x[k];                                                                \
                x[i] = (T)(v->unitDiagonal ? sum : sum / (float)row[i]);                                               \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    POP_VERTEX(Cholesky_##tag##_##side)                                                                                \
    {                                                                                                                  \
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
    POP_VERTEX(TriangularInverse_##tag##_##side)                                                                       \
    {                                                                                                                  \
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

/* No formula is published for substitution: these are what published systems with one block and one right-hand side
 * leave.  A step of an inner product is as long as that of a loop of C++ is, three cycles more where halves become
 * floats; a row's division and its ends take 55. */
enum { START = 15, ROW = 55, STEP = 7, HALF_STEP = 10 };
static pop_perf estimate_solve(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target;
    uint64_t cycles = START, flops = 0, step = poplibs_type_of_user(user) == POP_HALF ? HALF_STEP : STEP;
    for (size_t i = 0, columns = pop_vertex_view_field_size(vertex, "x", POP_WHOLE); i < columns; ++i) {
        uint64_t n = pop_vertex_view_field_size(vertex, "x", i);
        cycles += n * ROW + n * (n - 1) / 2 * step;
        flops += n * n;
    }
    return (pop_perf){ cycles, flops };
}
/* The same: systems from the right, whose matrices come element by element, cost 5 cycles an element more, and 7 where
 * it is a half; pieces of eight 19. */
static pop_perf estimate_arrange(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target;
    uint64_t cycles = START, element = poplibs_type_of_user(user) == POP_HALF ? 4 : 2;
    for (size_t i = 0, pieces = pop_vertex_view_field_size(vertex, "in", POP_WHOLE); i < pieces; ++i)
        cycles += 3 + element * pop_vertex_view_field_size(vertex, "in", i);
    return (pop_perf){ cycles, 0 };
}
static pop_perf estimate_cholesky(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target;
    uint64_t n = (uint64_t)pop_vertex_view_field_value(vertex, "dim", 0), elements = n * (n + 1) / 2,
             steps = (n - 1) * n * (n + 1) / 6;
    uint64_t cycles = n * n * n + 102 * n * n + 101 * n + 102;
    if (poplibs_type_of_user(user) == POP_HALF)
        cycles = (2 * n * n * n + 795 * n * n + 382 * n) / 4 + 426;
    return (pop_perf){ cycles, 2 * steps + elements };
}
/* Published for float's upper one.  The others are as many times that as published factors with blocks of 16 leave. */
struct inverse {
    pop_type type;
    bool lower;
    unsigned percent;
};
static const struct inverse inverses[] = {
    { POP_FLOAT, false, 100 }, { POP_FLOAT, true, 226 }, { POP_HALF, false, 156 }, { POP_HALF, true, 199 }
};
static pop_perf estimate_inverse(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target;
    const struct inverse *inverse = user;
    uint64_t n = (uint64_t)pop_vertex_view_field_value(vertex, "dim", 0), elements = n * (n + 1) / 2,
             steps = (n - 1) * n * (n + 1) / 6;
    return (pop_perf){ (6 * n * n * n + 51 * n * n + 213 * n + 12) * inverse->percent / 100, 2 * steps + elements };
}

void poplin_triangular_vertices(pop_graph *graph)
{
    char name[64];
    for (size_t i = 0; i < sizeof(inverses) / sizeof(inverses[0]); ++i) {
        const char *type = pop_type_name(inverses[i].type), *lower = inverses[i].lower ? "true" : "false";
        void *user = poplibs_as_user(inverses[i].type);
        snprintf(name, sizeof(name), "poplin::TriangularInverse<%s,%s>", type, lower);
        pop_graph_register_perf_estimator(graph, name, estimate_inverse, (void *)(uintptr_t)&inverses[i]);
        snprintf(name, sizeof(name), "poplin::Cholesky<%s,%s>", type, lower);
        pop_graph_register_perf_estimator(graph, name, estimate_cholesky, user);
        snprintf(name, sizeof(name), "poplin::TriangularSolve<%s,%s>", type, lower);
        pop_graph_register_perf_estimator(graph, name, estimate_solve, user);
    }
    pop_graph_register_perf_estimator(graph, "poplin::TriangularArrange<float>", estimate_arrange,
                                      poplibs_as_user(POP_FLOAT));
    pop_graph_register_perf_estimator(graph, "poplin::TriangularArrange<half>", estimate_arrange,
                                      poplibs_as_user(POP_HALF));
}
#endif
