/* SPDX-License-Identifier: Apache-2.0 */
/* Broadcasts the operands to one shape, creates the output, and adds the vertices.  A tile whose share is one region
 * gets one vertex for all its workers; other tiles get one vertex for each worker, with several rows.  A CPU device has
 * one tile: there large work is divided among the host's threads. */
#include "popops/elementwise/element_graph.h"
#include "poplibs/log.h"
#include "popops/elementwise/element_broadcast.h"

#include <assert.h>
#include <poputil/broadcast.h>
#include <poputil/tile_mapping.h>

/* ---- shapes and outputs ---- */

/* Of several operands that have the output's shape, the one that is spread best. */
static pop_tensor output_like(const struct call *call, pop_tensors inputs, pop_tensor shaped, pop_type type)
{
    pop_graph *graph = call->graph;
    const pop_tensor *best = NULL;
    struct poplibs_spread best_spread = { 0, 0 };
    size_t models = 0;
    for (size_t i = 0; i < inputs.count; ++i)
        models += poplibs_shapes_equal(inputs.list[i], shaped);
    for (size_t i = 0; i < inputs.count; ++i) {
        pop_interval_lists mapping = { 0 };
        if (!poplibs_shapes_equal(inputs.list[i], shaped) || !pop_tensor_is_parallel_writeable(inputs.list[i]))
            continue;
        if (!pop_graph_get_tile_mapping(graph, inputs.list[i], NULL, models > 1 ? &mapping : NULL))
            return (pop_tensor){ 0 };
        struct poplibs_spread spread = poplibs_spread_of(&mapping);
        pop_interval_lists_free(&mapping);
        if (!best || poplibs_spread_better(spread, best_spread)) {
            best = &inputs.list[i];
            best_spread = spread;
        }
    }
    if (best)
        return pop_graph_clone(graph, type, *best, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, call->name);
    size_t *dims = poplibs_new(pop_tensor_rank(shaped), sizeof(*dims));
    pop_shape shape = { pop_tensor_shape(shaped, dims, pop_tensor_rank(shaped)), dims };
    pop_tensor out = pop_graph_add_variable(graph, type, shape, call->name);
    poputil_map_tensor_linearly(graph, out);
    free(dims);
    return out;
}

/* Broadcasts tensors to one shape; false, with an error recorded, if their shapes do not match. */
static bool match_shapes(const struct call *call, pop_tensor *tensors, size_t count)
{
    char texts[3][128] = { "" };
    size_t max = 0;
    for (size_t i = 0; i < count; ++i)
        max = pop_tensor_rank(tensors[i]) > pop_tensor_rank(tensors[max]) ? i : max;
    for (size_t round = 0; round < 2; ++round)
        for (size_t i = 0; i < count; ++i) {
            if (i == max || poplibs_shapes_equal(tensors[i], tensors[max]))
                continue;
            if (!poputil_can_broadcast_to_match(tensors[max], tensors[i])) {
                pop_tensor_shape_to_string(tensors[max], texts[0], sizeof(texts[0]));
                pop_tensor_shape_to_string(tensors[i], texts[1], sizeof(texts[1]));
                return call_fail(call, POP_POPLAR_ERROR,
                                 "operands of shapes %s and %s do not match: a dimension must be equal or 1", texts[0],
                                 texts[1]);
            }
            poputil_broadcast_to_match(&tensors[max], &tensors[i]);
        }
    return !pop_graph_error(call->graph);
}

/* Operands may have more dims than an output that is given, ones that come first: {1,2,3} is added to {2,3}. */
static void drop_leading_ones(struct element_call *element)
{
    const struct call *call = element->call;
    size_t rank = pop_tensor_rank(element->out);
    for (size_t i = 0; i < element->count; ++i) {
        size_t extra = 0;
        while (pop_tensor_rank(element->given[i]) - extra > rank && pop_tensor_dim(element->given[i], extra) == 1)
            ++extra;
        for (; extra; --extra)
            element->given[i] = pop_tensor_at(element->given[i], 0);
    }
}

bool element_match(struct element_call *element)
{
    assert(element->count && element->count <= sizeof(element->in) / sizeof(element->in[0]));
    if (pop_tensor_valid(element->out))
        drop_leading_ones(element);
    memcpy(element->in, element->given, element->count * sizeof(element->in[0]));
    if (!match_shapes(element->call, element->in, element->count))
        return false;
    for (size_t i = 0; i < element->count; ++i)
        if (pop_tensor_num_elements(element->in[i]) > 1 && pop_tensor_num_elements(element->given[i]) == 1) {
            element->scalar[i] = true;
            element->in[i] = element->given[i];
        }
    return true;
}

/* An operand that has the common shape: one that is not a scalar, or, if all have one element, the first. */
static pop_tensor shaped_operand(const struct element_call *element)
{
    size_t i = 0;
    while (element->scalar[i])
        ++i;
    assert(i < element->count);
    return element->in[i];
}
void element_new_output(struct element_call *element, pop_type type)
{
    element->out =
        output_like(element->call, (pop_tensors){ element->count, element->given }, shaped_operand(element), type);
}

bool element_check_output(const struct element_call *element, pop_type type)
{
    const struct call *call = element->call;
    char have[128], want[128];
    pop_tensor out = element->out, shaped = shaped_operand(element);
    if (!pop_tensor_valid(out))
        return call_fail(call, POP_POPLAR_ERROR, "the output is a null tensor");
    if (pop_tensor_type(out) != type)
        return call_fail(call, POP_TYPE_ERROR, "the output is %s, the result %s", pop_type_name(pop_tensor_type(out)),
                         pop_type_name(type));
    if (!poplibs_shapes_equal(out, shaped)) {
        pop_tensor_shape_to_string(out, have, sizeof(have));
        pop_tensor_shape_to_string(shaped, want, sizeof(want));
        return call_fail(call, POP_POPLAR_ERROR, "the output has shape %s, the result %s", have, want);
    }
    return call_takes_writeable(call, "the output", out) && call_takes(call, "the output", out);
}

pop_tensor popops_create_output_for_element_wise_op_at(pop_where where, pop_graph *graph, pop_tensors inputs,
                                                       pop_type type, const char *name)
{
    POPLIBS_CALL(graph, inputs, log_type(type), name);
    pop_tensor out = { 0 };
    if (!call_ready(call))
        return out;
    if (!inputs.count) {
        call_fail(call, POP_POPLAR_ERROR,
                  "there are no inputs; at least one is needed to determine the output's shape");
        return out;
    }
    for (size_t i = 0; i < inputs.count; ++i)
        if (!pop_tensor_valid(inputs.list[i])) {
            call_fail(call, POP_POPLAR_ERROR, "input %zu is a null tensor", i + 1);
            return out;
        }
    pop_tensor *views = poplibs_new(inputs.count, sizeof(*views));
    memcpy(views, inputs.list, inputs.count * sizeof(*views));
    if (match_shapes(call, views, inputs.count))
        out = output_like(call, inputs, views[0], type);
    free(views);
    return out;
}

/* ---- vertices ---- */

static void connect_operand(const struct element_work *work, pop_vertex vertex, const char *field, pop_tensor flat,
                            bool scalar, const poputil_partitions *parts, size_t first, size_t rows)
{
    const struct element_call *element = work->element;
    const struct call *call = element->call;
    if (scalar && element->number) {
        call_connect(call, vertex, field, pop_tensor_reshape(flat, POP_SHAPE()));
    } else if (!rows) {
        call_connect(call, vertex, field, scalar ? flat : call_slice_of_list(call, flat, &parts->regions, first));
    } else if (!scalar) {
        call_connect_rows(call, vertex, field, flat, &parts->regions, first, rows);
    } else {
        pop_tensor *same = poplibs_new(rows, sizeof(*same));
        for (size_t i = 0; i < rows; ++i)
            same[i] = flat;
        pop_graph_connect_list(call->graph, vertex, field, (pop_tensors){ rows, same });
        free(same);
    }
}

static void add_vertices(const struct element_work *work, unsigned tile, const poputil_partitions *parts)
{
    const struct element_call *element = work->element;
    const struct call *call = element->call;
    for (size_t i = 0; i < parts->count; ++i) {
        size_t first = parts->first[i], lists = parts->first[i + 1] - first,
               rows = lists > 1 || !element->vertex ? lists : 0;
        pop_vertex vertex = call_vertex(call, work->set, rows ? element->vertex_rows : element->vertex, tile);
        if (!element->in_place)
            connect_operand(work, vertex, "out", work->out, false, parts, first, rows);
        for (size_t k = 0; k < element->count; ++k)
            connect_operand(work, vertex, element->fields[k], work->in[k], element->scalar[k], parts, first, rows);
        if (element->tolerance)
            pop_graph_set_field_double(call->graph, vertex, "tolerance", *element->tolerance);
    }
}

static void visit_tile(const struct call *call, const struct poplibs_tile *tile, void *user)
{
    const struct element_work *work = user;
    const pop_target *target = pop_graph_target(call->graph);
    pop_type type = pop_tensor_type(work->element->given[0]);
    if (work->element->broadcast && element_add_broadcast(work, tile))
        return;
    unsigned grain = pop_target_vector_width(target, type), size = (unsigned)pop_type_size(type);
    poputil_partitions parts;
    if (target->type == POP_TARGET_CPU)
        poplibs_split_on_cpu(tile->regions, 64, ELEMENT_CPU_PART_BYTES / size, &parts);
    else if (tile->regions->count == 1 && work->element->vertex)
        poputil_split_regions_lists(tile->regions, grain, 1, 0, POPUTIL_NO_LIMIT, POPUTIL_NO_LIMIT, &parts);
    else
        poputil_split_regions_lists_between_workers(target, tile->regions, grain, 2 * grain, POPUTIL_NO_LIMIT,
                                                    POPUTIL_NO_LIMIT, &parts);
    add_vertices(work, tile->tile, &parts);
    poputil_partitions_free(&parts);
}

static void add_to_set(const struct element_call *element, pop_compute_set set)
{
    const struct call *call = element->call;
    struct element_work work = { .element = element, .set = set };
    pop_tensor *others[ELEMENT_OPERANDS];
    size_t count = 0;
    for (size_t i = 0; i < element->count; ++i) {
        work.in[i] = pop_tensor_flatten(element->in[i]);
        if (!element->scalar[i])
            others[count++] = &work.in[i];
    }
    work.out = pop_tensor_flatten(element->out);
    pop_graph_reorder_to_simplify(call->graph, &work.out, others, count, false);
    call_for_each_tile(call, work.out, visit_tile, &work);
}

bool element_needs_copy(const struct element_call *element)
{
    for (size_t i = element->in_place; i < element->count; ++i)
        if (pop_tensor_intersects(element->in[i], element->out) && !pop_tensor_equal(element->in[i], element->out))
            return true;
    return false;
}

void element_run(const struct element_call *element)
{
    const struct call *call = element->call;
    if (!call_ready(call) || !pop_tensor_num_elements(element->out))
        return;
    pop_compute_set set = pop_graph_add_compute_set(call->graph, call_path(call, call->name, element->step));
    pop_mark mark = pop_graph_mark(call->graph);
    add_to_set(element, set);
    pop_graph_release(call->graph, mark);
    call_execute(call, set, call->name);
}
