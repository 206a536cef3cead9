/* SPDX-License-Identifier: Apache-2.0 */
/* The graph profile's memory: by tile, by category, by compute set and by vertex type (the guide, Memory use). */
#include "profile/graph_profile.h"
#include "profile/profile.h"

static const char *const categories[] = {
#define MODEL_CATEGORY(constant, name) [MODEL_##constant##_CATEGORY] = name,
#include "image/model_categories.def"
#undef MODEL_CATEGORY
};

enum tile_field { TILE_USED, TILE_WITH_GAPS, TILE_TOTAL, TILE_TOTAL_WITH_GAPS };

static uint64_t tile_value(const struct model_tile *tile, enum tile_field field, enum model_region region)
{
    uint64_t total = 0;
    switch (field) {
    case TILE_USED:
        return tile->bytes[region];
    case TILE_WITH_GAPS:
        return tile->with_gaps[region];
    case TILE_TOTAL:
        for (size_t i = 0; i < MODEL_REGIONS; ++i)
            total += tile->bytes[i];
        return total;
    default:
        return tile->total_with_gaps;
    }
}

static pop_profile_value tiles_profile(const struct image *image, enum tile_field field, enum model_region region)
{
    size_t tiles = pop_target_num_tiles(&image->target);
    struct by_tile by = by_tile_begin(tiles, image->model.tiles.count);
    for (size_t i = 0; i < image->model.tiles.count; ++i)
        by_tile_add(&by, i, 1, tile_value(image->model.tiles.data + i, field, region));
    return by_tile_end(&by);
}

static pop_profile_value by_tile_profile(const struct image *image)
{
    pop_profile_value map = profile_map(8);
    profile_add(&map, "interleaved", tiles_profile(image, TILE_USED, MODEL_INTERLEAVED));
    profile_add(&map, "interleavedIncludingGaps", tiles_profile(image, TILE_WITH_GAPS, MODEL_INTERLEAVED));
    profile_add(&map, "nonInterleaved", tiles_profile(image, TILE_USED, MODEL_NON_INTERLEAVED));
    profile_add(&map, "nonInterleavedIncludingGaps", tiles_profile(image, TILE_WITH_GAPS, MODEL_NON_INTERLEAVED));
    profile_add(&map, "overflowed", tiles_profile(image, TILE_USED, MODEL_OVERFLOWED));
    profile_add(&map, "overflowedIncludingGaps", tiles_profile(image, TILE_WITH_GAPS, MODEL_OVERFLOWED));
    profile_add(&map, "total", tiles_profile(image, TILE_TOTAL, 0));
    profile_add(&map, "totalIncludingGaps", tiles_profile(image, TILE_TOTAL_WITH_GAPS, 0));
    return map;
}

/* Entries of model.uses from *next on that are of a category, region and overlap, as bytes by tile; what they occupy is
 * added to total. */
static pop_profile_value uses_profile(const struct image *image, size_t *next, struct model_use of, uint64_t *total)
{
    const struct model *model = &image->model;
    size_t first = *next, tiles = pop_target_num_tiles(&image->target);
    while (*next < model->uses.count && model->uses.data[*next].category == of.category &&
           model->uses.data[*next].region == of.region && model->uses.data[*next].overlapped == of.overlapped)
        ++*next;
    struct by_tile by = by_tile_begin(tiles, *next - first);
    for (size_t i = first; i < *next; ++i) {
        const struct model_use *use = model->uses.data + i;
        by_tile_add(&by, use->tile, use->tiles, use->bytes);
        for (size_t tile = use->tile;
             of.overlapped != MODEL_OVERLAPPED && tile < (size_t)use->tile + use->tiles && tile < tiles; ++tile)
            total[tile] += use->bytes;
    }
    return by_tile_end(&by);
}

static pop_profile_value category_profile(const struct image *image, size_t *next, uint8_t category, uint64_t *total)
{
    pop_profile_value regions[MODEL_REGIONS], map = profile_map(4);
    size_t tiles = pop_target_num_tiles(&image->target);
    memset(total, 0, tiles * sizeof(*total));
    for (uint8_t region = 0; region < MODEL_REGIONS; ++region) { /* in the order of the table */
        regions[region] = profile_map(2);
        for (uint8_t overlapped = 0; overlapped < 2; ++overlapped)
            profile_add(
                &regions[region], overlapped ? "overlapped" : "nonOverlapped",
                uses_profile(image, next,
                             (struct model_use){ .category = category, .region = region, .overlapped = overlapped },
                             total));
        pop_profile_value shared = uses_profile(
            image, next, (struct model_use){ .category = category, .region = region, .overlapped = MODEL_SHARED },
            total);
        pop_profile_free(&shared); /* only in the total, so that totals of all categories add up to byTile's */
    }
    profile_add(&map, "interleaved", regions[MODEL_INTERLEAVED]);
    profile_add(&map, "nonInterleaved", regions[MODEL_NON_INTERLEAVED]);
    profile_add(&map, "overflowed", regions[MODEL_OVERFLOWED]);
    profile_add(&map, "total", by_tile_of(total, tiles));
    return map;
}

static pop_profile_value by_category_profile(const struct image *image)
{
    pop_profile_value map = profile_map(MODEL_CATEGORIES);
    uint64_t *total = mem_zero(pop_target_num_tiles(&image->target), sizeof(*total));
    size_t next = 0;
    for (uint8_t i = 0; i < MODEL_CATEGORIES; ++i) /* the table is in the order of names */
        profile_add(&map, categories[i], category_profile(image, &next, i, total));
    free(total);
    return map;
}

enum vertex_field {
    VERTEX_CODE,
    VERTEX_COPY_POINTERS,
    VERTEX_DESCRIPTORS,
    VERTEX_EDGE_POINTERS,
    VERTEX_PADDING,
    VERTEX_TOTAL,
    VERTEX_DATA,
    VERTEX_FIELDS
};
static const char *const vertex_fields[] = { "codeBytes",    "copyPtrBytes", "descriptorBytes", "edgePtrBytes",
                                             "paddingBytes", "totalBytes",   "vertexDataBytes" };

static uint64_t vertex_value(const struct model_vertices *v, enum vertex_field field)
{
    const uint64_t values[VERTEX_FIELDS] = {
        v->code,        v->copy_pointers,
        v->descriptors, v->edge_pointers,
        v->padding,     v->code + v->copy_pointers + v->descriptors + v->edge_pointers + v->padding + v->vertex_data,
        v->vertex_data
    };
    return values[field];
}

/* A table of vertices' memory, indexed by what they are of, then by tile. */
static pop_profile_value vertices_profile(const struct image *image, const struct model_vertices *table, size_t entries,
                                          size_t count)
{
    size_t tiles = pop_target_num_tiles(&image->target);
    pop_profile_value map = profile_map(VERTEX_FIELDS);
    for (size_t field = 0; field < VERTEX_FIELDS; ++field) {
        pop_profile_value vector = profile_vector(count);
        for (size_t of = 0, first = 0, next; of < count; ++of, first = next) {
            for (next = first; next < entries && table[next].of == of;)
                ++next;
            struct by_tile by = by_tile_begin(tiles, next - first);
            for (size_t i = first; i < next; ++i)
                by_tile_add(&by, table[i].tile, table[i].tiles, vertex_value(table + i, (enum vertex_field)field));
            pop_profile_push(&vector, by_tile_end(&by));
        }
        profile_add(&map, vertex_fields[field], vector);
    }
    return map;
}

pop_profile_value memory_profile(const struct image *image)
{
    const struct model *model = &image->model;
    pop_profile_value map = profile_map(5);
    profile_add(&map, "byCategory", by_category_profile(image));
    profile_add(&map, "byComputeSet",
                vertices_profile(image, model->set_vertices.data, model->set_vertices.count, model->sets.count));
    profile_add(&map, "byTile", by_tile_profile(image));
    profile_add(&map, "byVertexType",
                vertices_profile(image, model->type_vertices.data, model->type_vertices.count, model->types.count));
    profile_add(&map, "liveness", liveness_profile(image));
    return map;
}
