/* SPDX-License-Identifier: Apache-2.0 */
/* Linear mappings of tensors over tiles. */
#include "poplibs/log.h"
#include "poputil/part_order.h"

#include <poputil/tile_mapping.h>
#include <poputil/util.h>

enum { MIN_BYTES_PER_TILE = 128 };

struct linear_share {
    unsigned min_elements, grain, offset;
    bool ascending;
};

static struct linear_share share_of_type(const pop_target *target, pop_type type, unsigned offset, bool ascending)
{
    size_t size = pop_target_type_size(target, type);
    unsigned width = pop_target_vector_width(target, type);
    return (struct linear_share){ size ? (unsigned)poplibs_ceil_div(MIN_BYTES_PER_TILE, size) : 1, width ? width : 1,
                                  offset, ascending };
}

static struct linear_share share_of(const pop_graph *graph, pop_tensor t, unsigned offset, bool ascending)
{
    return share_of_type(pop_graph_target(graph), pop_tensor_type(t), offset, ascending);
}

unsigned poputil_transform_tile_index(unsigned tile, unsigned num_tiles, unsigned offset, bool ascending)
{
    if (!num_tiles)
        return 0;
    uint64_t back = num_tiles - offset % num_tiles;
    return (unsigned)((ascending ? back + tile % num_tiles : back + num_tiles - tile % num_tiles) % num_tiles);
}

unsigned poputil_inv_transform_tile_index(unsigned tile, unsigned num_tiles, unsigned offset, bool ascending)
{
    if (!num_tiles)
        return 0;
    return ascending ? (unsigned)(((uint64_t)tile + offset) % num_tiles)
                     : poputil_transform_tile_index(tile, num_tiles, offset, false); /* its own inverse */
}

/* boost::hash_combine of 64-bit numbers, as the original uses it: offsets of programs that print them stay the same. */
static uint64_t combine(uint64_t hash, uint64_t value)
{
    const uint64_t factor = UINT64_C(0xc6a4a7935bd1e995);
    value *= factor;
    value ^= value >> 47;
    value *= factor;
    return (hash ^ value) * factor + UINT64_C(0xe6546b64);
}

size_t poputil_choose_mapping_offset(size_t num_tiles, pop_shape shape, size_t seed)
{
    uint64_t hash = seed;
    for (size_t i = 0; i < shape.rank; ++i)
        hash = combine(hash, shape.dims[i]);
    return num_tiles ? (size_t)(hash % num_tiles) : 0;
}

/* Distributes elements; returns the number of tiles that have any. */
static unsigned calculate(unsigned tiles, size_t elements, struct linear_share s, pop_interval_lists *mapping)
{
    pop_interval_lists parts;
    poputil_split_regions(POP_INTERVALS({ 0, elements }), s.grain, tiles, s.min_elements, POPUTIL_NO_LIMIT,
                          POPUTIL_NO_LIMIT, &parts);
    struct lists_vec out = { 0 };
    for (unsigned tile = 0; tile < tiles; ++tile) {
        unsigned part = part_of_tile(tile, tiles, s.offset, s.ascending);
        lists_begin(&out);
        if (part < parts.count)
            lists_push(&out, parts.intervals[part].begin, parts.intervals[part].end);
    }
    unsigned used = (unsigned)parts.count;
    *mapping = lists_take(&out);
    pop_interval_lists_free(&parts);
    return used;
}

static size_t elements_of(pop_shape shape)
{
    size_t elements = 1;
    for (size_t i = 0; i < shape.rank; ++i)
        elements *= shape.dims[i];
    return elements;
}

static unsigned next_offset(const pop_graph *graph, unsigned offset, unsigned used)
{
    unsigned tiles = pop_target_num_tiles(pop_graph_target(graph));
    return tiles ? (unsigned)(((uint64_t)offset + used) % tiles) : 0;
}

static bool calculate_for(const pop_graph *graph, size_t elements, struct linear_share s, pop_interval_lists *mapping,
                          unsigned *new_offset)
{
    *mapping = (pop_interval_lists){ 0 };
    unsigned used = 0;
    bool ready = poplibs_ready(graph);
    if (ready)
        used = calculate(pop_target_num_tiles(pop_graph_target(graph)), elements, s, mapping);
    if (new_offset)
        *new_offset = ready ? next_offset(graph, s.offset, used) : 0;
    return ready;
}

bool poputil_calc_linear_tile_mapping(const pop_graph *graph, pop_shape shape, unsigned min_elements_per_tile,
                                      unsigned grain_size, pop_interval_lists *mapping)
{
    return calculate_for(graph, elements_of(shape), (struct linear_share){ min_elements_per_tile, grain_size, 0, true },
                         mapping, NULL);
}

void poputil_calc_linear_tile_mapping_on_target(const pop_target *target, pop_shape shape,
                                                unsigned min_elements_per_tile, unsigned grain_size, unsigned offset,
                                                bool ascending, pop_interval_lists *mapping)
{
    struct linear_share s = { min_elements_per_tile, grain_size, offset, ascending };
    calculate(pop_target_num_tiles(target), elements_of(shape), s, mapping);
}

void poputil_calc_linear_tile_mapping_of_type_on_target(const pop_target *target, pop_shape shape, pop_type type,
                                                        unsigned offset, bool ascending, pop_interval_lists *mapping)
{
    calculate(pop_target_num_tiles(target), elements_of(shape), share_of_type(target, type, offset, ascending),
              mapping);
}

bool poputil_calc_linear_tile_mapping_of_tensor(const pop_graph *graph, pop_tensor t, pop_interval_lists *mapping)
{
    return calculate_for(graph, pop_tensor_num_elements(t), share_of(graph, t, 0, true), mapping, NULL);
}

bool poputil_calc_linear_tile_mapping_and_new_offset(const pop_graph *graph, pop_shape shape,
                                                     unsigned min_elements_per_tile, unsigned grain_size,
                                                     unsigned offset, bool ascending, pop_interval_lists *mapping,
                                                     unsigned *new_offset)
{
    struct linear_share s = { min_elements_per_tile, grain_size, offset, ascending };
    return calculate_for(graph, elements_of(shape), s, mapping, new_offset);
}

bool poputil_calc_linear_tile_mapping_and_new_offset_of_tensor(const pop_graph *graph, pop_tensor t, unsigned offset,
                                                               bool ascending, pop_interval_lists *mapping,
                                                               unsigned *new_offset)
{
    return calculate_for(graph, pop_tensor_num_elements(t), share_of(graph, t, offset, ascending), mapping, new_offset);
}

static unsigned map(const struct call *call, pop_tensor t, struct linear_share s)
{
    pop_interval_lists mapping;
    unsigned new_offset;
    if (!call_ready(call))
        return 0;
    if (!pop_tensor_valid(t))
        return call_fail(call, POP_INVALID_TILE_MAPPING, "a null tensor cannot be mapped");
    if (!calculate_for(call->graph, pop_tensor_num_elements(t), s, &mapping, &new_offset))
        return 0;
    pop_graph_set_tile_mapping_lists(call->graph, t, &mapping);
    pop_interval_lists_free(&mapping);
    return new_offset;
}

void poputil_map_tensor_linearly_at(pop_where where, pop_graph *graph, pop_tensor t)
{
    POPLIBS_CALL(graph, t);
    map(call, t, share_of(graph, t, 0, true));
}

void poputil_map_tensor_linearly_grain_at(pop_where where, pop_graph *graph, pop_tensor t,
                                          unsigned min_elements_per_tile, unsigned grain_size)
{
    POPLIBS_CALL(graph, t, min_elements_per_tile, grain_size);
    map(call, t, (struct linear_share){ min_elements_per_tile, grain_size, 0, true });
}

unsigned poputil_map_tensor_linearly_with_offset_at(pop_where where, pop_graph *graph, pop_tensor t, unsigned offset,
                                                    bool ascending)
{
    POPLIBS_CALL(graph, t, offset, ascending);
    return map(call, t, share_of(graph, t, offset, ascending));
}

unsigned poputil_map_tensor_linearly_with_offset_grain_at(pop_where where, pop_graph *graph, pop_tensor t,
                                                          unsigned min_elements_per_tile, unsigned grain_size,
                                                          unsigned offset, bool ascending)
{
    POPLIBS_CALL(graph, t, min_elements_per_tile, grain_size, offset, ascending);
    struct linear_share s = { min_elements_per_tile, grain_size, offset, ascending };
    return map(call, t, s);
}
