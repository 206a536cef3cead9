/* SPDX-License-Identifier: Apache-2.0 */
/* Regrouping: blocks of one group by the other are collected, each on one tile, and transposed there. */
#include "poplibs/codes.h"
#include "poplibs/log.h"

#include <popops/rearrange.h>
#include <poputil/tile_mapping.h>

enum { MAX_DIMS = 62 };

/* {dims..., outer group, inner group}: both groups become innermost dimensions. */
static pop_tensor group(const struct call *call, pop_tensor t, poputil_dim_grouping outer, poputil_dim_grouping inner)
{
    size_t rank = pop_tensor_rank(t), split[2 * MAX_DIMS + 2], count = 0;
    unsigned order[MAX_DIMS + 2], outer_place = 0, inner_place = 0, dims = 0;
    for (unsigned dim = 0; dim < rank; ++dim) {
        size_t size = dim == outer.dim   ? outer.size
                      : dim == inner.dim ? inner.size
                                         : 0,
               extent = pop_tensor_dim(t, dim);
        order[dims++] = (unsigned)count;
        split[count++] = size ? extent / size : extent;
        if (size) {
            *(dim == outer.dim ? &outer_place : &inner_place) = (unsigned)count;
            split[count++] = size;
        }
    }
    order[dims++] = outer_place;
    order[dims++] = inner_place;
    t = pop_tensor_reshape(t, (pop_shape){ count, split });
    return pop_tensor_dim_shuffle(t, (pop_dims){ dims, order });
}

/* The inverse: {dims..., outer group, inner group} to a tensor of the given shape. */
static pop_tensor ungroup(const struct call *call, pop_tensor t, pop_shape shape, poputil_dim_grouping outer,
                          poputil_dim_grouping inner)
{
    unsigned order[2 * MAX_DIMS], count = 0;
    for (unsigned dim = 0; dim < shape.rank; ++dim) {
        order[count++] = dim;
        if (dim == outer.dim || dim == inner.dim)
            order[count++] = (unsigned)shape.rank + (dim == inner.dim);
    }
    return pop_tensor_reshape(pop_tensor_dim_shuffle(t, (pop_dims){ count, order }), shape);
}

/* Blocks of rows, which are contiguous in memory, distributed over the tiles of one IPU: the tile of each row, the
 * blocks of each tile. */
struct shares {
    const unsigned *tiles;
    const size_t *blocks; /* tile i has blocks order[blocks[i]] to order[blocks[i + 1] - 1] */
    const size_t *order;
    size_t rows_of_block;
};

/* The number of rows that would not move to another tile if a tile had the blocks of tile `of`. */
static size_t rows_that_stay(const struct shares *shares, size_t of, unsigned tile)
{
    size_t count = 0;
    for (size_t i = shares->blocks[of]; i < shares->blocks[of + 1]; ++i)
        for (size_t row = 0; row < shares->rows_of_block; ++row)
            count += shares->tiles[shares->order[i] * shares->rows_of_block + row] == tile;
    return count;
}

/* Sets owners[i] to the tile that gets tile i's share.  The exchange writes rows to their final places, whereas rows
 * that stay on their tile need a local copy, for which all tiles wait.  So tiles that would keep rows swap shares with
 * another tile. */
static void choose_owners(const struct shares *shares, unsigned first, size_t tiles, unsigned *owners)
{
    enum { MAX_TRIES = 16 };
    for (size_t i = 0; i < tiles; ++i)
        owners[i] = first + (unsigned)i;
    for (size_t i = 0; i < tiles; ++i) {
        if (!rows_that_stay(shares, i, owners[i]))
            continue;
        for (size_t k = 1; k <= MAX_TRIES && k < tiles; ++k) {
            size_t other = (i + k) % tiles;
            unsigned kept = owners[i];
            if (rows_that_stay(shares, i, owners[other]) || rows_that_stay(shares, other, owners[i]))
                continue;
            owners[i] = owners[other];
            owners[other] = kept;
            break;
        }
    }
}

/* Converts the interval lists of a tile mapping to the tile of each element. */
static unsigned *tiles_of(const pop_interval_lists *lists, size_t count)
{
    unsigned *tiles = poplibs_zeros(count, sizeof(*tiles));
    for (size_t tile = 0; tile < lists->count; ++tile)
        for (size_t i = lists->first[tile]; i < lists->first[tile + 1]; ++i)
            for (size_t k = lists->intervals[i].begin; k < lists->intervals[i].end; ++k)
                tiles[k] = (unsigned)tile;
    return tiles;
}

/* Distributes the blocks that begin on each IPU over its tiles. */
static void map_blocks(const struct call *call, pop_tensor from, pop_tensor to, size_t rows_of_block, size_t row)
{
    size_t rows = pop_tensor_num_elements(to) / row, count = rows / rows_of_block,
           tiles = pop_graph_target(call->graph)->tiles_per_ipu;
    pop_tensor begins = pop_tensor_slice(pop_tensor_reshape(from, POP_SHAPE(rows, row)), 0, 1, 1);
    pop_tensor blocks = pop_tensor_reshape(to, POP_SHAPE(count, rows_of_block * row));
    pop_interval_lists mapping;
    if (!pop_graph_get_tile_mapping(call->graph, begins, NULL, &mapping))
        return;
    unsigned *row_tiles = tiles_of(&mapping, rows), *owners = poplibs_new(tiles, sizeof(*owners));
    size_t *order = poplibs_new(count, sizeof(*order)), *bounds = poplibs_new(tiles + 1, sizeof(*bounds));
    for (size_t first = 0; first < mapping.count; first += tiles) {
        size_t here = 0, last = poplibs_min(first + tiles, mapping.count), used = last - first;
        for (size_t tile = first; tile < last; ++tile)
            for (size_t i = mapping.first[tile]; i < mapping.first[tile + 1]; ++i)
                for (size_t k = poplibs_ceil_div(mapping.intervals[i].begin, rows_of_block);
                     k * rows_of_block < mapping.intervals[i].end; ++k)
                    order[here++] = k;
        size_t share = poplibs_ceil_div(here, used);
        for (size_t i = 0; i <= used; ++i)
            bounds[i] = poplibs_min(i * share, here);
        choose_owners(&(struct shares){ row_tiles, bounds, order, rows_of_block }, (unsigned)first, used, owners);
        for (size_t i = 0; i < used; ++i)
            for (size_t k = bounds[i], end; k < bounds[i + 1]; k = end) {
                for (end = k + 1; end < bounds[i + 1] && order[end] == order[end - 1] + 1; ++end)
                    ;
                pop_graph_set_tile_mapping(call->graph, pop_tensor_slice(blocks, order[k], order[end - 1] + 1, 0),
                                           owners[i]);
            }
    }
    free(order);
    free(bounds);
    free(owners);
    free(row_tiles);
    pop_interval_lists_free(&mapping);
}

unsigned popops_get_minimum_regroup_grain_size(pop_type type)
{
    size_t bytes = pop_type_size(type);
    return type == POP_QUARTER ? 8 : bytes == 2 ? 4 : bytes == 4 ? 2 : 1;
}

/* Whether both groupings are of different dims of t and divide their extents. */
static bool can_regroup(pop_tensor t, poputil_dim_grouping from, poputil_dim_grouping to)
{
    size_t rank = pop_tensor_rank(t);
    return rank <= MAX_DIMS && from.dim < rank && to.dim < rank && from.dim != to.dim && from.size && to.size &&
           pop_tensor_dim(t, from.dim) % from.size == 0 && pop_tensor_dim(t, to.dim) % to.size == 0;
}

/* The number of elements on the IPU that has most of them; 0 after an error. */
static size_t elements_of_fullest_ipu(const struct call *call, pop_tensor t)
{
    size_t most = 0, tiles = pop_graph_target(call->graph)->tiles_per_ipu;
    pop_interval_lists mapping;
    if (tiles == pop_target_num_tiles(pop_graph_target(call->graph)))
        return pop_tensor_num_elements(t);
    if (!pop_graph_get_tile_mapping(call->graph, t, NULL, &mapping))
        return 0;
    for (size_t first = 0; first < mapping.count; first += tiles) {
        size_t here = 0, last = poplibs_min(first + tiles, mapping.count);
        for (size_t i = mapping.first[first]; i < mapping.first[last]; ++i)
            here += mapping.intervals[i].end - mapping.intervals[i].begin;
        most = poplibs_max(most, here);
    }
    pop_interval_lists_free(&mapping);
    return most;
}

/* Divides both groups as long as the blocks of the fullest IPU are at most its tiles: large blocks would leave most
 * tiles idle.  The rule is the original's of March 2021: the divisor takes the smallest primes of both groups, counted
 * in grains, first; it divides the from group as far as that has them, then the to group. */
static void make_finer(const struct call *call, pop_tensor t, poputil_dim_grouping *from, poputil_dim_grouping *to)
{
    unsigned grain = popops_get_minimum_regroup_grain_size(pop_tensor_type(t)), divisor = 1, prime = 2;
    if (from->size % grain || to->size % grain)
        return;
    size_t block = (size_t)from->size * to->size, grains = block / grain / grain,
           blocks = elements_of_fullest_ipu(call, t) / block, tiles = pop_graph_target(call->graph)->tiles_per_ipu;
    while (grains > 1 && blocks * divisor * prime <= tiles)
        if (grains % prime == 0) {
            divisor *= prime;
            grains /= prime;
        } else
            ++prime;
    unsigned of_from = (unsigned)poplibs_gcd(divisor, from->size / grain);
    from->size /= of_from;
    to->size /= divisor / of_from;
}

pop_tensor popops_regroup_tensor_apart_at(pop_where where, pop_graph *graph, pop_tensor t,
                                          pop_compute_set transpositions, poputil_dim_grouping from,
                                          poputil_dim_grouping to, const char *name, pop_tensor *source,
                                          pop_tensor *destination)
{
    POPLIBS_CALL_AS("popops_regroup_tensor", (pop_program){ 0 }, graph, t, name);
    pop_tensor none = { 0 };
    char text[128];
    size_t shape[MAX_DIMS];
    *source = *destination = none;
    if (!call_ready(call))
        return none;
    if (!can_regroup(t, from, to)) {
        pop_tensor_shape_to_string(t, text, sizeof(text));
        call_fail(call, POP_POPLAR_ERROR,
                  "groups of %u in dimension %u to %u in dimension %u of %s: the dimensions must differ and be "
                  "multiples of their group sizes",
                  from.size, from.dim, to.size, to.dim, text);
        return none;
    }
    if (!pop_tensor_num_elements(t))
        return t;
    make_finer(call, t, &from, &to);
    *source = group(call, t, to, from);
    size_t rank = pop_tensor_shape(t, shape, MAX_DIMS), grouped_shape[MAX_DIMS + 2];
    pop_tensor_shape(*source, grouped_shape, MAX_DIMS + 2);
    *destination =
        poplibs_new_like(call, t, (pop_shape){ rank + 2, grouped_shape }, call_path(call, name, "preRegroup"));
    map_blocks(call, *source, *destination, to.size, from.size);
    pop_tensor turned =
        popops_partial_transpose(graph, *destination, transpositions, call_path(call, name, "regrouped"));
    return ungroup(call, turned, (pop_shape){ rank, shape }, from, to);
}

/* Appends the copy from source to destination, if it is needed. */
static pop_tensor with_copy(const struct call *call, pop_program copies, pop_tensor made, pop_tensor source,
                            pop_tensor destination)
{
    if (pop_tensor_valid(source))
        pop_sequence_add(copies, pop_copy(source, destination, false, call->name));
    return made;
}

pop_tensor popops_regroup_tensor_at(pop_where where, pop_graph *graph, pop_tensor t, pop_program copies,
                                    pop_compute_set transpositions, poputil_dim_grouping from, poputil_dim_grouping to,
                                    const char *name)
{
    POPLIBS_CALL(graph, t, name);
    pop_tensor source, destination;
    pop_tensor made = popops_regroup_tensor_apart(graph, t, transpositions, from, to, name, &source, &destination);
    return with_copy(call, copies, made, source, destination);
}

/* The innermost grouping of a tensor; false if it has none. */
static bool innermost(const struct call *call, pop_tensor t, poputil_dim_grouping *grouping)
{
    return pop_tensor_num_elements(t) && poputil_detect_first_dim_grouping(call->graph, t, grouping) &&
           call_ready(call);
}

pop_tensor popops_regroup_if_possible_apart_at(pop_where where, pop_graph *graph, pop_tensor t,
                                               pop_compute_set transpositions, poputil_dim_grouping to,
                                               const char *name, pop_tensor *source, pop_tensor *destination)
{
    POPLIBS_CALL(graph, t, name);
    poputil_dim_grouping from;
    *source = *destination = (pop_tensor){ 0 };
    if (!call_ready(call) || !innermost(call, t, &from) || !can_regroup(t, from, to))
        return t;
    return popops_regroup_tensor_apart(graph, t, transpositions, from, to, name, source, destination);
}

pop_tensor popops_regroup_if_possible_at(pop_where where, pop_graph *graph, pop_tensor t, pop_program copies,
                                         pop_compute_set transpositions, poputil_dim_grouping to, const char *name)
{
    POPLIBS_CALL(graph, t, name);
    pop_tensor source, destination;
    pop_tensor made = popops_regroup_if_possible_apart(graph, t, transpositions, to, name, &source, &destination);
    return with_copy(call, copies, made, source, destination);
}

/* Whether both groupings are of different dims and multiples of the minimum grain. */
static bool is_beneficial(pop_tensor t, poputil_dim_grouping from, poputil_dim_grouping to)
{
    unsigned grain = popops_get_minimum_regroup_grain_size(pop_tensor_type(t));
    return can_regroup(t, from, to) && from.size % grain == 0 && to.size % grain == 0;
}

/* Finds the groupings of both tensors; true if regrouping is beneficial. */
static bool compare(const struct call *call, pop_tensor in, pop_tensor like, poputil_dim_grouping *from,
                    poputil_dim_grouping *to)
{
    if (!call_ready(call))
        return false;
    if (pop_tensor_rank(in) != pop_tensor_rank(like))
        return call_fail(call, POP_POPLAR_ERROR, "a tensor of rank %zu cannot be grouped like one of rank %zu",
                         pop_tensor_rank(in), pop_tensor_rank(like));
    return innermost(call, in, from) && innermost(call, like, to) && is_beneficial(in, *from, *to);
}

pop_tensor popops_regroup_if_beneficial_apart_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor like,
                                                 pop_compute_set transpositions, const char *name, pop_tensor *source,
                                                 pop_tensor *destination)
{
    POPLIBS_CALL_AS("popops_regroup_if_beneficial", (pop_program){ 0 }, graph, in, like, name);
    poputil_dim_grouping from, to;
    *source = *destination = (pop_tensor){ 0 };
    if (!compare(call, in, like, &from, &to))
        return in;
    return popops_regroup_tensor_apart(graph, in, transpositions, from, to, name, source, destination);
}

pop_tensor popops_regroup_if_beneficial_in_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor like,
                                              pop_program copies, pop_compute_set transpositions, const char *name)
{
    POPLIBS_CALL(graph, in, like, name);
    pop_tensor source, destination;
    pop_tensor made = popops_regroup_if_beneficial_apart(graph, in, like, transpositions, name, &source, &destination);
    return with_copy(call, copies, made, source, destination);
}

/* Regroups with its own compute set. */
static pop_tensor regroup_now(const struct call *call, pop_tensor in, poputil_dim_grouping from,
                              poputil_dim_grouping to)
{
    pop_compute_set set = pop_graph_add_compute_set(call->graph, call_path(call, call->name, "Transpose"));
    pop_tensor out = popops_regroup_tensor(call->graph, in, call->sequence, set, from, to, call->name);
    call_execute(call, set, call->name);
    return out;
}

pop_tensor popops_regroup_if_beneficial_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor like,
                                           pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, in, like, name);
    poputil_dim_grouping from, to;
    return compare(call, in, like, &from, &to) ? regroup_now(call, in, from, to) : in;
}

pop_tensor popops_regroup_if_possible_now_at(pop_where where, pop_graph *graph, pop_tensor t, pop_program sequence,
                                             poputil_dim_grouping to, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, t, name);
    poputil_dim_grouping from;
    unsigned grain = popops_get_minimum_regroup_grain_size(pop_tensor_type(t));
    if (!call_ready(call) || pop_tensor_rank(t) < 2 || !innermost(call, t, &from) || !can_regroup(t, from, to) ||
        from.size % grain)
        return t;
    return regroup_now(call, t, from, to);
}

pop_tensor popops_regroup_if_beneficial_to_at(pop_where where, pop_graph *graph, pop_tensor in,
                                              size_t preferred_grouping, pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, in, preferred_grouping, name);
    poputil_dim_grouping from, to = { (unsigned)pop_tensor_rank(in) - 1, (unsigned)preferred_grouping };
    if (!call_ready(call) || !innermost(call, in, &from) || !is_beneficial(in, from, to))
        return in;
    return regroup_now(call, in, from, to);
}
