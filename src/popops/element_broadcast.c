/* SPDX-License-Identifier: Apache-2.0 */
/* A second operand that is a vector, a bias or a scale: it is connected as it is, not as often as it is used. */
#include "popops/element_graph.h"

#include "poplibs/tiles.h"

/* Parts of rows must have this many elements on average, or gathering them is no better. */
enum { LEAST_PIECE = 8 };

struct rows {
    const struct element_call *call;
    const struct element_broadcast *vertices;
    pop_compute_set set;
    pop_tensor data, vector, out; /* flat */
    size_t length;                /* of a row of the output */
    bool outer;                   /* the vector has an element for each row; else one for each place in a row */
    size_t pieces;                /* of the dry run */
};

/* Rows and columns exchanged. */
static void turn(struct rows *rows)
{
    pop_tensor *const tensors[] = { &rows->data, &rows->out };
    size_t elements = pop_tensor_num_elements(rows->out), count = elements / rows->length;
    pop_where where = rows->call->where;
    for (size_t i = 0; i < 2; ++i)
        *tensors[i] = pop_tensor_flatten_at(where, pop_tensor_transpose_at(where, pop_tensor_reshape_at(where, *tensors[i], POP_SHAPE(count, rows->length))));
    rows->length = count;
    rows->outer = !rows->outer;
}

/* The output's shape is some rows of the same length: those of the leading dimensions that the vector has, or those that it lacks. */
static bool find_rows(struct rows *rows, pop_tensor vector, pop_tensor out)
{
    size_t rank = pop_tensor_rank(out), missing = rank - pop_tensor_rank(vector), inner = 1, outer = 1;
    int changes = 0, state = -1; /* 1: the vector goes along, 0: it is repeated */
    for (size_t i = 0; i < rank; ++i) {
        size_t extent = pop_tensor_dim(out, i), own = i < missing ? 1 : pop_tensor_dim(vector, i - missing);
        if (extent == 1)
            continue;
        int now = own == extent;
        changes += state >= 0 && now != state;
        *(changes ? &inner : &outer) *= extent;
        state = now;
    }
    rows->length = inner;
    rows->outer = state == 0;
    return changes == 1;
}

static bool whole_rows(const struct rows *rows, const pop_interval_lists *regions)
{
    return regions->count == 1 && regions->first[1] == 1 && regions->intervals[0].begin % rows->length == 0 && regions->intervals[0].end % rows->length == 0;
}
static void count_tile(pop_graph *graph, const struct poplibs_tile *tile, void *user)
{
    struct rows *rows = user;
    (void)graph;
    for (size_t i = 0; i < tile->regions->first[tile->regions->count] && !whole_rows(rows, tile->regions); ++i) {
        pop_interval at = tile->regions->intervals[i];
        rows->pieces += (at.end - 1) / rows->length - at.begin / rows->length + 1;
    }
}

static bool has_long_pieces(struct rows *rows)
{
    rows->pieces = 0;
    poplibs_for_each_tile(rows->call->where, rows->call->graph, rows->out, count_tile, rows);
    return poplibs_ready(rows->call->graph) && rows->pieces * LEAST_PIECE <= pop_tensor_num_elements(rows->out);
}

static pop_tensor vector_slice(const struct rows *rows, size_t begin, size_t end)
{
    if (rows->outer)
        return pop_tensor_slice_at(rows->call->where, rows->vector, begin / rows->length, (end - 1) / rows->length + 1, 0);
    return pop_tensor_slice_at(rows->call->where, rows->vector, begin % rows->length, (end - 1) % rows->length + 1, 0);
}

/* One region of whole rows. */
static void add_whole(const struct rows *rows, unsigned tile, pop_interval at)
{
    const struct element_call *call = rows->call;
    pop_vertex vertex = pop_graph_add_vertex_at(call->where, call->graph, rows->set, rows->outer ? rows->vertices->outer : rows->vertices->inner);
    pop_graph_connect_at(call->where, call->graph, vertex, "data", pop_tensor_slice_interval_at(call->where, rows->data, at, 0));
    pop_graph_connect_at(call->where, call->graph, vertex, "B", rows->outer ? vector_slice(rows, at.begin, at.end) : rows->vector);
    if (!call->in_place)
        pop_graph_connect_at(call->where, call->graph, vertex, "out", pop_tensor_slice_interval_at(call->where, rows->out, at, 0));
    pop_graph_map_vertex_at(call->where, call->graph, vertex, tile);
}

/* Parts of rows, cut where rows end. */
static void add_pieces(const struct rows *rows, unsigned tile, const pop_interval *list, size_t count)
{
    const struct element_call *call = rows->call;
    struct interval_vec pieces = { 0 };
    for (size_t i = 0; i < count; ++i)
        for (size_t at = list[i].begin, end; at < list[i].end; at = end) {
            end = poplibs_min(list[i].end, (at / rows->length + 1) * rows->length);
            interval_push(&pieces, at, end);
        }
    pop_tensor *slices = poplibs_new(3 * pieces.count, sizeof(*slices)), *vector = slices + pieces.count, *out = vector + pieces.count;
    for (size_t i = 0; i < pieces.count; ++i) {
        slices[i] = pop_tensor_slice_interval_at(call->where, rows->data, pieces.list[i], 0);
        vector[i] = vector_slice(rows, pieces.list[i].begin, pieces.list[i].end);
        out[i] = pop_tensor_slice_interval_at(call->where, rows->out, pieces.list[i], 0);
    }
    pop_vertex vertex = pop_graph_add_vertex_at(call->where, call->graph, rows->set, rows->vertices->rows);
    pop_graph_connect_list_at(call->where, call->graph, vertex, call->fields[0], (pop_tensors){ pieces.count, slices });
    pop_graph_connect_list_at(call->where, call->graph, vertex, call->fields[1], (pop_tensors){ pieces.count, vector });
    if (!call->in_place)
        pop_graph_connect_list_at(call->where, call->graph, vertex, "out", (pop_tensors){ pieces.count, out });
    pop_graph_map_vertex_at(call->where, call->graph, vertex, tile);
    free(slices);
    free(pieces.list);
}

static void add_tile(pop_graph *graph, const struct poplibs_tile *tile, void *user)
{
    const struct rows *rows = user;
    const pop_target *target = pop_graph_target(graph);
    pop_type type = pop_tensor_type(rows->data);
    pop_interval_list all = { tile->regions->first[tile->regions->count], tile->regions->intervals };
    pop_interval_lists parts;
    bool whole = whole_rows(rows, tile->regions), cpu = target->type == POP_TARGET_CPU;
    unsigned grain = whole ? (unsigned)rows->length : pop_target_vector_width(target, type);
    if (cpu)
        poputil_split_regions(all, grain, ELEMENT_CPU_PARTS, (unsigned)(ELEMENT_CPU_PART_BYTES / pop_type_size(type)), POPUTIL_NO_LIMIT, POPUTIL_NO_LIMIT,
                              &parts);
    else if (whole)
        poputil_split_regions(all, grain, 1, 0, POPUTIL_NO_LIMIT, POPUTIL_NO_LIMIT, &parts);
    else
        poputil_split_regions_between_workers(target, all, grain, 2 * grain, POPUTIL_NO_LIMIT, POPUTIL_NO_LIMIT, &parts);
    for (size_t i = 0; i < parts.count; ++i) {
        if (whole)
            add_whole(rows, tile->tile, parts.intervals[parts.first[i]]);
        else
            add_pieces(rows, tile->tile, parts.intervals + parts.first[i], parts.first[i + 1] - parts.first[i]);
    }
    pop_interval_lists_free(&parts);
}

bool element_run_broadcast(const struct element_call *call, const struct element_broadcast *broadcast)
{
    char path[256];
    size_t elements = pop_tensor_num_elements(call->out);
    struct rows rows = { .call = call, .vertices = broadcast };
    if (!poplibs_ready(call->graph) || !elements || pop_tensor_num_elements(call->given[0]) != elements || !find_rows(&rows, call->given[1], call->out))
        return false;
    rows.data = pop_tensor_flatten_at(call->where, call->in[0]);
    rows.vector = pop_tensor_flatten_at(call->where, call->given[1]);
    rows.out = pop_tensor_flatten_at(call->where, call->out);
    if (!has_long_pieces(&rows)) {
        turn(&rows); /* products have their columns together */
        if (!has_long_pieces(&rows))
            return false;
    }
    rows.set = pop_graph_add_compute_set_at(call->where, call->graph, poplibs_path(path, sizeof(path), call->name, call->step));
    poplibs_for_each_tile(call->where, call->graph, rows.out, add_tile, &rows);
    pop_sequence_add_at(call->where, call->sequence, pop_execute_at(call->where, rows.set, call->name));
    return true;
}
