/* SPDX-License-Identifier: Apache-2.0 */
/* a += s b (ScaledAdd), a -= s b (ScaledSubtract), and forms with a factor for both operands (aXPlusbY, aXMinusbY,
 * XMinusaXPlusbY); half is computed in float. */
#include "popops/elementwise/scaled_add_types.h"

#ifdef __POPC__
#include "poplibs/half_vectors.h"
#include "poplibs/typed.h"

typedef unsigned uint;
enum { BLOCK = 512 };

/* a = x a + y b; a form without a factor for a passes x = 1, which changes no bit. */
POPLIBS_FAST void add_float_float(float *restrict a, const float *restrict b, size_t count, float x, float y)
{
    for (size_t i = 0; i < count; ++i)
        a[i] = x * a[i] + y * b[i];
}
static void add_float_half(float *a, const half *b, size_t count, float x, float y)
{
    float wide[BLOCK];
    for (size_t n; count; count -= n, a += n, b += n) {
        n = count < BLOCK ? count : BLOCK;
        poplibs_widen(wide, b, n);
        add_float_float(a, wide, n, x, y);
    }
}
static void add_half_float(half *a, const float *b, size_t count, float x, float y)
{
    float wide[BLOCK];
    for (size_t n; count; count -= n, a += n, b += n) {
        n = count < BLOCK ? count : BLOCK;
        poplibs_widen(wide, a, n);
        add_float_float(wide, b, n, x, y);
        poplibs_narrow(a, wide, n);
    }
}
static void add_half_half(half *a, const half *b, size_t count, float x, float y)
{
    float wide[BLOCK];
    for (size_t n; count; count -= n, a += n, b += n) {
        n = count < BLOCK ? count : BLOCK;
        poplibs_widen(wide, b, n);
        add_half_float(a, wide, n, x, y);
    }
}
/* Integers wrap. */
POPLIBS_FAST void add_uint_uint(uint *restrict a, const uint *restrict b, size_t count, uint x, uint y)
{
    for (size_t i = 0; i < count; ++i)
        a[i] = x * a[i] + y * b[i];
}
static void add_int_int(int *a, const int *b, size_t count, int x, int y)
{
    add_uint_uint((uint *)a, (const uint *)b, count, (uint)x, (uint)y);
}

#define STATE_FACTOR(S, name) POP_STATE(S) name;
#define EDGE_FACTOR(S, name)  POP_INPUT(S) name;
#define ONE_REGION(tag, T, D, x, y, name, ...)                                                                         \
    VERTEX_OF(POP_SUPERVISOR_VERTEX, tag##_1d, name, POP_INOUT(POP_VECTOR(T)) A; POP_INPUT(POP_VECTOR(D, ONE_PTR)) B;  \
              __VA_ARGS__)                                                                                             \
    {                                                                                                                  \
        add_##T##_##D(v->A.data, v->B.data, v->A.size, x, y);                                                          \
    }
#define SEVERAL_REGIONS(tag, T, D, x, y, name, ...)                                                                    \
    VERTEX_OF(POP_VERTEX, tag##_2d, name, POP_INOUT(POP_VECTORS(T)) A; POP_INPUT(POP_VECTORS(D, ONE_PTR, ONE_PTR)) B;  \
              __VA_ARGS__)                                                                                             \
    {                                                                                                                  \
        for (size_t i = 0; i < v->A.size; ++i)                                                                         \
            add_##T##_##D(v->A.data[i].data, v->B.data[i].data, v->A.data[i].size, x, y);                              \
    }

/* Constant factors are state, others edges; FACTOR is the last argument because its fields contain commas. */
#define ADD_BY(tag, T, D, S, constant, apart, FACTOR, y)                                                               \
    ONE_REGION(tag##_##T##_##D##_##S, T, D, 1, y, SCALED_ADD_NAME("Supervisor", T, D, S, constant, apart),             \
               FACTOR(S, scaleB))                                                                                      \
    SEVERAL_REGIONS(tag##_##T##_##D##_##S, T, D, 1, y, SCALED_ADD_NAME("2D", T, D, S, constant, apart),                \
                    FACTOR(S, scaleB))
#define SUBTRACT(T, D, S)                                                                                              \
    ONE_REGION(Subtract_##T##_##D##_##S, T, D, 1, -*v->scaleB, SCALED_SUBTRACT_NAME("Supervisor", T, D, S),            \
               EDGE_FACTOR(S, scaleB))                                                                                 \
    SEVERAL_REGIONS(Subtract_##T##_##D##_##S, T, D, 1, -*v->scaleB, SCALED_SUBTRACT_NAME("2D", T, D, S),               \
                    EDGE_FACTOR(S, scaleB))
#define ADD_VERTICES(T, D, S)                                                                                          \
    ADD_BY(AddConstant, T, D, S, "true", "false", STATE_FACTOR, v->scaleB)                                             \
    ADD_BY(AddTensor, T, D, S, "false", "false", EDGE_FACTOR, *v->scaleB)                                              \
    SUBTRACT(T, D, S)
SCALED_ALL(ADD_VERTICES)

/* Requires the operands in different memory elements, so that both are read in the same cycle. */
#define SCALE_FIRST_BY(tag, T, D, S, constant, FACTOR, y)                                                              \
    ADD_BY(tag, T, D, S, constant, "true", FACTOR, y)                                                                  \
    POP_CONSTRAINT(tag##_##T##_##D##_##S##_1d, "elem(*A) != elem(*B)");                                                \
    POP_CONSTRAINT(tag##_##T##_##D##_##S##_2d, "elem(**A) != elem(**B)");
#define SCALE_FIRST_VERTICES(T, D, S)                                                                                  \
    SCALE_FIRST_BY(ApartConstant, T, D, S, "true", STATE_FACTOR, v->scaleB)                                            \
    SCALE_FIRST_BY(ApartTensor, T, D, S, "false", EDGE_FACTOR, *v->scaleB)
SCALED_EQUAL(SCALE_FIRST_VERTICES)

#define BOTH_BY(tag, kind, T, D, S, constant, FACTOR, x, y)                                                            \
    ONE_REGION(tag##_##T##_##S, T, D, x, y, SCALED_BOTH_NAME(kind, "Supervisor", T, S, constant),                      \
               FACTOR(S, scaleA) FACTOR(S, scaleB))                                                                    \
    SEVERAL_REGIONS(tag##_##T##_##S, T, D, x, y, SCALED_BOTH_NAME(kind, "2D", T, S, constant),                         \
                    FACTOR(S, scaleA) FACTOR(S, scaleB))
#define BOTH_VERTICES(T, D, S)                                                                                         \
    BOTH_BY(PlusConstant, "aXPlusbY", T, D, S, "true", STATE_FACTOR, v->scaleA, v->scaleB)                             \
    BOTH_BY(PlusTensor, "aXPlusbY", T, D, S, "false", EDGE_FACTOR, *v->scaleA, *v->scaleB)                             \
    BOTH_BY(MinusTensor, "aXMinusbY", T, D, S, "false", EDGE_FACTOR, *v->scaleA, -*v->scaleB)                          \
    BOTH_BY(MixTensor, "XMinusaXPlusbY", T, D, S, "false", EDGE_FACTOR, 1 - (float)*v->scaleA, *v->scaleB)
SCALED_EQUAL(BOTH_VERTICES)

#else
#include "poplibs/release.h"
#include "poplibs/support.h"
#include "popops/vertices.h"

/* Poplibs 1.2's formulas (its estimators, ScaledAdd).  Properties of a vertex type, packed into an estimator's user
 * pointer. */
enum { HALF_DATA = 1, HALF_DELTA = 2, INTEGERS = 4, APART = 8, TENSOR = 16, BOTH = 32 };

static size_t atom_of(uintptr_t kind)
{
    return kind & HALF_DATA ? 4 : 2;
}
static uint64_t vector_cycles(uintptr_t kind)
{
    bool mixed = !(kind & HALF_DATA) != !(kind & HALF_DELTA);
    return kind & APART ? 2 : mixed ? 4 : 3;
}

/* One worker of a supervisor vertex, with a number of whole vectors and a remainder. */
static uint64_t worker_cycles(uintptr_t kind, size_t vectors, size_t rest)
{
    static const uint64_t half_rest[] = { 0, 5, 7, 6 };
    uint64_t cycles = rest ? (kind & HALF_DATA ? half_rest[rest] : 9) : 0;
    if ((kind & HALF_DATA) && !(kind & HALF_DELTA))
        return 16 + cycles + (vectors == 0 ? 0 : vectors < 3 ? 8 + 4 * (vectors - 1) : 16 + 2 * (vectors - 3));
    return 18 + cycles + (vectors ? 6 + vector_cycles(kind) * (vectors - 1) : 0);
}

static pop_perf estimate_1d(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    uintptr_t kind = (uintptr_t)user;
    size_t workers = target->num_worker_contexts, size = pop_vertex_view_field_size(vertex, "A", POP_WHOLE),
           atom = atom_of(kind);
    size_t flops = size * (kind & INTEGERS ? 0 : kind & BOTH ? 3 : 2);
    if (kind & INTEGERS)
        return (pop_perf){ 53 + 26 * (size / 3) + 26 * (size % 3) + 8, flops };
    /* Release 1.2 compared the number of elements with that of workers, later ones with a vector's. */
    size_t whole = poplibs_is_2021(target) ? atom : workers;
    uint64_t cycles = 21 + poplibs_supervisor_cycles(target) + (size % whole == 0 ? 7 : 13) + 12 +
                      (kind & TENSOR ? 6 : 0) + (kind & BOTH ? 12 : 0);
    return (pop_perf){ cycles + workers * worker_cycles(kind, poplibs_ceil_div(size / atom, workers), size % atom),
                       flops };
}

static pop_perf estimate_2d(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    static const uint64_t half_rest[] = { 0, 4, 6, 7 };
    uintptr_t kind = (uintptr_t)user;
    size_t atom = atom_of(kind), rows = pop_vertex_view_field_size(vertex, "A", POP_WHOLE), elements = 0;
    uint64_t cycles = kind & INTEGERS ? 8 : 9 + (kind & TENSOR ? 1 : 0) + (kind & BOTH ? 6 : 0);
    (void)target;
    for (size_t i = 0; i < rows; ++i) {
        size_t n = pop_vertex_view_field_size(vertex, "A", i);
        elements += n;
        if (kind & INTEGERS)
            cycles += 7 + 5 * n;
        else
            cycles += 15 + (n >= atom ? 5 : 0) + n / atom * vector_cycles(kind) +
                      (n % atom ? (kind & HALF_DATA ? half_rest[n % atom] : 7) : 0);
    }
    return (pop_perf){ cycles, elements * (kind & INTEGERS ? 0 : kind & BOTH ? 3 : 2) };
}

static uintptr_t kind_of(const char *data, const char *delta, uintptr_t more)
{
    bool half = strcmp(data, "half") == 0, integer = strstr(data, "int") != NULL;
    return more | (half ? HALF_DATA : 0) | (strcmp(delta, "half") == 0 ? HALF_DELTA : 0) | (integer ? INTEGERS : 0);
}
struct row {
    const char *name[2], *data, *delta;
    uintptr_t kind;
};

void register_scaled_add_vertices(pop_graph *graph)
{
#define ADD_ROW(T, D, S, constant, apart, kind)                                                                        \
    { { SCALED_ADD_NAME("Supervisor", T, D, S, constant, apart), SCALED_ADD_NAME("2D", T, D, S, constant, apart) },    \
      SCALED_TEXT_##T,                                                                                                 \
      SCALED_TEXT_##D,                                                                                                 \
      kind },
#define ADD_ROWS(T, D, S)                                                                                              \
    ADD_ROW(T, D, S, "true", "false", 0)                                                                               \
    ADD_ROW(T, D, S, "false", "false",                                                                                 \
            TENSOR){ { SCALED_SUBTRACT_NAME("Supervisor", T, D, S), SCALED_SUBTRACT_NAME("2D", T, D, S) },             \
                     SCALED_TEXT_##T,                                                                                  \
                     SCALED_TEXT_##D,                                                                                  \
                     TENSOR },
#define APART_ROWS(T, D, S) ADD_ROW(T, D, S, "true", "true", APART) ADD_ROW(T, D, S, "false", "true", APART | TENSOR)
#define BOTH_ROW(how, T, S, constant, kind)                                                                            \
    { { SCALED_BOTH_NAME(how, "Supervisor", T, S, constant), SCALED_BOTH_NAME(how, "2D", T, S, constant) },            \
      SCALED_TEXT_##T,                                                                                                 \
      SCALED_TEXT_##T,                                                                                                 \
      kind },
#define BOTH_ROWS(T, D, S)                                                                                             \
    BOTH_ROW("aXPlusbY", T, S, "true", BOTH)                                                                           \
    BOTH_ROW("aXPlusbY", T, S, "false", BOTH | TENSOR)                                                                 \
    BOTH_ROW("aXMinusbY", T, S, "false", BOTH | TENSOR)                                                                \
    BOTH_ROW("XMinusaXPlusbY", T, S, "false", BOTH | TENSOR)
    static const struct row rows[] = { SCALED_ALL(ADD_ROWS) SCALED_EQUAL(APART_ROWS) SCALED_EQUAL(BOTH_ROWS) };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i)
        for (int form = 0; form < 2; ++form)
            pop_graph_register_perf_estimator(graph, rows[i].name[form], form ? estimate_2d : estimate_1d,
                                              poplibs_as_user(kind_of(rows[i].data, rows[i].delta, rows[i].kind)));
}
#endif
