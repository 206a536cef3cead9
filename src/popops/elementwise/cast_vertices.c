/* SPDX-License-Identifier: Apache-2.0 */
/* popops::CastSupervisor<from,to> of one region, popops::Cast2d<from,to> of several, and popops::Cast<from,to>, one
 * region of a worker, of rarer types; popops::CheckAccuracyWhenCast<float,half>. */
#include "popops/elementwise/cast_types.h"

#ifdef __POPC__
#include "poplibs/half_vectors.h"

typedef bool truth;
typedef unsigned uint;
typedef signed char schar;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef long long llong;
typedef unsigned long long ullong;

#define RUN_OF(from, to)                                                                                               \
    POPLIBS_FAST void from##_to_##to(to *restrict out, const from *restrict in, size_t count)                          \
    {                                                                                                                  \
        for (size_t i = 0; i < count; ++i)                                                                             \
            out[i] = (to)in[i];                                                                                        \
    }
CAST_TO_MAIN(RUN_OF, float)
CAST_TO_MAIN(RUN_OF, int)
CAST_TO_MAIN(RUN_OF, uint)
CAST_TO_MAIN(RUN_OF, truth)
/* Of half block by block, for conversions of single ones do not become vectors. */
enum { BLOCK = 512 };
#define RUN_OF_HALF(from, to)                                                                                          \
    static void half_to_##to(to *out, const half *in, size_t count)                                                    \
    {                                                                                                                  \
        float wide[BLOCK];                                                                                             \
        for (size_t n; count; count -= n, in += n, out += n) {                                                         \
            n = count < BLOCK ? count : BLOCK;                                                                         \
            poplibs_widen(wide, in, n);                                                                                \
            float_to_##to(out, wide, n);                                                                               \
        }                                                                                                              \
    }
RUN_OF_HALF(half, int)
RUN_OF_HALF(half, uint)
RUN_OF_HALF(half, truth)
RUN_OF(half, half)
#define half_to_float poplibs_widen
#define float_to_half poplibs_narrow

#define MAIN_VERTICES(from, to) MAIN_VERTICES_BY(from##_to_##to, from, to)
#define MAIN_VERTICES_BY(run, from, to)                                                                                \
    POP_SUPERVISOR_VERTEX(Supervisor_##from##_##to)                                                                    \
    {                                                                                                                  \
        POP_INPUT(POP_VECTOR(from, ONE_PTR)) src;                                                                      \
        POP_OUTPUT(POP_VECTOR(to)) dst;                                                                                \
    };                                                                                                                 \
    POP_VERTEX_NAME(Supervisor_##from##_##to, CAST_NAME("CastSupervisor", from, to));                                  \
    void Supervisor_##from##_##to##_compute(Supervisor_##from##_##to *v)                                               \
    {                                                                                                                  \
        run(v->dst.data, v->src.data, v->dst.size);                                                                    \
    }                                                                                                                  \
    POP_VERTEX(Rows_##from##_##to)                                                                                     \
    {                                                                                                                  \
        POP_INPUT(POP_VECTORS(from, ONE_PTR, ONE_PTR)) src;                                                            \
        POP_OUTPUT(POP_VECTORS(to)) dst;                                                                               \
    };                                                                                                                 \
    POP_VERTEX_NAME(Rows_##from##_##to, CAST_NAME("Cast2d", from, to));                                                \
    void Rows_##from##_##to##_compute(Rows_##from##_##to *v)                                                           \
    {                                                                                                                  \
        for (size_t i = 0; i < v->dst.size; ++i)                                                                       \
            run(v->dst.data[i].data, v->src.data[i].data, v->dst.data[i].size);                                        \
    }
CAST_MAIN(MAIN_VERTICES)

#define OTHER_VERTEX(from, to)                                                                                         \
    POP_VERTEX(One_##from##_##to)                                                                                      \
    {                                                                                                                  \
        POP_INPUT(POP_VECTOR(from, ONE_PTR)) src;                                                                      \
        POP_OUTPUT(POP_VECTOR(to)) dst;                                                                                \
    };                                                                                                                 \
    POP_VERTEX_NAME(One_##from##_##to, CAST_NAME("Cast", from, to));                                                   \
    void One_##from##_##to##_compute(One_##from##_##to *v)                                                             \
    {                                                                                                                  \
        for (size_t i = 0; i < v->dst.size; ++i)                                                                       \
            v->dst.data[i] = (to)v->src.data[i];                                                                       \
    }
CAST_OTHERS(OTHER_VERTEX)

POP_VERTEX(CheckAccuracy)
{
    POP_INPUT(float) input;
    POP_OUTPUT(bool) output;
    POP_STATE(float) tolerance;
};
POP_VERTEX_NAME(CheckAccuracy, "popops::CheckAccuracyWhenCast<float,half>");
void CheckAccuracy_compute(CheckAccuracy *v)
{
    float given = *v->input, cast = (float)(half)given, away = cast - given, size = given < 0 ? -given : given;
    *v->output = (away < 0 ? -away : away) <= v->tolerance * size && size < __builtin_inff();
}

#else
#include "poplibs/support.h"
#include "popops/vertices.h"

/* A worker's run (poplibs.md 2.2, Cast); user is 1 for half to float, 2 for float to half, 0 else. */
static uint64_t run_cycles(size_t count, void *user)
{
    uintptr_t real = (uintptr_t)user;
    if (!real)
        return 5 + poplibs_ceil_div(count, 2);
    return (real == 2 ? 4 : 2) + (count < 4 ? 11 + 14 * count / 3 : 26 + 2 * (count / 4) + 14 * (count & 3) / 3);
}
static pop_perf estimate(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target;
    return (pop_perf){ run_cycles(pop_vertex_view_field_size(vertex, "dst", POP_WHOLE), user), 0 };
}
/* Workers take shares of whole groups of four. */
static pop_perf estimate_supervisor(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    size_t workers = target->num_worker_contexts, count = pop_vertex_view_field_size(vertex, "dst", POP_WHOLE);
    size_t share = poplibs_min(count, 4 * poplibs_ceil_div(poplibs_ceil_div(count, 4), workers));
    return (pop_perf){ 7 + workers * (20 + run_cycles(share, user)), 0 };
}
static pop_perf estimate_2d(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    uint64_t cycles = 5;
    (void)target;
    for (size_t i = 0, rows = pop_vertex_view_field_size(vertex, "dst", POP_WHOLE); i < rows; ++i)
        cycles += run_cycles(pop_vertex_view_field_size(vertex, "dst", i), user);
    return (pop_perf){ cycles, 0 };
}
/* No formula is published: a cast there and back, a comparison. */
static pop_perf estimate_check(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)vertex, (void)target, (void)user;
    return (pop_perf){ 40, 0 };
}

static void *way(const char *from, const char *to)
{
    bool narrow = strcmp(to, "half") == 0 && strcmp(from, "float") == 0,
         widen = strcmp(to, "float") == 0 && strcmp(from, "half") == 0;
    return poplibs_as_user(narrow ? 2 : widen ? 1 : 0);
}

void popops_cast_vertices(pop_graph *graph)
{
#define REGISTER(vertex, from, to, how)                                                                                \
    pop_graph_register_perf_estimator(graph, CAST_NAME(vertex, from, to), how, way(CAST_TEXT_##from, CAST_TEXT_##to));
#define REGISTER_MAIN(from, to)                                                                                        \
    REGISTER("CastSupervisor", from, to, estimate_supervisor) REGISTER("Cast2d", from, to, estimate_2d)
#define REGISTER_OTHER(from, to) REGISTER("Cast", from, to, estimate)
    CAST_MAIN(REGISTER_MAIN)
    CAST_OTHERS(REGISTER_OTHER)
    pop_graph_register_perf_estimator(graph, "popops::CheckAccuracyWhenCast<float,half>", estimate_check, NULL);
}
#endif
