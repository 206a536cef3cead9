/* SPDX-License-Identifier: Apache-2.0 */
/* The vertices of an element-wise operation.  A tile whose elements are one region gets one vertex for all of its workers; others get one for each
 * worker, with rows.  On a CPU, which has one tile, large work is cut for the host's threads. */
#include "popops/element_graph.h"

#include "poplibs/tiles.h"

/* Parts on a CPU: the same on every machine, and none so small that starting it matters. */
enum { CPU_PARTS = 64, CPU_PART_BYTES = 64 << 10 };

struct work {
    const struct element_wise *call;
    pop_compute_set set;
    pop_tensor in[ELEMENT_WISE_OPERANDS], out; /* flat, in one order */
};

static const char *field_of(const struct element_wise *call, int operand)
{
    static const char *const fields[] = { "in1", "in2", "in3" };
    if (operand == 0 && call->in_place)
        return call->arity == 1 ? "inOut" : "in1Out";
    return call->arity == 1 ? "in" : fields[operand];
}

static pop_vertex new_vertex(const struct element_wise *call, pop_compute_set set, bool rows)
{
    char name[128];
    const char *in_place = call->in_place ? "InPlace" : "", *type = pop_type_name(call->type);
    if (call->arity == 3)
        snprintf(name, sizeof(name), "popops::%s%s<%s>", call->info->node, in_place, type);
    else
        snprintf(name, sizeof(name), "popops::%sOp%s%s%s<popops::expr::%s::%s,%s>", call->arity == 1 ? "Unary" : "Binary", rows ? "2D" : "1D", in_place,
                 rows ? "" : "Supervisor", operator_kind(call->arity), call->info->constant, type);
    return pop_graph_add_vertex_at(call->where, call->graph, set, name);
}

static void connect_operand(const struct work *work, pop_vertex vertex, const char *field, pop_tensor flat, bool scalar,
                            const poputil_partitions *parts, size_t first, size_t rows)
{
    const struct element_wise *call = work->call;
    if (!rows) {
        pop_graph_connect_at(call->where, call->graph, vertex, field, scalar ? flat : poplibs_slice_of_list(call->where, flat, &parts->regions, first));
    } else if (!scalar) {
        poplibs_connect_rows(call->where, call->graph, vertex, field, flat, &parts->regions, first, rows);
    } else {
        pop_tensor *same = poplibs_new(rows, sizeof(*same));
        for (size_t i = 0; i < rows; ++i)
            same[i] = flat;
        pop_graph_connect_list_at(call->where, call->graph, vertex, field, (pop_tensors){ rows, same });
        free(same);
    }
}

static void add_vertices(const struct work *work, unsigned tile, const poputil_partitions *parts)
{
    const struct element_wise *call = work->call;
    for (size_t i = 0; i < parts->count; ++i) {
        size_t first = parts->first[i], lists = parts->first[i + 1] - first, rows = lists > 1 || call->arity == 3 ? lists : 0;
        pop_vertex vertex = new_vertex(call, work->set, rows > 0);
        if (!call->in_place)
            connect_operand(work, vertex, "out", work->out, false, parts, first, rows);
        for (int k = 0; k < call->arity; ++k)
            connect_operand(work, vertex, field_of(call, k), work->in[k], call->scalar[k], parts, first, rows);
        pop_graph_map_vertex_at(call->where, call->graph, vertex, tile);
    }
}

static void visit_tile(pop_graph *graph, const struct poplibs_tile *tile, void *user)
{
    const struct work *work = user;
    const pop_target *target = pop_graph_target(graph);
    unsigned grain = pop_target_vector_width(target, work->call->type), size = (unsigned)pop_type_size(work->call->type);
    poputil_partitions parts;
    if (target->type == POP_TARGET_CPU)
        poputil_split_regions_lists(tile->regions, 64, CPU_PARTS, CPU_PART_BYTES / size, POPUTIL_NO_LIMIT, POPUTIL_NO_LIMIT, &parts);
    else if (tile->regions->count == 1 && work->call->arity < 3)
        poputil_split_regions_lists(tile->regions, grain, 1, 0, POPUTIL_NO_LIMIT, POPUTIL_NO_LIMIT, &parts);
    else
        poputil_split_regions_lists_between_workers(target, tile->regions, grain, 2 * grain, POPUTIL_NO_LIMIT, POPUTIL_NO_LIMIT, &parts);
    add_vertices(work, tile->tile, &parts);
    poputil_partitions_free(&parts);
}

void element_wise_vertices(const struct element_wise *call, pop_compute_set set)
{
    struct work work = { .call = call, .set = set };
    pop_tensor *others[ELEMENT_WISE_OPERANDS];
    size_t count = 0;
    for (int i = 0; i < call->arity; ++i) {
        work.in[i] = pop_tensor_flatten_at(call->where, call->in[i]);
        if (!call->scalar[i])
            others[count++] = &work.in[i];
    }
    work.out = pop_tensor_flatten_at(call->where, call->out);
    pop_graph_reorder_to_simplify_at(call->where, call->graph, &work.out, others, count, false);
    poplibs_for_each_tile(call->where, call->graph, work.out, visit_tile, &work);
}
