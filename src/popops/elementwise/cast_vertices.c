/* SPDX-License-Identifier: Apache-2.0 */
/* popops::CastSupervisor<from,to> for one region, popops::Cast2d<from,to> for several; popops::Cast<from,to>, for rarer
 * types, casts one region in one worker; popops::CheckAccuracyWhenCast<float,half>; popops::QuarterMetadata. */
#include "popops/elementwise/cast_types.h"

#ifdef __POPC__
#include "poplibs/half_vectors.h"

#include <popops/element_functions.h>

#include <poplar/quarter.h>

enum { BLOCK = 512 };

#define cast_half_float poplibs_widen
#define cast_float_half poplibs_narrow
#define TYPES           (CAST_MAIN_TYPES & ~POPLIBS_HALF)
#define TEMPLATE        "popops/elementwise/cast_run_typed.h"
#include "poplibs/each_type.h"
#define TYPES    POPLIBS_HALF /* its loops call those of float */
#define TEMPLATE "popops/elementwise/cast_run_typed.h"
#include "poplibs/each_type.h"

#define TYPES    POPLIBS_ALL_TYPES
#define TEMPLATE "popops/elementwise/cast_typed.h"
#include "poplibs/each_type.h"

#define TYPES    CAST_QUARTER_TYPES
#define TEMPLATE "popops/elementwise/cast_quarter_typed.h"
#include "poplibs/each_type.h"

POPLIBS_FAST void cast_quarters(unsigned char *restrict out, const unsigned char *restrict in, size_t count,
                                unsigned char from, unsigned char to)
{
    for (size_t i = 0; i < count; ++i)
        out[i] = pop_quarter_from_float(pop_quarter_to_float(in[i], from), to, true);
}
POP_SUPERVISOR_VERTEX(Quarters)
{
    POP_INPUT(POP_VECTOR(unsigned char, ONE_PTR)) src;
    POP_OUTPUT(POP_VECTOR(unsigned char)) dst;
    POP_INPUT(unsigned char) srcMetadata;
    POP_INPUT(unsigned char) dstMetadata;
};
POP_VERTEX_NAME(Quarters, "popops::CastSupervisor<quarter,quarter>");
void Quarters_compute(Quarters *v)
{
    cast_quarters(v->dst.data, v->src.data, v->dst.size, *v->srcMetadata, *v->dstMetadata);
}
POP_VERTEX(QuarterRows)
{
    POP_INPUT(POP_VECTORS(unsigned char, ONE_PTR, ONE_PTR)) src;
    POP_OUTPUT(POP_VECTORS(unsigned char)) dst;
    POP_INPUT(unsigned char) srcMetadata;
    POP_INPUT(unsigned char) dstMetadata;
};
POP_VERTEX_NAME(QuarterRows, "popops::Cast2d<quarter,quarter>");
void QuarterRows_compute(QuarterRows *v)
{
    for (size_t i = 0; i < v->dst.size; ++i)
        cast_quarters(v->dst.data[i].data, v->src.data[i].data, v->dst.data[i].size, *v->srcMetadata, *v->dstMetadata);
}

POP_VERTEX(QuarterMetadata)
{
    POP_INPUT(int) scale;
    POP_OUTPUT(unsigned char) metadata;
    POP_STATE(unsigned) format; /* the metadata of this format and scale 0 */
};
POP_VERTEX_NAME(QuarterMetadata, "popops::QuarterMetadata");
void QuarterMetadata_compute(QuarterMetadata *v)
{
    *v->metadata = (unsigned char)(v->format | ((unsigned)*v->scale & 0x3f));
}

POP_VERTEX(CheckAccuracy)
{
    POP_INPUT(float) input;
    POP_OUTPUT(bool) output;
    POP_STATE(float) tolerance;
};
POP_VERTEX_NAME(CheckAccuracy, "popops::CheckAccuracyWhenCast<float,half>");
void CheckAccuracy_compute(CheckAccuracy *v)
{
    /* Infinities, NaN and what half rounds to infinity are never accurate.  No operation may raise an exception that a
     * program enables. */
    float given = *v->input, size = __builtin_fabsf(given);
    *v->output = false;
    if (popops_bits_of(size) < popops_bits_of(65520.0f))
        *v->output = __builtin_fabsf(popops_round_to_half(given) - given) < v->tolerance * size;
}

#else
#include "poplibs/estimates.h"
#include "popops/vertices.h"

/* The kinds of pairs whose runs have their own cost; a quarter and half or float cost as half and float do. */
enum { REAL_WIDEN = 1, REAL_NARROW, QUARTER_TO_CHAR, CHAR_TO_QUARTER, QUARTER_TO_QUARTER };

/* Casts between quarter and integers, or of two formats: by vectors of eight. */
static uint64_t quarter_cycles(size_t count, uintptr_t kind)
{
    static const unsigned eight[] = { 28, 37, 13 }, one[] = { 5, 7, 5 };
    return 4 + (count / 8) * eight[kind - QUARTER_TO_CHAR] + (count % 8) * one[kind - QUARTER_TO_CHAR];
}
/* One worker's run; `real` is 1 for half to float, 2 for float to half, otherwise 0. */
static uint64_t run_cycles_1_2(size_t count, uintptr_t real)
{
    return (real == 2 ? 4 : 2) + (count < 4 ? 11 + 14 * count / 3 : 26 + 2 * (count / 4) + 14 * (count & 3) / 3);
}
/* Vectors of four halves or two floats, and two cycles for each power of two in what is left. */
static uint64_t run_cycles_2021(size_t count, uintptr_t real)
{
    unsigned width = real == 2 ? 4 : 2, log = real == 2 ? 2 : 1;
    uint64_t cycles = 19 + (real == 2 ? 2 : 1) * (count / width) + log;
    for (size_t rest = count % width; rest; rest &= rest - 1)
        cycles += 2;
    return cycles;
}
static uint64_t run_cycles(const pop_target *target, size_t count, void *user)
{
    uintptr_t real = (uintptr_t)user;
    return real >= QUARTER_TO_CHAR   ? quarter_cycles(count, real)
           : !real                   ? 5 + poplibs_ceil_div(count, 2)
           : poplibs_is_2021(target) ? run_cycles_2021(count, real)
                                     : run_cycles_1_2(count, real);
}
static pop_perf estimate(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    uint64_t start = poplibs_is_2021(target) && user ? 5 : 0;
    return (pop_perf){ start + run_cycles(target, pop_vertex_view_field_size(vertex, "dst", POP_WHOLE), user), 0 };
}
/* Workers' shares are multiples of four elements. */
static pop_perf estimate_supervisor(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    bool later = poplibs_is_2021(target) && user;
    size_t workers = target->num_worker_contexts, count = pop_vertex_view_field_size(vertex, "dst", POP_WHOLE);
    size_t share = poplibs_min(count, 4 * poplibs_ceil_div(poplibs_ceil_div(count, 4), workers));
    return (pop_perf){ (later ? 19 : 7) + workers * ((later ? 23 : 20) + run_cycles(target, share, user)), 0 };
}
static pop_perf estimate_2d(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    uint64_t cycles = 5, row = poplibs_is_2021(target) && user ? 11 : 0;
    for (size_t i = 0, rows = pop_vertex_view_field_size(vertex, "dst", POP_WHOLE); i < rows; ++i)
        cycles += row + run_cycles(target, pop_vertex_view_field_size(vertex, "dst", i), user);
    return (pop_perf){ cycles, 0 };
}
/* Poplibs publishes no formula: estimated as a cast, the cast back and a comparison. */
static pop_perf estimate_check(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)vertex, (void)target, (void)user;
    return (pop_perf){ 40, 0 };
}

static void register_pair(pop_graph *graph, const char *kind, pop_type from, pop_type to, pop_perf_estimator estimator)
{
    char name[96];
    bool quarters = from == POP_QUARTER && to == POP_QUARTER;
    bool narrow = (from == POP_FLOAT && to == POP_HALF) || (pop_type_is_floating_point(from) && to == POP_QUARTER);
    bool widen = (from == POP_HALF && to == POP_FLOAT) || (from == POP_QUARTER && pop_type_is_floating_point(to));
    unsigned cost = quarters              ? QUARTER_TO_QUARTER
                    : narrow              ? REAL_NARROW
                    : widen               ? REAL_WIDEN
                    : from == POP_QUARTER ? QUARTER_TO_CHAR
                    : to == POP_QUARTER   ? CHAR_TO_QUARTER
                                          : 0;
    snprintf(name, sizeof(name), "popops::%s<%s,%s>", kind, pop_type_name(from), pop_type_name(to));
    pop_graph_register_perf_estimator(graph, name, estimator, poplibs_as_user(cost));
}

/* Not in Poplibs, whose form of the call is a program of its own: an and, an or. */
static pop_perf estimate_metadata(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)vertex, (void)target, (void)user;
    return (pop_perf){ 12, 0 };
}

static void register_both(pop_graph *graph, pop_type from, pop_type to)
{
    register_pair(graph, "CastSupervisor", from, to, estimate_supervisor);
    register_pair(graph, "Cast2d", from, to, estimate_2d);
}

void register_cast_vertices(pop_graph *graph)
{
    static const unsigned others[] = { CAST_TO_half,  CAST_TO_float,  CAST_TO_int,      CAST_TO_unsigned,
                                       CAST_TO_short, CAST_TO_ushort, CAST_TO_bool,     CAST_TO_char,
                                       CAST_TO_schar, CAST_TO_uchar,  CAST_TO_longlong, CAST_TO_ulonglong };
    for (size_t i = 0; i < POPLIBS_NUM_VERTEX_TYPES * POPLIBS_NUM_VERTEX_TYPES; ++i) {
        size_t row = i / POPLIBS_NUM_VERTEX_TYPES;
        const struct poplibs_vertex_type *from = &poplibs_vertex_types[row],
                                         *to = &poplibs_vertex_types[i % POPLIBS_NUM_VERTEX_TYPES];
        if (from->bit & CAST_MAIN_TYPES && to->bit & CAST_MAIN_TYPES)
            register_both(graph, from->type, to->type);
        if (row == i % POPLIBS_NUM_VERTEX_TYPES && from->bit & CAST_QUARTER_TYPES) {
            register_both(graph, POP_QUARTER, from->type);
            register_both(graph, from->type, POP_QUARTER);
        }
        if (to->bit & others[row])
            register_pair(graph, "Cast", from->type, to->type, estimate);
    }
    register_both(graph, POP_QUARTER, POP_QUARTER);
    pop_graph_register_perf_estimator(graph, "popops::QuarterMetadata", estimate_metadata, NULL);
    pop_graph_register_perf_estimator(graph, "popops::CheckAccuracyWhenCast<float,half>", estimate_check, NULL);
}
#endif
