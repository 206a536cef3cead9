/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/tile_memory.h"

#include <poplar/text.h>

/* Loads may run over the end of a field, as on the host (engine/load.c); what they find is zero. */
enum { WORD = 4, BEHIND = 64, LONGEST_SHORT_SPAN = 0xfff, SHORT_SPAN_SHIFT = 20 };

static void fail(struct tile_memory *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void fail(struct tile_memory *m, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!m->failed)
        pop_text_vformat(m->why, 240, format, arguments);
    va_end(arguments);
    m->failed = true;
}

/* ---- space ---- */

static uint64_t aligned(uint64_t at, uint64_t alignment)
{
    return (at + alignment - 1) & ~(alignment - 1);
}

uint32_t tile_memory_take(struct tile_memory *m, uint64_t bytes, uint32_t alignment, bool interleaved)
{
    uint64_t at = tile_memory_free(m, interleaved ? m->high : m->low, bytes + BEHIND, alignment),
             end = interleaved ? m->map->end : m->map->interleaved;
    if (at + bytes + BEHIND > end) {
        if (!interleaved)
            return tile_memory_take(m, bytes, alignment, true);
        fail(m, "its fields do not fit into the memory of a tile, which has %u bytes", m->map->end - m->map->base);
        return 0;
    }
    *(interleaved ? &m->high : &m->low) = (uint32_t)(at + bytes);
    unsigned char *memory = tile_memory(m->tile, (uint32_t)at, (uint32_t)bytes + BEHIND);
    if (!m->mapped)
        memset(memory, 0, bytes + BEHIND);
    return (uint32_t)at;
}

uint64_t tile_memory_free(const struct tile_memory *m, uint64_t at, uint64_t bytes, uint32_t alignment)
{
    size_t low = 0, high = m->placed.count;
    at = aligned(at, alignment);
    while (low < high) { /* the first that ends behind it */
        size_t middle = low + (high - low) / 2;
        if (m->placed.data[middle].end <= at)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < m->placed.count && m->placed.data[low].begin < at + bytes; ++low)
        at = aligned(m->placed.data[low].end, alignment);
    return at;
}

/* Begins a memory element such that no other field is in the elements of these bytes, neither an earlier one nor one
 * that the compiler placed; false: there is none. */
static bool next_elements(struct tile_memory *m, uint64_t bytes, bool interleaved)
{
    uint64_t unit = interleaved ? 2 * TILE_ELEMENT_BYTES : TILE_ELEMENT_BYTES,
             start = interleaved ? m->map->interleaved : m->map->base;
    uint32_t *at = interleaved ? &m->high : &m->low;
    uint64_t next = start + aligned(*at - start, unit);
    for (size_t i = 0; i < m->placed.count; ++i) {
        uint64_t begin = m->placed.data[i].begin, end = m->placed.data[i].end;
        if (end <= next)
            continue;
        begin = begin > start ? begin - (begin - start) % unit : start;
        if (begin >= next + bytes + BEHIND)
            break;
        next = start + aligned(end - start, unit);
    }
    if (next + bytes + BEHIND > (interleaved ? m->map->end : m->map->interleaved))
        return false;
    *at = (uint32_t)next;
    return true;
}

/* Where an edge stands already; 0: nowhere. */
static uint32_t placed_at(const struct tile_memory *m, const uint64_t *edge)
{
    size_t index = edge ? (size_t)(edge - m->first_edge) : SIZE_MAX;
    return index < m->places.count ? m->places.data[index] : 0;
}

/* Whether the field's pointer has whole addresses, so that its elements can be in the other region. */
static bool reaches_all(const struct codelet_field *field)
{
    return field->shape == SHAPE_SCALAR ||
           (field->shape == SHAPE_VECTOR && (field->layout == LAYOUT_SPAN || field->layout == LAYOUT_ONE_PTR));
}

/* edge: its entry of edge_bytes; NULL: state. */
static uint32_t copy_in(struct tile_memory *m, unsigned char *host, uint64_t bytes, const uint64_t *edge,
                        const struct codelet_field *field)
{
    uint32_t alignment = field->alignment, address = placed_at(m, edge);
    bool interleaved = field->interleaved;
    if (!address && m->apart && field->direction != FIELD_STATE && bytes && !next_elements(m, bytes, interleaved))
        interleaved |= reaches_all(field) && next_elements(m, bytes, true);
    if (!address)
        address = tile_memory_take(m, bytes, alignment < 8 ? 8 : alignment, interleaved);
    if (m->failed || !bytes || !host)
        return address;
    if (!m->mapped)
        memcpy(tile_memory(m->tile, address, (uint32_t)bytes), host, bytes);
    bool written = field->direction != FIELD_INPUT;
    *vec_push(&m->regions) = (struct tile_region){ host, address, (uint32_t)bytes, written, field };
    tile_allow(m->tile, address, (uint32_t)bytes, written ? TILE_MAY_READ | TILE_MAY_WRITE : TILE_MAY_READ);
    tile_allow(m->tile, address + (uint32_t)bytes, BEHIND, TILE_MAY_READ);
    return address;
}

/* ---- what the compiler placed ---- */

static void list_edge(struct tile_memory *m, const struct codelet_field *field, const uint64_t *edge, uint32_t address)
{
    uint64_t base = m->map->base, begin = base + address - 1, element = pop_type_size((pop_type)field->type),
             alignment = field->alignment > element ? field->alignment : element,
             start = field->interleaved ? m->map->interleaved : base;
    if (!address || !*edge || begin < start || begin % alignment || *edge > m->map->end - base ||
        begin + *edge + BEHIND > m->map->end)
        return;
    *vec_push(&m->placed) =
        (struct tile_placed){ (uint32_t)begin, (uint32_t)(begin + *edge + BEHIND), (uint64_t)(edge - m->first_edge),
                              field->direction != FIELD_INPUT, false };
}

static void list_edges(struct tile_memory *m, const uint64_t *edge, const uint32_t *addresses)
{
    for (uint32_t f = 0; f < m->codelet->field_count; ++f) {
        const struct codelet_field *field = m->codelet->fields + f;
        uint64_t rows;
        if (field->direction == FIELD_STATE)
            continue;
        if (!field_has_table(field)) {
            list_edge(m, field, edge++, *addresses++);
            continue;
        }
        for (rows = *edge++, ++addresses; rows; --rows)
            list_edge(m, field, edge++, *addresses++);
    }
}

static int by_begin(const void *left, const void *right)
{
    const struct tile_placed *a = left, *b = right;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return a->edge < b->edge ? -1 : a->edge > b->edge;
}

/* An Input has its elements as they were before the vertex: where it is what the vertex writes, it is elsewhere. */
static void move_inputs(struct tile_memory *m)
{
    uint64_t end = 0, begin = UINT64_MAX;
    for (size_t i = 0; i < m->placed.count; ++i) {
        struct tile_placed *placed = m->placed.data + i;
        placed->moved = !placed->written && placed->begin < end;
        if (placed->written)
            end = placed->end - BEHIND > end ? placed->end - BEHIND : end;
    }
    for (size_t i = m->placed.count; i-- > 0;) {
        struct tile_placed *placed = m->placed.data + i;
        placed->moved |= !placed->written && placed->end - BEHIND > begin;
        begin = placed->written ? placed->begin : begin;
    }
}

void tile_memory_place(struct tile_memory *m, const uint64_t *edge_bytes, const uint32_t *addresses)
{
    size_t kept = 0;
    uint32_t end = 0;
    m->first_edge = edge_bytes;
    list_edges(m, edge_bytes, addresses);
    if (!m->placed.count)
        return;
    qsort(m->placed.data, m->placed.count, sizeof(*m->placed.data), by_begin);
    move_inputs(m);
    for (size_t i = 0; i < m->placed.count; ++i) {
        struct tile_placed placed = m->placed.data[i];
        if (placed.moved)
            continue;
        while (m->places.count <= placed.edge)
            *vec_push(&m->places) = 0;
        m->places.data[placed.edge] = placed.begin;
        end = placed.end > end ? placed.end : end; /* ascending, so that free space can be searched */
        placed.end = end;
        m->placed.data[kept++] = placed;
    }
    m->placed.count = kept;
}

/* What loads find behind a field is zero, unless it is another field. */
static void clear_placed(const struct tile_memory *m)
{
    for (size_t i = 0; i < m->placed.count; ++i) {
        uint32_t begin = m->placed.data[i].begin, bytes = m->placed.data[i].end - begin;
        memset(tile_memory(m->tile, begin, bytes), 0, bytes);
    }
}

void tile_memory_end(struct tile_memory *m)
{
    vec_free(&m->placed);
    vec_free(&m->places);
    vec_free(&m->regions);
}

static void put(struct tile_memory *m, uint32_t address, uint64_t value, uint32_t bytes)
{
    unsigned char *at = m->failed ? NULL : tile_memory(m->tile, address, bytes);
    if (at)
        memcpy(at, &value, bytes);
}

/* ---- pointers in their layouts ---- */

static void put_vector(struct tile_memory *m, uint32_t at, enum vector_layout layout, uint32_t address, uint64_t count,
                       const struct codelet_field *field)
{
    switch (layout) {
    case LAYOUT_SPAN:
        put(m, at, address, WORD);
        put(m, at + WORD, count, WORD);
        return;
    case LAYOUT_SHORT_SPAN:
        if (count > LONGEST_SHORT_SPAN)
            fail(m, "field '%s' has %llu elements, and a SHORT_SPAN has at most %d", field->name,
                 (unsigned long long)count, LONGEST_SHORT_SPAN);
        put(m, at, address | count << SHORT_SPAN_SHIFT, WORD);
        return;
    case LAYOUT_SCALED_PTR32:
        put(m, at, (address - m->map->base) / 4, 2);
        return;
    case LAYOUT_SCALED_PTR64:
        put(m, at, address / 8, 2);
        return;
    case LAYOUT_SCALED_PTR128:
        put(m, at, address / 16, 2);
        return;
    default:
        put(m, at, address, WORD);
        return;
    }
}

static uint32_t element_bytes(const struct codelet_field *field)
{
    return (uint32_t)pop_type_size((pop_type)field->type);
}

static unsigned char *pointer_at(const unsigned char *slot)
{
    unsigned char *pointer;
    memcpy(&pointer, slot, sizeof(pointer));
    return pointer;
}

/* The number beside a host pointer, or the one that stands before what it points to. */
static uint64_t count_at(const unsigned char *slot, bool has_size)
{
    uint64_t count = 0;
    const unsigned char *data = pointer_at(slot);
    if (has_size)
        memcpy(&count, slot + 8, sizeof(count));
    else if (data)
        memcpy(&count, data - 8, sizeof(count));
    return count;
}

/* ---- fields ---- */

/* Bytes of an edge's data: from the list, or for vectors of state from the host's counts. */
static uint64_t data_bytes(const struct codelet_field *field, const unsigned char *slot, bool has_size,
                           const uint64_t **edge_bytes)
{
    return field->direction == FIELD_STATE ? count_at(slot, has_size) * element_bytes(field) : *(*edge_bytes)++;
}

/* The table of a vector list holds offsets from its base, with numbers of elements. */
struct list_entry {
    uint32_t address;
    uint64_t count;
};

static void put_deltan(struct tile_memory *m, uint32_t at, const struct list_entry *entries, uint64_t count,
                       uint32_t base, const struct codelet_field *field)
{
    enum { OFFSET_BITS = 18, COUNT_SHIFT = 20 };
    uint32_t table = tile_memory_take(m, count * WORD, WORD, false);
    for (uint64_t i = 0; i < count; ++i) {
        if (entries[i].count >> (32 - OFFSET_BITS) || (entries[i].address - base) >> OFFSET_BITS)
            fail(m, "vector %llu of '%s' is too long or too far for a DELTAN", (unsigned long long)i, field->name);
        put(m, table + (uint32_t)i * WORD, (entries[i].address - base) | entries[i].count << OFFSET_BITS, WORD);
    }
    tile_allow(m->tile, table, (uint32_t)count * WORD, TILE_MAY_READ);
    put(m, at, base | count << COUNT_SHIFT, WORD);
    put(m, at + WORD, (table - m->map->base) / 4, 2);
}

static void put_deltan_elements(struct tile_memory *m, uint32_t at, const struct list_entry *entries, uint64_t count,
                                uint32_t base, const struct codelet_field *field)
{
    enum { ADDRESS_BITS = 24, OFFSET_BITS = 21 };
    uint32_t element = element_bytes(field), unit = field->alignment > element ? field->alignment : element,
             bits = OFFSET_BITS - (uint32_t)__builtin_ctz(unit);
    uint32_t table = tile_memory_take(m, count * WORD, WORD, false);
    for (uint64_t i = 0; i < count; ++i) {
        if (entries[i].count >> (32 - bits))
            fail(m, "vector %llu of '%s' has %llu elements, too many for a DELTANELEMENTS", (unsigned long long)i,
                 field->name, (unsigned long long)entries[i].count);
        put(m, table + (uint32_t)i * WORD, (entries[i].address - base) / unit | entries[i].count << bits, WORD);
    }
    tile_allow(m->tile, table, (uint32_t)count * WORD, TILE_MAY_READ);
    put(m, at, base | (count >> 8) << ADDRESS_BITS, WORD);
    put(m, at + WORD, table | (count & 0xff) << ADDRESS_BITS, WORD);
}

static void fill_list(struct tile_memory *m, const struct codelet_field *field, const struct device_field *device,
                      const unsigned char *state, const uint64_t **edge_bytes)
{
    const unsigned char *table = pointer_at(state + field->offset);
    uint64_t count = *(*edge_bytes)++;
    struct list_entry *entries = mem_zero(count + 1, sizeof(*entries));
    uint32_t base = 0;
    for (uint64_t i = 0; i < count && !m->failed; ++i) {
        const uint64_t *edge = (*edge_bytes)++, bytes = *edge;
        entries[i].address = copy_in(m, pointer_at(table + i * table_stride(field)), bytes, edge, field);
        entries[i].count = bytes / element_bytes(field);
        base = i && base < entries[i].address ? base : entries[i].address;
    }
    if (!m->failed)
        (device->inner_layout == LIST_DELTAN ? put_deltan : put_deltan_elements)(m, m->state + device->offset, entries,
                                                                                 count, base, field);
    mem_free(entries);
}

static void fill_table(struct tile_memory *m, const struct codelet_field *field, const struct device_field *device,
                       const unsigned char *state, const uint64_t **edge_bytes)
{
    const unsigned char *slot = state + field->offset, *rows = pointer_at(slot);
    uint64_t count = field->direction == FIELD_STATE ? count_at(slot, field->has_size) : *(*edge_bytes)++;
    uint32_t table = tile_memory_take(m, count * device->entry_bytes, 8, false);
    for (uint64_t i = 0; i < count && !m->failed; ++i) {
        const unsigned char *row = rows + i * table_stride(field);
        const uint64_t *edge = field->direction == FIELD_STATE ? NULL : *edge_bytes;
        uint64_t bytes = data_bytes(field, row, field->inner_has_size, edge_bytes);
        uint32_t address = copy_in(m, pointer_at(row), bytes, edge, field);
        enum vector_layout layout =
            field->shape == SHAPE_SCALARS ? LAYOUT_ONE_PTR : (enum vector_layout)device->inner_layout;
        put_vector(m, table + (uint32_t)i * device->entry_bytes, layout, address, bytes / element_bytes(field), field);
    }
    tile_allow(m->tile, table, (uint32_t)count * device->entry_bytes, TILE_MAY_READ);
    put_vector(m, m->state + device->offset, (enum vector_layout)device->layout, table, count, field);
}

static void fill_field(struct tile_memory *m, uint32_t f, const unsigned char *state, const uint64_t **edge_bytes)
{
    const struct codelet_field *field = m->codelet->fields + f;
    const struct device_field *device = m->layout->fields + f;
    const unsigned char *slot = state + field->offset;
    uint32_t at = m->state + device->offset;
    if (field->shape == SHAPE_VECTOR_LIST) {
        fill_list(m, field, device, state, edge_bytes);
    } else if (field_has_table(field)) {
        fill_table(m, field, device, state, edge_bytes);
    } else if (field->direction == FIELD_STATE && field->shape == SHAPE_SCALAR) {
        memcpy(tile_memory(m->tile, at, device->bytes), slot, device->bytes);
    } else {
        const uint64_t *edge = field->direction == FIELD_STATE ? NULL : *edge_bytes;
        uint64_t bytes = data_bytes(field, slot, field->has_size, edge_bytes);
        uint32_t address = copy_in(m, pointer_at(slot), bytes, edge, field);
        enum vector_layout layout = field->shape == SHAPE_SCALAR ? LAYOUT_ONE_PTR : (enum vector_layout)device->layout;
        put_vector(m, at, layout, address, bytes / element_bytes(field), field);
    }
}

bool tile_memory_fill(struct tile_memory *m, const unsigned char *state, const uint64_t *edge_bytes)
{
    m->regions.count = 0;
    clear_placed(m);
    m->state = tile_memory_take(m, m->layout->state_bytes, 8, false);
    if (!m->failed)
        tile_allow(m->tile, m->state, m->layout->state_bytes, TILE_MAY_READ | TILE_MAY_WRITE);
    for (uint32_t f = 0; f < m->codelet->field_count && !m->failed; ++f)
        fill_field(m, f, state, &edge_bytes);
    /* Plain fields of the state keep what the vertex writes, until its next execution. */
    for (uint32_t f = 0; f < m->codelet->field_count && !m->failed; ++f) {
        const struct codelet_field *field = m->codelet->fields + f;
        if (field->direction == FIELD_STATE && field->shape == SHAPE_SCALAR)
            *vec_push(&m->regions) =
                (struct tile_region){ (unsigned char *)(uintptr_t)(state + field->offset),
                                      m->state + m->layout->fields[f].offset, m->layout->fields[f].bytes, true, field };
    }
    return !m->failed;
}

const struct codelet_field *tile_memory_name(const struct tile_memory *m, uint32_t address, struct str *text)
{
    const struct tile_region *nearest = NULL;
    uint32_t distance = UINT32_MAX;
    for (size_t i = 0; i < m->regions.count; ++i) {
        const struct tile_region *r = m->regions.data + i;
        uint32_t end = r->address + r->bytes, away = address < r->address ? r->address - address
                                                     : address < end      ? 0
                                                                          : address - end + 1;
        if (away < distance) {
            nearest = r;
            distance = away;
        }
    }
    if (!nearest)
        return NULL;
    bool before = address < nearest->address;
    if (!distance)
        str_add(text, "in");
    else if (!before && distance == 1)
        str_add(text, "right behind");
    else
        str_format(text, "%u bytes %s", distance - !before, before ? "before" : "behind");
    str_format(text, " %sfield '%s'", field_has_table(nearest->field) ? "a vector of " : "", nearest->field->name);
    if (distance)
        str_format(text, " of %u bytes", nearest->bytes);
    return nearest->field;
}

void tile_memory_drain(struct tile_memory *m)
{
    for (size_t i = 0; i < m->regions.count; ++i) {
        const struct tile_region *region = m->regions.data + i;
        if (region->written)
            memcpy(region->host, tile_memory(m->tile, region->address, region->bytes), region->bytes);
    }
    m->regions.count = 0;
}
