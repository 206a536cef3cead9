/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/device/device_layout.h"

#include "base/mem.h"

#include <assert.h>
#include <string.h>

enum {
    WORD = 4,
    MEMORY_OF_32 = 256 << 10,
    MEMORY_OF_64 = 512 << 10,
    MEMORY_OF_128 = 1 << 20,
    MEMORY_OF_SHORT_SPAN = 1 << 20
};

static bool is_mk1(const pop_target *target)
{
    return strcmp(target->arch, "ipu1") == 0;
}

/* Whether a scaled pointer (a 16-bit address in units of the alignment) can address the whole memory of a tile. */
static bool scaled_reaches(enum vector_layout layout, const pop_target *target, uint32_t alignment)
{
    switch (layout) {
    case LAYOUT_SCALED_PTR32:
        return is_mk1(target) && alignment >= 4 && target->bytes_per_tile <= MEMORY_OF_32;
    case LAYOUT_SCALED_PTR64:
        return is_mk1(target) && alignment >= 8 && target->bytes_per_tile <= MEMORY_OF_64;
    case LAYOUT_SCALED_PTR128:
        return alignment >= 16 && target->bytes_per_tile <= MEMORY_OF_128;
    default:
        return false;
    }
}

/* The layout that a target uses for a requested one: when it has no such layout, the next larger one with the same
 * interface for the codelet. */
static enum vector_layout resolve(enum vector_layout layout, const pop_target *target, uint32_t alignment)
{
    static const enum vector_layout compact[] = { LAYOUT_SCALED_PTR64, LAYOUT_SCALED_PTR32, LAYOUT_SCALED_PTR128 };
    switch (layout) {
    case LAYOUT_SPAN:
    case LAYOUT_ONE_PTR:
        return layout;
    case LAYOUT_SHORT_SPAN:
        return target->bytes_per_tile <= MEMORY_OF_SHORT_SPAN ? LAYOUT_SHORT_SPAN : LAYOUT_SPAN;
    case LAYOUT_COMPACT_PTR:
        for (size_t i = 0; i < sizeof(compact) / sizeof(compact[0]); ++i)
            if (scaled_reaches(compact[i], target, alignment))
                return compact[i];
        return LAYOUT_ONE_PTR;
    default:
        return scaled_reaches(layout, target, alignment) ? layout : LAYOUT_ONE_PTR;
    }
}

static uint32_t layout_bytes(enum vector_layout layout)
{
    switch (layout) {
    case LAYOUT_SPAN:
        return 2 * WORD; /* a pointer and a count */
    case LAYOUT_SCALED_PTR32:
    case LAYOUT_SCALED_PTR64:
    case LAYOUT_SCALED_PTR128:
        return 2;
    default:
        return WORD;
    }
}

static uint32_t layout_alignment(uint32_t bytes)
{
    return bytes < WORD ? bytes : WORD;
}

/* Sets the pointer (and size) that represents a vector; returns its alignment. */
static uint32_t set_vector(struct device_field *field, enum vector_layout layout, const pop_target *target,
                           uint32_t alignment)
{
    field->layout = (uint8_t)resolve(layout, target, alignment);
    field->bytes = layout_bytes((enum vector_layout)field->layout);
    return layout_alignment(field->bytes);
}

/* Sets everything except the offset; returns the alignment in the state. */
static uint32_t set_field(struct device_field *field, const struct codelet_field *from, const pop_target *target)
{
    uint32_t size = (uint32_t)pop_type_size((pop_type)from->type);
    /* Tables and data outside the state begin at word boundaries, as the fields of a vertex do (inferred). */
    *field = (struct device_field){ .edge = from->direction != FIELD_STATE,
                                    .list = from->shape == SHAPE_VECTOR_LIST,
                                    .data_alignment = WORD };
    if (!field->edge && from->shape != SHAPE_SCALAR) {
        field->element_bytes = size;
        field->data_alignment = from->alignment > WORD ? from->alignment : WORD;
    }
    switch (from->shape) {
    case SHAPE_VECTOR:
        return set_vector(field, (enum vector_layout)from->layout, target, from->alignment);
    case SHAPE_VECTORS:
        field->inner_layout = (uint8_t)resolve((enum vector_layout)from->inner_layout, target, from->alignment);
        field->entry_bytes = layout_bytes((enum vector_layout)field->inner_layout);
        return set_vector(field, (enum vector_layout)from->layout, target, WORD);
    case SHAPE_SCALARS:
        field->entry_bytes = WORD;
        return set_vector(field, (enum vector_layout)from->layout, target, WORD);
    case SHAPE_VECTOR_LIST: /* one format per machine (docs/reference/tile-isa.md, 4): on ipu1 a base with the count and
                               a scaled pointer to the table, elsewhere two words */
        field->inner_layout = is_mk1(target) ? LIST_DELTAN : LIST_DELTANELEMENTS;
        field->entry_bytes = WORD;
        field->bytes = is_mk1(target) ? WORD + 2 : 2 * WORD;
        return WORD;
    default:
        field->bytes = field->edge ? WORD : size;
        return field->bytes;
    }
}

void device_layout_make(struct device_layout *layout, const struct codelet *codelet, const pop_target *target)
{
    *layout = (struct device_layout){ .state_alignment = 1,
                                      .fields = mem_zero(codelet->field_count, sizeof(*layout->fields)) };
    uint32_t end = 0;
    for (uint32_t i = 0; i < codelet->field_count; ++i) {
        struct device_field *field = layout->fields + i;
        uint32_t alignment = set_field(field, codelet->fields + i, target);
        assert(alignment && (alignment & (alignment - 1)) == 0);
        field->offset = (end + alignment - 1) & ~(alignment - 1);
        layout->padding_bytes += field->offset - end;
        end = field->offset + field->bytes;
        *(field->edge ? &layout->edge_pointer_bytes : &layout->fields_bytes) += field->bytes;
        layout->state_alignment = alignment > layout->state_alignment ? alignment : layout->state_alignment;
    }
    assert(layout->fields_bytes + layout->edge_pointer_bytes + layout->padding_bytes >= end);
    uint32_t mask = layout->state_alignment - 1;
    layout->state_bytes = end ? (end + mask) & ~mask : 1; /* not 0: states need distinct addresses */
    layout->padding_bytes += layout->state_bytes - end;
}

void device_layout_free(struct device_layout *layout)
{
    free(layout->fields);
    *layout = (struct device_layout){ 0 };
}
