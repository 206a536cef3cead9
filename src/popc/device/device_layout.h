/* SPDX-License-Identifier: Apache-2.0 */
/* Size of a vertex in a tile's memory, where pointers have 32 bits or fewer (docs/reference/ipu-model.md, 3.2).
 * codelet.h describes the host's layout. A layout is computed once for a vertex type; the extra size of a single
 * vertex is a sum over its fields. */
#ifndef POPC_DEVICE_DEVICE_LAYOUT_H
#define POPC_DEVICE_DEVICE_LAYOUT_H

#include "popc/module/codelet.h"

#include <poplar/target.h>

/* A field of the state, and its data outside the state: a table entry for each inner vector (or scalar edge, or
 * entry of a vector list), and the elements of vectors of state. Data of edges belongs to variables and is not
 * counted here. */
struct device_field {
    uint32_t offset, bytes;       /* in the state */
    uint32_t entry_bytes;         /* bytes of a table entry; 0 when there is no table */
    uint32_t element_bytes;       /* bytes of an element of state; 0 for edges */
    uint32_t data_alignment;      /* alignment of tables and elements */
    uint8_t layout, inner_layout; /* resolved for the target: a layout that it has */
    bool edge, list;              /* list: the table is a descriptor of a vector list */
};

/* state_bytes is the sum of the other three. */
struct device_layout {
    uint32_t state_bytes, state_alignment;
    uint32_t fields_bytes;       /* internal state: plain fields and pointers to vectors of state */
    uint32_t edge_pointer_bytes; /* pointers to edges, with their counts */
    uint32_t padding_bytes;
    struct device_field *fields; /* as many as the codelet has, in the same order */
};

void device_layout_make(struct device_layout *layout, const struct codelet *codelet, const pop_target *target);
void device_layout_free(struct device_layout *layout);

/* Bytes of a vertex outside its state. The first three count as vertexFieldData, the last as vectorListDescriptor. */
struct device_extra {
    uint64_t edge_pointer_bytes; /* tables of pointers to edges */
    uint64_t fields_bytes;       /* vectors of state and their tables */
    uint64_t padding_bytes;
    uint64_t descriptor_bytes;
};

/* Adds a field of one vertex: `entries` of its table (inner vectors, scalar edges), and elements summed over its
 * vectors. */
static inline void device_extra_add(struct device_extra *extra, const struct device_field *field, uint64_t entries,
                                    uint64_t elements)
{
    uint64_t table = entries * field->entry_bytes, data = elements * field->element_bytes,
             mask = field->data_alignment - 1;
    *(field->list   ? &extra->descriptor_bytes
      : field->edge ? &extra->edge_pointer_bytes
                    : &extra->fields_bytes) += table;
    extra->fields_bytes += data;
    extra->padding_bytes += (-table & mask) + (-data & mask);
}

static inline uint64_t device_extra_field_data(const struct device_extra *extra)
{
    return extra->edge_pointer_bytes + extra->fields_bytes + extra->padding_bytes;
}

#endif
