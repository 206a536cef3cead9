/* SPDX-License-Identifier: Apache-2.0 */
/* Broadcast of a vector as second operand, such as a bias or a scale.  The vertex is connected to the vector itself,
 * not to a view with repeated elements.  The pattern of each region of memory is derived from the positions of the
 * vector's elements along it: the whole vector repeated (inner), or each element repeated for a whole row (outer). */
#include "popops/elementwise/element_broadcast.h"
#include "popops/elementwise/element_graph.h"

#include "poplibs/places.h"

#include <assert.h>

/* The minimum average number of elements in a part of a row: with smaller parts, gathering the elements is as fast. */
enum { MIN_PIECE = 8 };
/* Region vertices of a tile run one after the other, so above this number workers share parts of rows instead. */
enum { MAX_REGIONS = 6 };

/* The regions of one tile, concatenated, and the positions of the vector's elements along them. */
struct spot {
    const struct element_work *work;
    unsigned tile;
    const pop_interval_lists *regions;
    size_t count; /* elements */
    int64_t *places;
};

/* A region as rows of equal length; rows is 0 if it has no such pattern. */
struct pattern {
    size_t length, rows;
    bool outer; /* the vector has an element for each row; otherwise for each column */
};

static size_t run_from(const int64_t *places, size_t count, int64_t step)
{
    assert(count);
    size_t run = 1;
    while (run < count && places[run] == places[run - 1] + step)
        ++run;
    return run;
}

static struct pattern pattern_of(const int64_t *places, size_t count)
{
    struct pattern none = { 0, 0, false }, pattern = { run_from(places, count, 0), 0, true };
    if (pattern.length == 1) {
        pattern.outer = false;
        while (pattern.length < count && places[pattern.length] != places[0])
            ++pattern.length;
    }
    if (count % pattern.length)
        return none;
    for (size_t i = pattern.length; i < count; ++i)
        if (places[i] != places[pattern.outer ? i - i % pattern.length : i - pattern.length])
            return none;
    pattern.rows = count / pattern.length;
    assert(pattern.rows * pattern.length == count);
    return pattern;
}

/* Whether vertices for whole rows are used: their workers share rows, so there must be enough of them, unless the
 * pattern uses the whole vector. */
static bool serves(const struct spot *spot, struct pattern pattern)
{
    const struct element_call *element = spot->work->element;
    size_t used = pattern.outer ? pattern.rows : pattern.length;
    return pattern.rows >= pop_graph_target(element->call->graph)->num_worker_contexts ||
           (pattern.rows && used == pop_tensor_num_elements(element->given[1]));
}

/* ---- whole rows ---- */

static void add_rows(const struct spot *spot, struct pattern pattern, pop_tensor data, pop_tensor vector,
                     pop_tensor out)
{
    const struct element_call *element = spot->work->element;
    const struct call *call = element->call;
    pop_vertex vertex = call_vertex(call, spot->work->set,
                                    pattern.outer ? element->broadcast->outer : element->broadcast->inner, spot->tile);
    call_connect(call, vertex, "data", data);
    call_connect(call, vertex, "B",
                 pattern.outer ? pop_tensor_sub_sample(vector, (unsigned)pattern.length, 0)
                               : pop_tensor_slice(vector, 0, pattern.length, 0));
    if (!element->in_place)
        call_connect(call, vertex, "out", out);
}

/* One vertex for the region; on a CPU, one for each part. */
static void add_region(const struct spot *spot, size_t region, struct pattern pattern)
{
    const struct element_work *work = spot->work;
    const struct element_call *element = work->element;
    const struct call *call = element->call;
    const pop_target *target = pop_graph_target(call->graph);
    pop_tensor data = call_slice_of_list(call, work->in[0], spot->regions, region), out = data;
    pop_tensor vector = call_slice_of_list(call, work->in[1], spot->regions, region);
    if (!element->in_place)
        out = call_slice_of_list(call, work->out, spot->regions, region);
    if (target->type != POP_TARGET_CPU) {
        add_rows(spot, pattern, data, vector, out);
        return;
    }
    pop_interval all = { 0, pattern.rows * pattern.length };
    pop_interval_lists parts;
    poputil_split_regions((pop_interval_list){ 1, &all }, (unsigned)pattern.length, POPLIBS_CPU_PARTS,
                          (unsigned)(ELEMENT_CPU_PART_BYTES / pop_type_size(pop_tensor_type(data))), POPUTIL_NO_LIMIT,
                          POPUTIL_NO_LIMIT, &parts);
    for (size_t i = 0; i < parts.count; ++i) {
        pop_interval at = parts.intervals[parts.first[i]];
        add_rows(spot, pattern, pop_tensor_slice_interval(data, at, 0), pop_tensor_slice_interval(vector, at, 0),
                 pop_tensor_slice_interval(out, at, 0));
    }
    pop_interval_lists_free(&parts);
}

static bool add_regions(const struct spot *spot)
{
    size_t count = spot->regions->count, at = 0, region = 0;
    struct pattern *patterns = poplibs_new(count, sizeof(*patterns));
    for (; region < count; ++region) {
        size_t elements = poplibs_list_elements(spot->regions, region);
        patterns[region] = pattern_of(spot->places + at, elements);
        if (!serves(spot, patterns[region]))
            break;
        at += elements;
    }
    bool all = region == count && count <= MAX_REGIONS;
    for (size_t i = 0; all && i < count; ++i)
        add_region(spot, i, patterns[i]);
    free(patterns);
    return all;
}

/* ---- parts of rows ---- */

/* The length of the part that begins at an element: along it the vector advances by one, or one element repeats. */
static size_t piece_at(const struct spot *spot, size_t at, size_t max)
{
    size_t along = run_from(spot->places + at, max, 1);
    return along > 1 ? along : run_from(spot->places + at, max, 0);
}

static size_t count_pieces(const struct spot *spot)
{
    size_t pieces = 0, at = 0;
    for (size_t i = 0; i < spot->regions->first[spot->regions->count]; ++i) {
        pop_interval interval = spot->regions->intervals[i];
        for (size_t end = at + interval.end - interval.begin; at < end; ++pieces)
            at += piece_at(spot, at, end - at);
    }
    return pieces;
}

static pop_tensor vector_of_piece(const struct spot *spot, size_t at, pop_interval piece)
{
    const struct call *call = spot->work->element->call;
    bool stays = piece.end - piece.begin > 1 && spot->places[at] == spot->places[at + 1];
    return pop_tensor_slice(spot->work->in[1], piece.begin, stays ? piece.begin + 1 : piece.end, 0);
}

/* One worker's parts; *at is the index of the next element of the tile. */
static void add_share(const struct spot *spot, const pop_interval *list, size_t count, size_t *at)
{
    const struct element_work *work = spot->work;
    const struct element_call *element = work->element;
    const struct call *call = element->call;
    struct interval_vec pieces = { 0 };
    size_t from = *at;
    for (size_t i = 0; i < count; ++i)
        for (size_t begin = list[i].begin, length; begin < list[i].end; begin += length, *at += length) {
            length = piece_at(spot, *at, list[i].end - begin);
            interval_push(&pieces, begin, begin + length);
        }
    pop_tensor *data = poplibs_new(3 * pieces.count, sizeof(*data)), *vector = data + pieces.count,
               *out = vector + pieces.count;
    for (size_t i = 0; i < pieces.count; ++i) {
        data[i] = pop_tensor_slice_interval(work->in[0], pieces.list[i], 0);
        vector[i] = vector_of_piece(spot, from, pieces.list[i]);
        out[i] = pop_tensor_slice_interval(work->out, pieces.list[i], 0);
        from += pieces.list[i].end - pieces.list[i].begin;
    }
    assert(from == *at);
    pop_vertex vertex = call_vertex(call, work->set, element->vertex_rows, spot->tile);
    pop_graph_connect_list(call->graph, vertex, element->fields[0], (pop_tensors){ pieces.count, data });
    pop_graph_connect_list(call->graph, vertex, element->fields[1], (pop_tensors){ pieces.count, vector });
    if (!element->in_place)
        pop_graph_connect_list(call->graph, vertex, "out", (pop_tensors){ pieces.count, out });
    free(data);
    free(pieces.list);
}

static bool add_parts(const struct spot *spot)
{
    const struct element_call *element = spot->work->element;
    const pop_target *target = pop_graph_target(element->call->graph);
    pop_type type = pop_tensor_type(spot->work->out);
    unsigned grain = pop_target_vector_width(target, pop_tensor_type(spot->work->in[0]));
    pop_interval_list all = { spot->regions->first[spot->regions->count], spot->regions->intervals };
    pop_interval_lists shares;
    if (count_pieces(spot) * MIN_PIECE > spot->count)
        return false;
    if (target->type == POP_TARGET_CPU)
        poputil_split_regions(all, grain, POPLIBS_CPU_PARTS, (unsigned)(ELEMENT_CPU_PART_BYTES / pop_type_size(type)),
                              POPUTIL_NO_LIMIT, POPUTIL_NO_LIMIT, &shares);
    else
        poputil_split_regions_between_workers(target, all, grain, 2 * grain, POPUTIL_NO_LIMIT, POPUTIL_NO_LIMIT,
                                              &shares);
    for (size_t i = 0, at = 0; i < shares.count; ++i)
        add_share(spot, shares.intervals + shares.first[i], shares.first[i + 1] - shares.first[i], &at);
    pop_interval_lists_free(&shares);
    return true;
}

bool element_add_broadcast(const struct element_work *work, const struct poplibs_tile *tile)
{
    pop_interval_lists all = { 1, (size_t[]){ 0, tile->regions->first[tile->regions->count] },
                               tile->regions->intervals };
    struct spot spot = {
        .work = work, .tile = tile->tile, .regions = tile->regions, .count = poplibs_list_elements(&all, 0)
    };
    spot.places = poplibs_places(call_slice_of_list(work->element->call, work->in[1], &all, 0));
    bool done = spot.places && (add_regions(&spot) || add_parts(&spot));
    free(spot.places);
    return done;
}
