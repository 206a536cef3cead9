/* SPDX-License-Identifier: Apache-2.0 */
/* Adds a vertex for each worker of each tile: for one region if its share is contiguous, otherwise for several. */
#include "poplibs/log.h"
#include "poplibs/tiles.h"

#include <poplar/metadata.h>
#include <popops/cast.h>
#include <popops/fill.h>

struct fill {
    const struct call *call;
    pop_compute_set set;
    pop_tensor flat;
    pop_type value_type;
    const void *value;
};

/* The tensor, flat; QUARTER as bytes, which are filled with 0 alone: the code of another value depends on metadata,
 * which vertices of the same set may write. */
static pop_tensor flat_of(const struct call *call, pop_tensor t, pop_type value_type, const void *value)
{
    double number = 0;
    if (pop_tensor_type(t) != POP_QUARTER)
        return pop_tensor_flatten(t);
    pop_convert(value_type, value, POP_DOUBLE, &number, 1);
    if (number != 0)
        call_fail(call, POP_TYPE_ERROR,
                  "in a compute set quarter is filled with 0 alone, not with %g: fill it in a sequence", number);
    return pop_tensor_flatten(pop_tensor_reinterpret(t, POP_UNSIGNED_CHAR));
}

static void fill_regions(const struct call *call, const struct poplibs_tile *tile, void *user)
{
    const struct fill *fill = user;
    const pop_target *target = pop_graph_target(call->graph);
    pop_type type = pop_tensor_type(fill->flat);
    unsigned grain = pop_target_vector_width(target, type);
    poputil_partitions parts;
    poputil_split_regions_lists_between_workers(target, tile->regions, grain, 2 * grain, POPUTIL_NO_LIMIT,
                                                POPUTIL_NO_LIMIT, &parts);
    char name[64];
    for (size_t i = 0; i < parts.count; ++i) {
        size_t first = parts.first[i], count = parts.first[i + 1] - first;
        snprintf(name, sizeof(name), count == 1 ? "popops::Fill<%s>" : "popops::Fill2d<%s>", pop_type_name(type));
        pop_vertex vertex = call_vertex(call, fill->set, name, tile->tile);
        if (count == 1)
            call_connect(call, vertex, "out", call_slice_of_list(call, fill->flat, &parts.regions, first));
        else
            call_connect_rows(call, vertex, "out", fill->flat, &parts.regions, first, count);
        pop_graph_set_field(call->graph, vertex, "in", fill->value_type, fill->value);
    }
    poputil_partitions_free(&parts);
}

void popops_fill_value_in_at(pop_where where, pop_graph *graph, pop_tensor t, pop_compute_set set, pop_type value_type,
                             const void *value)
{
    POPLIBS_CALL(graph, t, log_type(value_type));
    if (!call_ready(call))
        return;
    struct fill fill = { call, set, flat_of(call, t, value_type, value), value_type, value };
    if (call_ready(call))
        call_for_each_tile(call, fill.flat, fill_regions, &fill);
}
void popops_fill_in_at(pop_where where, pop_graph *graph, pop_tensor t, pop_compute_set set, double value)
{
    POPLIBS_CALL(graph, t, value);
    popops_fill_value_in(graph, t, set, POP_DOUBLE, &value);
}

void popops_fill_value_on_tile_at(pop_where where, pop_graph *graph, pop_tensor t, pop_interval_list regions,
                                  unsigned tile, pop_compute_set set, pop_type value_type, const void *value)
{
    POPLIBS_CALL(graph, t, tile, log_type(value_type));
    if (!call_ready(call))
        return;
    struct fill fill = { call, set, flat_of(call, t, value_type, value), value_type, value };
    pop_interval_lists lists;
    if (call_ready(call) && pop_graph_get_sorted_contiguous_regions(graph, fill.flat, regions, true, NULL, &lists)) {
        fill_regions(call, &(struct poplibs_tile){ tile, &lists }, &fill);
        pop_interval_lists_free(&lists);
    }
}
void popops_fill_on_tile_at(pop_where where, pop_graph *graph, pop_tensor t, pop_interval_list regions, unsigned tile,
                            pop_compute_set set, double value)
{
    POPLIBS_CALL(graph, t, tile, value);
    popops_fill_value_on_tile(graph, t, regions, tile, set, POP_DOUBLE, &value);
}

/* The value of a call that fills a tensor in a sequence, and the name of its step. */
struct filling {
    pop_type value_type;
    const void *value;
    const char *step;
};
/* Fills QUARTER with a code that the program makes by the metadata; false for 0, whose code is the same for all. */
static bool fill_quarter(const struct call *call, const struct filling *filling, pop_tensor t)
{
    float value = 0;
    pop_convert(filling->value_type, filling->value, POP_FLOAT, &value, 1);
    if (pop_tensor_type(t) != POP_QUARTER || value == 0 || !pop_tensor_num_elements(t))
        return false;
    const char *path = call_path(call, call->name, filling->step);
    pop_tensor one = pop_graph_add_constant(call->graph, POP_FLOAT, POP_SHAPE(1), POP_FLOAT, &value, path);
    pop_graph_set_tile_mapping(call->graph, one, 0);
    pop_tensor code = popops_cast_with_metadata(call->graph, one, POP_QUARTER, pop_tensor_get_metadata(t),
                                                call->sequence, path),
               flat = pop_tensor_flatten(t);
    if (call_ready(call))
        call_copy(call, pop_tensor_broadcast(code, (unsigned)pop_tensor_num_elements(t), 0), flat, path);
    return true;
}
static void fill_by(const struct call *call, const struct filling *filling, pop_tensor t)
{
    if (!call_ready(call) || !call_takes(call, "the tensor", t) || fill_quarter(call, filling, t))
        return;
    pop_compute_set set = pop_graph_add_compute_set(call->graph, call_path(call, call->name, filling->step));
    popops_fill_value_in(call->graph, t, set, filling->value_type, filling->value);
    call_execute(call, set, call->name);
}

void popops_fill_at(pop_where where, pop_graph *graph, pop_tensor t, pop_program sequence, double value,
                    const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, t, value, name);
    fill_by(call, &(struct filling){ POP_DOUBLE, &value, "Fill" }, t);
}
void popops_fill_value_at(pop_where where, pop_graph *graph, pop_tensor t, pop_program sequence, pop_type value_type,
                          const void *value, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, t, log_type(value_type), name);
    fill_by(call, &(struct filling){ value_type, value, "Fill" }, t);
}

void popops_zero_at(pop_where where, pop_graph *graph, pop_tensor t, pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, t, name);
    fill_by(call, &(struct filling){ POP_DOUBLE, &(double){ 0 }, "Zero" }, t);
}
void popops_zero_in_at(pop_where where, pop_graph *graph, pop_tensor t, pop_compute_set set)
{
    POPLIBS_CALL(graph, t);
    popops_fill_in(graph, t, set, 0);
}
void popops_zero_on_tile_at(pop_where where, pop_graph *graph, pop_tensor t, pop_interval_list regions, unsigned tile,
                            pop_compute_set set)
{
    POPLIBS_CALL(graph, t, tile);
    popops_fill_on_tile(graph, t, regions, tile, set, 0);
}
