/* SPDX-License-Identifier: Apache-2.0 */
/* Checks vertex states of an image: every reference is within its block, and no reference overlaps other data, so that
 * a vertex cannot change an address by writing to its own state. */
#include "image/check.h"

#include "base/error.h"
#include "image/reference.h"

#include <stdio.h>

/* One bit for each byte of the states that is in use. */
struct claims {
    uint64_t *bits;
    uint64_t count;
};

static bool claim(struct check *check, struct claims *claims, uint64_t offset, uint64_t bytes, const char *what)
{
    if (!check_within(offset, bytes, claims->count))
        return check_fail(check, "%s at %llu leaves the states", what, (unsigned long long)offset);
    for (uint64_t at = offset, end = offset + bytes; at < end;) {
        uint64_t bit = at % 64, count = end - at < 64 - bit ? end - at : 64 - bit;
        uint64_t mask = (count == 64 ? ~(uint64_t)0 : ((uint64_t)1 << count) - 1) << bit;
        if (claims->bits[at / 64] & mask)
            return check_fail(check, "%s at %llu overlaps another", what, (unsigned long long)offset);
        claims->bits[at / 64] |= mask;
        at += count;
    }
    return true;
}

/* Something in the states that a pointer leads to: its items, and the count before them when no size is beside the
 * pointer. */
static bool claim_items(struct check *check, struct claims *claims, uint64_t reference, const uint64_t *size,
                        uint64_t item_bytes, const char *what, uint64_t *count)
{
    const struct image *image = check->image;
    if (!reference) {
        if (size && *size)
            return check_fail(check, "%s of %llu entries is nowhere", what, (unsigned long long)*size);
        *count = 0;
        return true;
    }
    uint64_t offset = IMAGE_REF_OFFSET(reference);
    if (IMAGE_REF_BLOCK(reference) != BLOCK_STATE || offset > image->states.count || (!size && offset < 8))
        return check_fail(check, "%s refers to block %d", what, (int)IMAGE_REF_BLOCK(reference));
    *count = size ? *size : image_word(image, offset - 8);
    if (*count > image->states.count)
        return check_fail(check, "%s has %llu entries", what, (unsigned long long)*count);
    return (size || claim(check, claims, offset - 8, 8, what)) &&
           claim(check, claims, offset, *count * item_bytes, what);
}

/* An edge's data: in storage or scratch; size in bytes where it is known. */
static bool check_data(struct check *check, uint64_t reference, const uint64_t *size, uint64_t element_bytes,
                       const struct codelet_field *field)
{
    const struct image *image = check->image;
    uint64_t elements = size ? *size : 0;
    enum image_block block = IMAGE_REF_BLOCK(reference);
    if (!reference && !elements)
        return true;
    uint64_t limit = block == BLOCK_STORAGE ? image->storage_bytes : image->scratch_bytes;
    if ((block != BLOCK_STORAGE && block != BLOCK_SCRATCH) || elements > limit ||
        !check_within(IMAGE_REF_OFFSET(reference), elements * element_bytes, limit))
        return check_fail(check, "field '%s' leaves its block", field->name);
    return true;
}

static bool check_table(struct check *check, struct claims *claims, const struct codelet_field *field, uint64_t table,
                        uint64_t entries)
{
    const struct image *image = check->image;
    uint64_t element = pop_type_size((pop_type)field->type), one = 1;
    for (uint64_t i = 0; i < entries; ++i) {
        uint64_t entry = table + i * table_stride(field), reference = image_word(image, entry), count;
        uint64_t size = field->inner_has_size ? image_word(image, entry + 8) : 0;
        bool fits = field->direction == FIELD_STATE
                        ? claim_items(check, claims, reference, field->inner_has_size ? &size : NULL, element,
                                      field->name, &count)
                    : field->shape == SHAPE_SCALARS
                        ? check_data(check, reference, &one, element, field)
                        : check_data(check, reference, field->inner_has_size ? &size : NULL, element, field);
        if (!fits)
            return false;
    }
    return true;
}

/* A plain edge of all vertices of a group, in a loop without calls. */
static bool check_edges(struct check *check, const struct codelet_field *field, const struct image_group *group)
{
    const struct image *image = check->image;
    const uint64_t limits[] = { 0, image->storage_bytes, image->scratch_bytes, 0 }, one = 1;
    const uint64_t element = pop_type_size((pop_type)field->type), at = group->states + field->offset;
    for (uint64_t i = 0; i < group->count; ++i) {
        uint64_t reference = image_word(image, at + i * group->stride), size = 0;
        if (field->shape == SHAPE_SCALAR)
            size = 1;
        else if (field->has_size)
            size = image_word(image, at + i * group->stride + 8);
        uint64_t limit = limits[IMAGE_REF_BLOCK(reference)];
        if (limit && size <= limit && check_within(IMAGE_REF_OFFSET(reference), size * element, limit))
            continue;
        if (!check_data(check, reference,
                        field->shape == SHAPE_SCALAR ? &one
                        : field->has_size            ? &size
                                                     : NULL,
                        element, field))
            return false;
    }
    return true;
}

static bool check_field(struct check *check, struct claims *claims, const struct codelet_field *field, uint64_t state)
{
    const struct image *image = check->image;
    uint64_t element = pop_type_size((pop_type)field->type), count;
    uint64_t reference = image_word(image, state + field->offset);
    uint64_t size = field->has_size ? image_word(image, state + field->offset + 8) : 0;
    const uint64_t *known = field->has_size ? &size : NULL;
    if (field_has_table(field))
        return claim_items(check, claims, reference, known, table_stride(field), field->name, &count) &&
               check_table(check, claims, field, IMAGE_REF_OFFSET(reference), count);
    return claim_items(check, claims, reference, known, element, field->name, &count);
}

static bool check_fields(struct check *check, struct claims *claims, const struct codelet *codelet,
                         const struct image_group *group)
{
    for (uint32_t f = 0; f < codelet->field_count; ++f) {
        const struct codelet_field *field = codelet->fields + f;
        if (!field_has_pointer(field))
            continue;
        if (!field_has_table(field) && field->direction != FIELD_STATE) {
            if (!check_edges(check, field, group))
                return false;
            continue;
        }
        for (uint64_t i = 0; i < group->count; ++i)
            if (!check_field(check, claims, field, group->states + i * group->stride))
                return false;
    }
    return true;
}

/* States of a group: all at once when nothing is between them. */
static bool claim_states(struct check *check, struct claims *claims, const struct codelet *codelet,
                         const struct image_group *group)
{
    if (group->stride == codelet->state_bytes)
        return claim(check, claims, group->states, group->count * group->stride, codelet->name);
    for (uint64_t i = 0; i < group->count; ++i)
        if (!claim(check, claims, group->states + i * group->stride, codelet->state_bytes, codelet->name))
            return false;
    return true;
}

/* The descriptor itself comes from a file too. */
static bool check_codelet(struct check *check, const struct codelet *codelet)
{
    for (uint32_t i = 0; i < codelet->field_count; ++i) {
        const struct codelet_field *field = codelet->fields + i;
        uint64_t bytes =
            field_has_pointer(field) ? pointer_bytes(field->has_size) : pop_type_size((pop_type)field->type);
        if (field->direction > FIELD_INOUT || field->shape > SHAPE_SCALARS || !pop_type_size((pop_type)field->type) ||
            !check_within(field->offset, bytes, codelet->state_bytes) ||
            table_stride(field) < pointer_bytes(field->inner_has_size) || (field->alignment & (field->alignment - 1)) ||
            field->alignment > 4096)
            return check_fail(check, "field '%s' of %s cannot be", field->name, codelet->name);
        for (uint32_t j = 0; j < i; ++j)
            if (field_has_pointer(field) && field_has_pointer(codelet->fields + j) &&
                field->offset < codelet->fields[j].offset + pointer_bytes(codelet->fields[j].has_size) &&
                codelet->fields[j].offset < field->offset + bytes)
                return check_fail(check, "fields '%s' and '%s' of %s overlap", field->name, codelet->fields[j].name,
                                  codelet->name);
    }
    return true;
}

static bool check_group(struct check *check, struct claims *claims, const struct image_group *group)
{
    const struct image *image = check->image;
    if (group->codelet >= image->codelets.count)
        return check_fail(check, "a group runs codelet %u of %zu", group->codelet, image->codelets.count);
    const struct codelet *codelet = image_codelet(image, group->codelet);
    uint64_t alignment = codelet->state_alignment ? codelet->state_alignment : 1;
    if (group->stride < codelet->state_bytes || group->stride % alignment || group->states % alignment ||
        alignment > 64 ||
        (group->count && (group->states > image->states.count ||
                          (group->stride && group->count - 1 > (image->states.count - group->states) / group->stride))))
        return check_fail(check, "states of %s are outside theirs", codelet->name);
    return check_codelet(check, codelet) && claim_states(check, claims, codelet, group) &&
           check_fields(check, claims, codelet, group);
}

static bool check_gathers(struct check *check, const struct image_set *set)
{
    const struct image *image = check->image;
    if (!check_within(set->first_gather, set->gathers, image->gathers.count))
        return check_fail(check, "gathers of a set are outside their array");
    if (set->scratch_bytes > image->scratch_bytes)
        return check_fail(check, "a set has %llu bytes of scratch", (unsigned long long)set->scratch_bytes);
    uint32_t last = 0;
    for (uint64_t i = set->first_gather; i < set->first_gather + set->gathers; ++i) {
        const struct image_gather *gather = image->gathers.data + i;
        if (gather->vertex_in_set < last || gather->vertex_in_set >= set->vertices)
            return check_fail(check, "gathers of a set are out of order");
        last = gather->vertex_in_set;
        if (gather->last_vertex < last || gather->last_vertex >= set->vertices)
            return check_fail(check, "a run of vertices that share gathers ends outside its set");
        if (!check_within(gather->scratch, gather->bytes, set->scratch_bytes))
            return check_fail(check, "a gather leaves the scratch block");
        if ((gather->before && !check_copy(check, gather->before - 1, image->storage_bytes, gather->bytes)) ||
            (gather->after && !check_copy(check, gather->after - 1, gather->bytes, image->storage_bytes)))
            return false;
    }
    return true;
}

/* Checked mode: a vertex's list of edge sizes agrees with its state. */
static bool check_edge(struct check *check, uint64_t reference, uint64_t *at, const struct codelet_field *field)
{
    const struct image *image = check->image;
    if (*at >= image->edge_bytes.count)
        return check_fail(check, "sizes of edges end early");
    uint64_t bytes = image->edge_bytes.data[(*at)++];
    return check_data(check, reference, &bytes, 1, field);
}

static bool check_vertex_edges(struct check *check, const struct codelet *codelet, uint64_t state, uint64_t at)
{
    const struct image *image = check->image;
    for (uint32_t f = 0; f < codelet->field_count; ++f) {
        const struct codelet_field *field = codelet->fields + f;
        if (field->direction == FIELD_STATE)
            continue;
        uint64_t reference = image_word(image, state + field->offset);
        if (!field_has_table(field)) {
            if (!check_edge(check, reference, &at, field))
                return false;
            continue;
        }
        uint64_t entries = table_entries(image, field, state);
        if (at >= image->edge_bytes.count || image->edge_bytes.data[at++] != entries)
            return check_fail(check, "field '%s' has another number of edges", field->name);
        for (uint64_t i = 0; i < entries; ++i)
            if (!check_edge(check, image_word(image, IMAGE_REF_OFFSET(reference) + i * table_stride(field)), &at,
                            field))
                return false;
    }
    return true;
}

static bool check_set_edges(struct check *check, const struct image_set *set)
{
    const struct image *image = check->image;
    uint64_t vertex = set->first_vertex_id;
    for (uint32_t g = 0; g < set->groups; ++g) {
        const struct image_group *group = image->groups.data + set->first_group + g;
        for (uint64_t i = 0; i < group->count; ++i)
            if (!check_vertex_edges(check, image_codelet(image, group->codelet), group->states + i * group->stride,
                                    image->edge_first.data[vertex++]))
                return false;
    }
    return true;
}

/* Vertices whose cycles are counted as they run. */
static bool check_counted(struct check *check, const struct image_set *set)
{
    const struct image *image = check->image;
    if (!set->counted)
        return true;
    if (!check_within(set->counted - 1, set->vertices, image->vertex_cycles.count) ||
        !check_within(set->first_vertex_id, set->vertices, image->vertex_places.count) ||
        set->model_set >= image->model.sets.count)
        return check_fail(check, "the cycles of a set's vertices are outside their array");
    uint64_t sum = 0;
    for (uint64_t i = 0; i < set->vertices; ++i) {
        uint64_t cycles = image->vertex_cycles.data[set->counted - 1 + i] & ~IMAGE_COUNTED;
        if (image->vertex_places.data[set->first_vertex_id + i].tile >= pop_target_num_tiles(&image->target))
            return check_fail(check, "a vertex is on a tile that the target does not have");
        if (cycles > FIGURE_MAX - sum)
            return check_fail(check, "the vertices of a set take more than 2^48 cycles");
        sum += cycles;
    }
    return true;
}

static bool check_set(struct check *check, const struct image_set *set)
{
    const struct image *image = check->image;
    if (set->name >= image->strings.count || set->where_file >= image->strings.count ||
        set->missing_estimate >= image->strings.count)
        return check_fail(check, "a set has a name outside the strings");
    if (!check_within(set->first_group, set->groups, image->groups.count))
        return check_fail(check, "groups of a set are outside their array");
    uint64_t vertices = 0;
    for (uint32_t g = 0; g < set->groups; ++g) {
        const struct image_group *group = image->groups.data + set->first_group + g;
        if (group->first_vertex_in_set != vertices || group->count > UINT32_MAX - vertices)
            return check_fail(check, "groups of a set are out of order");
        vertices += group->count;
    }
    if (vertices != set->vertices)
        return check_fail(check, "a set has %llu vertices, its groups %llu", (unsigned long long)set->vertices,
                          (unsigned long long)vertices);
    if (image->vertex_tiles.count && !check_within(set->first_vertex_tile, set->vertices, image->vertex_tiles.count))
        return check_fail(check, "tiles of a set's vertices are outside their array");
    if (image->vertex_ids.count && !check_within(set->first_vertex_id, set->vertices, image->vertex_ids.count))
        return check_fail(check, "vertex ids of a set are outside their array");
    return check_counted(check, set) && check_gathers(check, set) &&
           (!image->edge_first.count || check_set_edges(check, set));
}

static bool check_registers(struct check *check)
{
    const struct image *image = check->image;
    if (!image->registers.count)
        return true;
    const struct image_registers *r = image->registers.data;
    uint64_t seed_bytes = (uint64_t)r->tiles * r->seed_words * sizeof(uint32_t),
             flag_bytes = (uint64_t)r->tiles * IMAGE_FLAGS * sizeof(uint32_t);
    if (image->registers.count > 1 || !r->tiles || r->tiles > 1u << 24 || r->seed_words > 1u << 16 ||
        r->seed_words % 4 || !check_within(r->flags, r->flags ? flag_bytes : 0, image->storage_bytes) ||
        !check_within(r->seeds, r->seeds ? seed_bytes : 0, image->storage_bytes) ||
        (r->flags | r->seeds) % sizeof(uint64_t))
        return check_fail(check, "registers are outside the storage");
    for (size_t i = 0; r->flags && i < image->vertex_tiles.count; ++i)
        if (image->vertex_tiles.data[i] >= r->tiles)
            return check_fail(check, "a vertex is on tile %u of %u", image->vertex_tiles.data[i], r->tiles);
    uint64_t vertices = 0;
    for (size_t i = 0; i < image->sets.count; ++i)
        vertices += image->sets.data[i].vertices;
    return !r->flags || vertices == image->vertex_tiles.count ||
           check_fail(check, "%zu tiles of %llu vertices", image->vertex_tiles.count, (unsigned long long)vertices);
}

static bool check_places(struct check *check)
{
    const struct image *image = check->image;
    if (image->vertex_places.count && image->vertex_places.count != image->vertex_ids.count)
        return check_fail(check, "%zu vertex ids and %zu places of vertices", image->vertex_ids.count,
                          image->vertex_places.count);
    if (image->edge_addresses.count && image->edge_addresses.count != image->edge_bytes.count)
        return check_fail(check, "%zu edges and %zu addresses", image->edge_bytes.count, image->edge_addresses.count);
    for (size_t i = 0; i < image->vertex_places.count; ++i)
        if (image->vertex_places.data[i].file >= image->strings.count)
            return check_fail(check, "the place of a vertex has a file outside the strings");
    return true;
}

bool check_sets(struct check *check)
{
    const struct image *image = check->image;
    struct claims claims = { mem_zero(image->states.count / 64 + 1, 8), image->states.count };
    bool fine = true;
    for (size_t i = 0; fine && i < image->groups.count; ++i)
        fine = check_group(check, &claims, image->groups.data + i);
    free(claims.bits);
    if (fine && image->edge_first.count && image->edge_first.count != image->vertex_ids.count)
        fine = check_fail(check, "%zu vertex ids and %zu lists of edges", image->vertex_ids.count,
                          image->edge_first.count);
    fine = fine && check_places(check) && check_registers(check);
    for (size_t i = 0; fine && i < image->sets.count; ++i)
        fine = check_set(check, image->sets.data + i);
    return fine;
}
