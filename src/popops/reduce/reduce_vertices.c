/* SPDX-License-Identifier: Apache-2.0 */
/* popops::Reduce<op,partials,out,update,specialisation> and popops::ScaledReduce<...>, which multiplies by *k
 * (reduce_types.h). */
#include "popops/reduce/reduce_types.h"

#ifdef __POPC__
#include "popops/reduce/reduce_kernels.h"

#define OPERATION_TEMPLATE "popops/reduce/reduce_operation.h"
#include "popops/reduce/each_operation.h"

#else
#include "poplibs/estimates.h"
#include "popops/reduce/operations.h"
#include "popops/vertices.h"

/* The formulas of docs/reference/reductions.md, "What vertices cost".  If a vertex here does more than Poplibs'
 * (blocks, several rows), the costs of its parts are added. */
struct reduce_kind { /* packed into an estimator's user pointer */
    enum reduce_class class;
    bool half_out, update, floating;
    /* Elements of partials and of outputs that are processed at once; elements of partials in 64 bits. */
    unsigned vector, out_vector, pair;
};
enum { UPDATE = 1, HALF_OUT = 2, TYPE_SHIFT = 8, CLASS_SHIFT = 16 };
static void *pack(enum reduce_class class, pop_type in, pop_type out, bool update)
{
    return poplibs_as_user((update ? UPDATE : 0u) | (out == POP_HALF ? HALF_OUT : 0u) | (uintptr_t)in << TYPE_SHIFT |
                           (uintptr_t) class << CLASS_SHIFT);
}
static struct reduce_kind unpack(void *user, const pop_target *target)
{
    uintptr_t bits = (uintptr_t)user;
    pop_type in = (pop_type)(bits >> TYPE_SHIFT & 0xff);
    bool half_out = bits & HALF_OUT;
    return (struct reduce_kind){ .class = (enum reduce_class)(bits >> CLASS_SHIFT),
                                 .half_out = half_out,
                                 .update = bits & UPDATE,
                                 .floating = pop_type_is_floating_point(in),
                                 .vector = (unsigned)poplibs_max(1, pop_target_vector_width(target, in)),
                                 .out_vector = (unsigned)poplibs_max(
                                     1, pop_target_vector_width(target, half_out ? POP_HALF : POP_FLOAT)),
                                 .pair = (unsigned)poplibs_max(1, 8 / pop_type_size(in)) };
}
static size_t size_of(const pop_vertex_view *vertex, const char *field, size_t index)
{
    return pop_vertex_view_field_size(vertex, field, index);
}

/* One operation for each partial. */
static uint64_t reduce_flops(const struct reduce_kind *kind, uint64_t partials)
{
    return kind->floating ? partials : 0;
}

/* Cycles and elements of one step of a contiguous run; LogAdd processes one element at a time. */
enum { LOG_CYCLES = 20 };
static unsigned step_cycles(const struct reduce_kind *kind)
{
    return kind->class == REDUCE_LOGS ? LOG_CYCLES : 1;
}
static unsigned step_elements(const struct reduce_kind *kind)
{
    return kind->class == REDUCE_LOGS ? 1 : kind->pair;
}

/* The general vertex processes an output in chunks: of the widest size as often as possible, then of each smaller power
 * of two at most once.  The widest size is two vectors for sums, otherwise one. */
static unsigned widest(const struct reduce_kind *kind)
{
    return kind->class == REDUCE_SUMS ? 2 * kind->vector : kind->vector;
}
static uint64_t store_cycles(const struct reduce_kind *kind, size_t width)
{
    return (2 + kind->update) * poplibs_min(width, kind->out_vector) + (kind->class == REDUCE_SUMS);
}

/* One output region of the general vertex, with `partials` regions of partials. */
static uint64_t output_cycles(const struct reduce_kind *kind, size_t width, size_t partials)
{
    if (kind->class == REDUCE_OTHERS || kind->class == REDUCE_LOGS)
        return 10;
    size_t loops = width / widest(kind);
    bool sums = kind->class == REDUCE_SUMS;
    uint64_t cycles = 24 + loops * ((sums ? 5 : 3) + store_cycles(kind, widest(kind)) + 1 + 10 * partials);
    for (size_t part = 1; part < widest(kind); part *= 2) {
        cycles += 2;
        if (width & part)
            cycles += (sums ? 4 : 2) + store_cycles(kind, part) + 10 * partials;
    }
    return cycles;
}
/* One region of partials: `rows` rows of width elements. */
static uint64_t region_cycles(const struct reduce_kind *kind, size_t rows, size_t width, bool same_type)
{
    if (kind->class == REDUCE_OTHERS || kind->class == REDUCE_LOGS)
        return (6 + step_cycles(kind) + kind->update + !same_type) *
               poplibs_ceil_div(rows * width, kind->class == REDUCE_LOGS ? 1 : kind->vector);
    size_t loops = width / widest(kind);
    uint64_t row =
        loops * (2 + (kind->class == REDUCE_SUMS ? 2 : 0) + widest(kind) / poplibs_min(widest(kind), kind->pair) + 3);
    for (size_t part = 1; part < widest(kind); part *= 2)
        row += width & part ? 5 + poplibs_max(1, part / kind->pair) : 0;
    return rows * row;
}

static pop_perf estimate_default(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    struct reduce_kind kind = unpack(user, target);
    bool same_type = kind.vector == kind.out_vector;
    uint64_t cycles = kind.class == REDUCE_OTHERS || kind.class == REDUCE_LOGS ? 23 : 33;
    size_t region = 0;
    uint64_t all = 0;
    for (size_t i = 0; i < size_of(vertex, "out", POP_WHOLE); ++i) {
        size_t width = size_of(vertex, "out", i),
               partials = (size_t)pop_vertex_view_field_value(vertex, "numPartials", i);
        cycles += output_cycles(&kind, width, partials);
        for (size_t end = region + partials; region < end; ++region) {
            size_t elements = size_of(vertex, "partials", region);
            cycles += region_cycles(&kind, elements / poplibs_max(1, width), width, same_type);
            all += elements;
        }
    }
    return (pop_perf){ cycles, reduce_flops(&kind, all) };
}

static pop_perf estimate_single(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    struct reduce_kind kind = unpack(user, target);
    size_t elements = size_of(vertex, "partials", POP_WHOLE), step = step_elements(&kind);
    return (pop_perf){ 26 + (elements < 6 ? 6 : step_cycles(&kind) * (elements / step) + elements % step) +
                           (kind.half_out ? 5 : 0),
                       reduce_flops(&kind, elements) };
}

/* Elements processed at once if rows are stride apart; LogAdd's cycles are for a pair. */
static unsigned strided_elements(const struct reduce_kind *kind, size_t stride)
{
    unsigned elements = kind->pair;
    while (stride % elements)
        elements /= 2;
    return elements;
}
static unsigned strided_cycles(const struct reduce_kind *kind, unsigned elements)
{
    static const unsigned of_logs[] = { LOG_CYCLES, LOG_CYCLES, 23, LOG_CYCLES, 12 };
    return kind->class == REDUCE_LOGS ? of_logs[elements] : 1;
}
static pop_perf estimate_strided(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    struct reduce_kind kind = unpack(user, target);
    size_t outputs = size_of(vertex, "out", POP_WHOLE), width = (size_t)pop_vertex_view_field_value(vertex, "width", 0);
    size_t blocks = outputs / poplibs_max(1, width), rows = (size_t)pop_vertex_view_field_value(vertex, "rows", 0);
    unsigned elements = strided_elements(&kind, (size_t)pop_vertex_view_field_value(vertex, "stride", 0));
    return (pop_perf){ 24 + blocks * (6 * poplibs_ceil_div(width, elements) +
                                      strided_cycles(&kind, elements) * poplibs_ceil_div(rows * width, elements)),
                       reduce_flops(&kind, blocks * rows * width) };
}

static pop_perf estimate_continuous(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    struct reduce_kind kind = unpack(user, target);
    size_t outputs = poplibs_max(1, size_of(vertex, "out", POP_WHOLE)),
           each = size_of(vertex, "partials", POP_WHOLE) / outputs;
    return (pop_perf){ 17 + (outputs - 1) * (12 + step_cycles(&kind) * (each / step_elements(&kind))) +
                           (each % 2 ? 2 : 0) + kind.update,
                       reduce_flops(&kind, outputs * each) };
}

static void register_reduction(pop_graph *graph, const struct reduce_operation *operation, pop_type in, pop_type out,
                               unsigned how)
{
    static const struct {
        int number;
        pop_perf_estimator estimator;
    } forms[] = { { REDUCE_DEFAULT, estimate_default },
                  { REDUCE_SINGLE_INPUT, estimate_single },
                  { REDUCE_STRIDED, estimate_strided },
                  { REDUCE_CONTINUOUS, estimate_continuous } };
    bool update = how & 1, scale = how & 2;
    char name[128];
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); ++i) {
        snprintf(name, sizeof(name), "popops::%s<%s,%s,%s,%s,%d>", scale ? "ScaledReduce" : "Reduce",
                 operation->vertex_name, pop_type_name(in), pop_type_name(out), update ? "true" : "false",
                 forms[i].number);
        pop_graph_register_perf_estimator(graph, name, forms[i].estimator, pack(operation->class, in, out, update));
    }
}

void register_reduce_vertices(pop_graph *graph)
{
    const struct poplibs_vertex_type *types = poplibs_vertex_types;
    for (size_t op = 0; op < POPOPS_OPERATIONS; ++op) {
        const struct reduce_operation *operation = &reduce_operations[op];
        for (size_t i = 0; i < POPLIBS_NUM_VERTEX_TYPES * POPLIBS_NUM_VERTEX_TYPES; ++i) {
            unsigned in = types[i / POPLIBS_NUM_VERTEX_TYPES].bit, out = types[i % POPLIBS_NUM_VERTEX_TYPES].bit;
            bool mixed = operation->mixed && (in | out | POPLIBS_FLOATING) == POPLIBS_FLOATING;
            if (!(operation->types & in) || (in != out && !mixed))
                continue;
            for (unsigned how = 0; how < (operation->scales ? 4 : 1); ++how)
                register_reduction(graph, operation, types[i / POPLIBS_NUM_VERTEX_TYPES].type,
                                   types[i % POPLIBS_NUM_VERTEX_TYPES].type, how);
        }
    }
}
#endif
