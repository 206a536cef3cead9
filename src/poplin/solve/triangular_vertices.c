/* SPDX-License-Identifier: Apache-2.0 */
/* poplin::TriangularSolve<T,lower>: solves a x = b, where a's diagonal is ones; poplin::Cholesky<T,lower>: replaces a
 * matrix by its lower or upper factor; poplin::TriangularInverse<T,lower>.  A matrix is n contiguous rows of n
 * elements, of which only one triangle is read.  Sums are in float. */
#include "poplibs/vertex_types.h"

#define TYPES POPLIBS_FLOATING

#ifdef __POPC__
#define TEMPLATE "poplin/solve/triangular_typed.h"
#include "poplibs/each_type.h"

#else
#include "poplibs/support.h"
#include "poplin/vertices.h"

/* Cycles as polynomials of the number of rows, divided by a power of two: those of Poplibs of March 2021, whose
 * multiplications, additions and divisions are counted as flops. */
struct polynomial {
    const char *vertex;
    pop_type type;
    bool lower;
    uint64_t cubic, square, linear;
    int64_t constant;
    unsigned divisor;
};
static const struct polynomial polynomials[] = {
    { "TriangularSolve", POP_HALF, true, 0, 3, 4 * 318, -4 * 150, 4 },
    { "TriangularSolve", POP_HALF, false, 0, 135, 4 * 1089, 16 * 12, 16 },
    { "TriangularSolve", POP_FLOAT, true, 0, 3, 2 * 180, -2 * 126, 2 },
    { "TriangularSolve", POP_FLOAT, false, 0, 27, 2 * 327, 4 * 54, 4 },
    { "TriangularInverse", POP_HALF, true, 14, 387, 544, -240, 2 },
    { "TriangularInverse", POP_HALF, false, 7, 123, 269, -24, 1 },
    { "TriangularInverse", POP_FLOAT, true, 6, 264, 78, -120, 1 },
    { "TriangularInverse", POP_FLOAT, false, 6, 51, 213, 12, 1 },
    { "Cholesky", POP_HALF, true, 2, 795, 382, 4 * 426, 4 },
    { "Cholesky", POP_HALF, false, 2, 795, 382, 4 * 426, 4 },
    { "Cholesky", POP_FLOAT, true, 1, 102, 101, 102, 1 },
    { "Cholesky", POP_FLOAT, false, 1, 102, 101, 102, 1 },
};

static uint64_t evaluate(const struct polynomial *p, uint64_t n)
{
    int64_t sum = (int64_t)(p->cubic * n * n * n + p->square * n * n + p->linear * n) + p->constant;
    return sum > 0 ? (uint64_t)sum / p->divisor : 0;
}

static pop_perf estimate_solve(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target;
    uint64_t n = pop_vertex_view_field_size(vertex, "x", POP_WHOLE);
    return (pop_perf){ evaluate(user, n), n * (n - 1) / 2 + n };
}
static pop_perf estimate_cholesky(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target;
    uint64_t n = (uint64_t)pop_vertex_view_field_value(vertex, "dim", 0), steps = (n - 1) * n * (n + 1) / 6;
    return (pop_perf){ evaluate(user, n), n + n * (n + 1) + 2 * steps };
}
static pop_perf estimate_inverse(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target;
    uint64_t n = (uint64_t)pop_vertex_view_field_value(vertex, "dim", 0), steps = (n - 1) * n * (n + 1) / 6;
    return (pop_perf){ evaluate(user, n), n + n * (n - 1) / 2 + 2 * steps };
}

void register_triangular_vertices(pop_graph *graph)
{
    char name[64];
    for (size_t i = 0; i < sizeof(polynomials) / sizeof(polynomials[0]); ++i) {
        const struct polynomial *p = polynomials + i;
        snprintf(name, sizeof(name), "poplin::%s<%s,%s>", p->vertex, pop_type_name(p->type),
                 p->lower ? "true" : "false");
        pop_graph_register_perf_estimator(graph, name,
                                          strcmp(p->vertex, "TriangularSolve") == 0 ? estimate_solve
                                          : strcmp(p->vertex, "Cholesky") == 0      ? estimate_cholesky
                                                                                    : estimate_inverse,
                                          (void *)(uintptr_t)p);
    }
}
#endif
