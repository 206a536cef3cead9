/* SPDX-License-Identifier: Apache-2.0 */
/* popfloat::experimental::CastToGfloat16Param and CastToGfloat32Param: the parameters of a format;
 * CastToGfloat16Supervisor<in,out> and CastToGfloat32Supervisor<in,out>, and InPlace: rounding, and packing where the
 * output is an integer; CastGf8ToHalfSupervisor<out> and CastGf16ToFloatSupervisor<out>: unpacking. */
#include "poplibs/vertex_types.h"

#ifdef __POPC__
#include "popfloat/gfloat_value.h"

#include <poplar/vertex.h>

enum { PARAMS = 29 };
static inline void write_params(unsigned packed, int *params)
{
    for (int i = 0; i < PARAMS; ++i)
        params[i] = i < 4 ? (int)(packed >> (8 * i) & 0xff) : 0;
}
POP_VERTEX(Param16)
{
    POP_INPUT(int) packed;
    POP_OUTPUT(POP_VECTOR(int)) params;
};
POP_VERTEX_NAME(Param16, "popfloat::experimental::CastToGfloat16Param");
void Param16_compute(Param16 *v)
{
    write_params((unsigned)*v->packed, v->params.data);
}
POP_VERTEX(Param32)
{
    POP_INPUT(int) packed;
    POP_OUTPUT(POP_VECTOR(int)) params;
};
POP_VERTEX_NAME(Param32, "popfloat::experimental::CastToGfloat32Param");
void Param32_compute(Param32 *v)
{
    write_params((unsigned)*v->packed, v->params.data);
}

/* runs counts the runs of this vertex, so that each has other random numbers. */
#define GFLOAT_FIELDS                                                                                                  \
    POP_INPUT(POP_VECTOR(int, ONE_PTR)) params;                                                                        \
    POP_INOUT(unsigned) runs;                                                                                          \
    POP_STATE(unsigned) stream;                                                                                        \
    GFLOAT_MODE;                                                                                                       \
    GFLOAT_NOISE
#define GFLOAT_MODE                                                                                                    \
    POP_STATE(unsigned) mode;                                                                                          \
    POP_STATE(unsigned) density;                                                                                       \
    POP_STATE(unsigned) srBits;                                                                                        \
    POP_STATE(unsigned) nanoo
#define GFLOAT_NOISE                                                                                                   \
    POP_STATE(float) offset;                                                                                           \
    POP_STATE(float) scale;                                                                                            \
    POP_STATE(float) max;                                                                                              \
    POP_STATE(float) min;                                                                                              \
    POP_STATE(float) bernoulli
#define GFLOAT_BEGIN                                                                                                   \
    struct gfloat format = gfloat_of(v->params.data);                                                                  \
    struct gfloat_rounding rounding = { v->mode,  v->density, v->srBits, v->nanoo,    v->offset,                       \
                                        v->scale, v->max,     v->min,    v->bernoulli };                               \
    struct gfloat_random random = { (uint64_t)v->stream << 32 | *v->runs };                                            \
    random.state = gfloat_draw(&random)
#define GFLOAT_END ++*v->runs

#define CALCULATION      Half
#define CALCULATION_NAME "16"
#define TYPES            POPLIBS_FLOATING
#define TEMPLATE         "popfloat/gfloat_typed.h"
#include "poplibs/each_type.h"
#undef CALCULATION
#undef CALCULATION_NAME
#define CALCULATION      Float
#define CALCULATION_NAME "32"
#define TYPES            POPLIBS_FLOATING
#define TEMPLATE         "popfloat/gfloat_typed.h"
#include "poplibs/each_type.h"

#define UNPACK_schar "CastGf8ToHalf"
#define UNPACK_short "CastGf16ToFloat"
#define TYPES        (POPLIBS_SCHAR | POPLIBS_SHORT)
#define TEMPLATE     "popfloat/gfloat_unpack_typed.h"
#include "poplibs/each_type.h"

#else
#include "popfloat/vertices.h"
#include "poplibs/estimates.h"

#include <popfloat/gfloat.h>

static pop_perf fixed(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)vertex, (void)target;
    return (pop_perf){ (uintptr_t)user, 0 };
}
/* The kinds of casts: calculation, input, output.  Those that are stochastic, pack or work in place have no estimate of
 * their own in popfloat: 1 cycle. */
enum { HALF_CALCULATION = 1, HALF_IN = 2, HALF_OUT = 4, PACKS = 8 };
static pop_perf cast(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target;
    uintptr_t kind = (uintptr_t)user;
    size_t n = pop_vertex_view_field_size(vertex, "out", POP_WHOLE);
    if (kind & PACKS || pop_vertex_view_field_value(vertex, "mode", 0) >= POPFLOAT_ROUND_SR)
        return (pop_perf){ 1, 0 };
    if (kind & HALF_CALCULATION)
        return (pop_perf){ 20 + poplibs_ceil_div(n, 4) * (kind & HALF_IN ? 44 : 38), 0 };
    return (pop_perf){ 35 + (kind & HALF_OUT ? 11 : 0) + poplibs_ceil_div(n, 2) * (kind & HALF_OUT ? 29 : 27), 0 };
}
static pop_perf unpack(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    size_t n = pop_vertex_view_field_size(vertex, "out", POP_WHOLE);
    int format = (int)pop_vertex_view_field_value(vertex, "format", 0);
    switch (format) {
    case POPFLOAT_ONE_FIVE_TWO_GF8:
        return (pop_perf){ 14 + 5 * poplibs_ceil_div(n, 4), 0 };
    case POPFLOAT_MAX_NORM_ALIGN_GF8:
        return (pop_perf){ 14 + 17 * poplibs_ceil_div(n, 4), 0 };
    case POPFLOAT_MIN_NORM_ALIGN_GF8:
        return (pop_perf){ 14 + 23 * poplibs_ceil_div(n, 4), 0 };
    case POPFLOAT_BFLOAT16:
        return (pop_perf){ 25 + 3 * poplibs_ceil_div(n, 2), 0 };
    default:
        return (pop_perf){ 25 + (format == POPFLOAT_NO_DENORM_GF16 ? 24 : 25) * poplibs_ceil_div(n, 2), 0 };
    }
}

void register_gfloat_vertices(pop_graph *graph)
{
    static const pop_type in[] = { POP_FLOAT, POP_HALF }, out[] = { POP_FLOAT, POP_HALF, POP_SIGNED_CHAR, POP_SHORT };
    static const char *const unpacks[] = { "CastGf8ToHalf", "CastGf16ToFloat" };
    char name[120];
    pop_graph_register_perf_estimator(graph, "popfloat::experimental::CastToGfloat16Param", fixed,
                                      poplibs_as_user(102));
    pop_graph_register_perf_estimator(graph, "popfloat::experimental::CastToGfloat32Param", fixed, poplibs_as_user(57));
    for (size_t i = 0; i < 16; ++i) {
        size_t from = i / 4 % 2, to = i % 4;
        unsigned kind =
            (i / 8 ? 0 : HALF_CALCULATION) | (from ? HALF_IN : 0) | (to == 1 ? HALF_OUT : 0) | (to > 1 ? PACKS : 0);
        snprintf(name, sizeof(name), "popfloat::experimental::CastToGfloat%dSupervisor<%s,%s>", i / 8 ? 32 : 16,
                 pop_type_name(in[from]), pop_type_name(out[to]));
        pop_graph_register_perf_estimator(graph, name, cast, poplibs_as_user(kind));
    }
    for (size_t i = 0; i < 4; ++i) {
        snprintf(name, sizeof(name), "popfloat::experimental::CastToGfloat%dInPlaceSupervisor<%s>", i / 2 ? 32 : 16,
                 pop_type_name(in[i % 2]));
        pop_graph_register_perf_estimator(graph, name, fixed, poplibs_as_user(1));
        snprintf(name, sizeof(name), "popfloat::experimental::%sSupervisor<%s>", unpacks[i / 2],
                 pop_type_name(in[i % 2]));
        pop_graph_register_perf_estimator(graph, name, unpack, NULL);
    }
}
#endif
