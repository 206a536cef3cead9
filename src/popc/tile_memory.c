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
    uint64_t at = aligned(interleaved ? m->high : m->low, alignment),
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

/* Begins a memory element that no earlier field is in. */
static void next_element(struct tile_memory *m, bool interleaved)
{
    uint32_t unit = interleaved ? 2 * TILE_ELEMENT_BYTES : TILE_ELEMENT_BYTES,
             start = interleaved ? m->map->interleaved : m->map->base, *at = interleaved ? &m->high : &m->low;
    uint64_t next = start + aligned(*at - start, unit);
    if (next < (interleaved ? m->map->end : m->map->interleaved))
        *at = (uint32_t)next;
}

static uint32_t copy_in(struct tile_memory *m, unsigned char *host, uint64_t bytes, uint32_t alignment,
                        const struct codelet_field *field)
{
    if (m->apart && field->direction != FIELD_STATE && bytes)
        next_element(m, field->interleaved);
    uint32_t address = tile_memory_take(m, bytes, alignment < 8 ? 8 : alignment, field->interleaved);
    if (m->failed || !bytes || !host)
        return address;
    if (!m->mapped)
        memcpy(tile_memory(m->tile, address, (uint32_t)bytes), host, bytes);
    bool written = field->direction != FIELD_INPUT;
    *vec_push(&m->regions) = (struct tile_region){ host, address, (uint32_t)bytes, written };
    tile_allow(m->tile, address, (uint32_t)bytes, written ? TILE_MAY_READ | TILE_MAY_WRITE : TILE_MAY_READ);
    tile_allow(m->tile, address + (uint32_t)bytes, BEHIND, TILE_MAY_READ);
    return address;
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

static uint32_t field_alignment(const struct codelet_field *field)
{
    return field->alignment;
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
        uint64_t bytes = *(*edge_bytes)++;
        entries[i].address =
            copy_in(m, pointer_at(table + i * table_stride(field)), bytes, field_alignment(field), field);
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
        uint64_t bytes = data_bytes(field, row, field->inner_has_size, edge_bytes);
        uint32_t address = copy_in(m, pointer_at(row), bytes, field_alignment(field), field);
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
        uint64_t bytes = data_bytes(field, slot, field->has_size, edge_bytes);
        uint32_t address = copy_in(m, pointer_at(slot), bytes, field_alignment(field), field);
        enum vector_layout layout = field->shape == SHAPE_SCALAR ? LAYOUT_ONE_PTR : (enum vector_layout)device->layout;
        put_vector(m, at, layout, address, bytes / element_bytes(field), field);
    }
}

bool tile_memory_fill(struct tile_memory *m, const unsigned char *state, const uint64_t *edge_bytes)
{
    m->regions.count = 0;
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
                                      m->state + m->layout->fields[f].offset, m->layout->fields[f].bytes, true };
    }
    return !m->failed;
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
