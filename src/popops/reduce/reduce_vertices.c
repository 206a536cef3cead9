/* SPDX-License-Identifier: Apache-2.0 */
/* popops::Reduce<op,partials,out,update,specialisation> and popops::ScaledReduce<...>, which multiplies by *k.  See
 * reduce_types.h. */
#include "popops/reduce/reduce_types.h"

#ifdef __POPC__
#include "popops/reduce/reduce_kernels.h"

#define OPERATION_TEMPLATE "popops/reduce/reduce_operation.h"
#include "popops/reduce/each_operation.h"

#else
#include "poplibs/estimates.h"
#include "popops/vertices.h"

/* Poplibs 1.2's formulas (poplibs.md 2.2); where a vertex here does more than Poplibs' (blocks, several rows), the
 * parts are added up. */
enum { SUMS, PRODUCTS, OTHERS }; /* Add and SquareAdd; Mul, Min and Max; the rest */

struct kind { /* packed into an estimator's user pointer */
    unsigned class;
    bool half, half_out, update;
};
static void *pack(unsigned class, pop_type in, pop_type out, bool update)
{
    return poplibs_as_user(class | (in == POP_HALF ? 4u : 0) | (out == POP_HALF ? 8u : 0) | (update ? 16u : 0));
}
static struct kind unpack(void *user)
{
    uintptr_t bits = (uintptr_t)user;
    return (struct kind){ bits & 3, bits >> 2 & 1, bits >> 3 & 1, bits >> 4 & 1 };
}
static size_t size_of(const pop_vertex_view *vertex, const char *field, size_t index)
{
    return pop_vertex_view_field_size(vertex, field, index);
}

/* One output from a run of elements: two vectors at a time. */
static uint64_t run_cycles(size_t elements, unsigned vector)
{
    return elements < 6 ? 6 : 2 * (elements / (2 * vector)) + elements % (2 * vector);
}

/* What is left of a width by eights is done in loops of four, two and one. */
static size_t rest_loops(size_t width)
{
    return (width & 1) + (width >> 1 & 1) + (width >> 2 & 1);
}

/* One region of partials: `rows` rows of width elements. */
static uint64_t region_cycles(const struct kind *kind, size_t rows, size_t width, unsigned vector)
{
    size_t loops = width / 8, rest = rest_loops(width);
    switch (kind->class) {
    case SUMS:
        if (width == 1)
            return 11 + run_cycles(rows, vector);
        return loops * (11 + (kind->half ? 9 : 7) * rows) + rest * (11 + 3 * rows);
    case PRODUCTS:
        return 11 + (kind->half ? 8 : 5) * poplibs_ceil_div(rows * width, vector);
    default:
        return 7 * poplibs_ceil_div(rows * width, vector);
    }
}
static uint64_t reduction_cycles(const struct kind *kind, size_t width)
{
    if (kind->class == SUMS)
        return 29 + (width >= 8 ? 22 : 0) + 8 * rest_loops(width);
    return kind->class == PRODUCTS ? 27 + (kind->half ? 4 : 6) : 10;
}

static pop_perf estimate_default(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    struct kind kind = unpack(user);
    unsigned vector = pop_target_vector_width(target, kind.half ? POP_HALF : POP_FLOAT);
    uint64_t cycles = kind.class == OTHERS ? 9 + 7 : 33;
    size_t region = 0;
    for (size_t i = 0; i < size_of(vertex, "out", POP_WHOLE); ++i) {
        size_t width = size_of(vertex, "out", i);
        cycles += reduction_cycles(&kind, width);
        for (size_t end = region + (size_t)pop_vertex_view_field_value(vertex, "numPartials", i); region < end;
             ++region)
            cycles += region_cycles(&kind, size_of(vertex, "partials", region) / poplibs_max(1, width), width, vector);
    }
    return (pop_perf){ cycles, 0 };
}

static pop_perf estimate_single(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    struct kind kind = unpack(user);
    unsigned vector = pop_target_vector_width(target, kind.half ? POP_HALF : POP_FLOAT);
    return (pop_perf){ 26 + run_cycles(size_of(vertex, "partials", POP_WHOLE), vector) + (kind.half_out ? 5 : 0), 0 };
}

static pop_perf estimate_strided(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    struct kind kind = unpack(user);
    unsigned vector = pop_target_vector_width(target, kind.half ? POP_HALF : POP_FLOAT);
    size_t outputs = size_of(vertex, "out", POP_WHOLE), width = (size_t)pop_vertex_view_field_value(vertex, "width", 0);
    size_t blocks = outputs / poplibs_max(1, width), rows = (size_t)pop_vertex_view_field_value(vertex, "rows", 0);
    return (pop_perf){
        24 + blocks * (6 * poplibs_ceil_div(width, kind.half ? 4 : 2) + poplibs_ceil_div(rows * width, vector)), 0
    };
}

static pop_perf estimate_continuous(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    struct kind kind = unpack(user);
    unsigned vector = pop_target_vector_width(target, kind.half ? POP_HALF : POP_FLOAT);
    size_t outputs = size_of(vertex, "out", POP_WHOLE),
           each = size_of(vertex, "partials", POP_WHOLE) / poplibs_max(1, outputs);
    return (pop_perf){
        outputs * poplibs_ceil_div(each, vector) + 12 * outputs + 10 + (each % vector ? 2 : 0) + kind.update + 7, 0
    };
}

static void register_reduction(pop_graph *graph, const char *operation, unsigned class, pop_type in, pop_type out,
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
        snprintf(name, sizeof(name), "popops::%s<popops::Reduce%s,%s,%s,%s,%d>", scale ? "ScaledReduce" : "Reduce",
                 operation, pop_type_name(in), pop_type_name(out), update ? "true" : "false", forms[i].number);
        pop_graph_register_perf_estimator(graph, name, forms[i].estimator, pack(class, in, out, update));
    }
}

void popops_reduce_vertices(pop_graph *graph)
{
    static const struct {
        const char *name;
        unsigned class, types;
        bool mixed, scales;
    } operations[] = {
        { "Add", SUMS, REDUCE_TYPES_Add, REDUCE_MIXED_Add, REDUCE_SCALES_Add },
        { "SquareAdd", SUMS, REDUCE_TYPES_SquareAdd, REDUCE_MIXED_SquareAdd, REDUCE_SCALES_SquareAdd },
        { "LogAdd", OTHERS, REDUCE_TYPES_LogAdd, REDUCE_MIXED_LogAdd, REDUCE_SCALES_LogAdd },
        { "Mul", PRODUCTS, REDUCE_TYPES_Mul, REDUCE_MIXED_Mul, REDUCE_SCALES_Mul },
        { "Min", PRODUCTS, REDUCE_TYPES_Min, REDUCE_MIXED_Min, REDUCE_SCALES_Min },
        { "Max", PRODUCTS, REDUCE_TYPES_Max, REDUCE_MIXED_Max, REDUCE_SCALES_Max },
        { "And", OTHERS, REDUCE_TYPES_And, REDUCE_MIXED_And, REDUCE_SCALES_And },
        { "Or", OTHERS, REDUCE_TYPES_Or, REDUCE_MIXED_Or, REDUCE_SCALES_Or },
    };
    const struct poplibs_vertex_type *types = poplibs_vertex_types;
    for (size_t op = 0; op < sizeof(operations) / sizeof(operations[0]); ++op)
        for (size_t i = 0; i < POPLIBS_NUM_VERTEX_TYPES * POPLIBS_NUM_VERTEX_TYPES; ++i) {
            unsigned in = types[i / POPLIBS_NUM_VERTEX_TYPES].bit, out = types[i % POPLIBS_NUM_VERTEX_TYPES].bit;
            bool mixed = operations[op].mixed && (in | out | POPLIBS_FLOATING) == POPLIBS_FLOATING;
            if (!(operations[op].types & in) || (in != out && !mixed))
                continue;
            for (unsigned how = 0; how < (operations[op].scales ? 4 : 1); ++how)
                register_reduction(graph, operations[op].name, operations[op].class,
                                   types[i / POPLIBS_NUM_VERTEX_TYPES].type, types[i % POPLIBS_NUM_VERTEX_TYPES].type,
                                   how);
        }
}
#endif
