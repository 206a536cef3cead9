/* SPDX-License-Identifier: Apache-2.0 */
/* How large a vertex is in a tile's memory, where pointers have 32 bits or fewer (docs/reference/ipu-model.md, 3.2).
 * The host's own layout is in codelet.h.  A layout is made once for a vertex type; what a single vertex adds to it is a
 * sum over its fields. */
#ifndef POPC_DEVICE_LAYOUT_H
#define POPC_DEVICE_LAYOUT_H

#include "popc/codelet.h"

#include <poplar/target.h>

/* A field of the state, and what it has outside of it: for each inner vector (or scalar edge, or entry of a vector
 * list) an entry of a table, for each element of a vector of state the element.  Data of edges is in variables and is
 * not counted here. */
struct device_field {
    uint32_t offset, bytes;       /* in the state */
    uint32_t entry_bytes;         /* of the table; 0 when there is none */
    uint32_t element_bytes;       /* of state; 0 for edges */
    uint32_t data_alignment;      /* of both */
    uint8_t layout, inner_layout; /* as the target has them: COMPACT_PTR and COMPACT_DELTAN are resolved, none that it
                                     lacks is left */
    bool edge, list;              /* list: its table is a descriptor of a vector list */
};

/* state_bytes is the sum of the other three. */
struct device_layout {
    uint32_t state_bytes, state_alignment;
    uint32_t fields_bytes;       /* internal state: plain fields, and pointers to vectors of state */
    uint32_t edge_pointer_bytes; /* pointers to edges, with their counts */
    uint32_t padding_bytes;
    struct device_field *fields; /* as many as the codelet has, in its order */
};

void device_layout_make(struct device_layout *layout, const struct codelet *codelet, const pop_target *target);
void device_layout_free(struct device_layout *layout);

/* What a vertex has outside of its state.  The first three are vertexFieldData, the last is vectorListDescriptor. */
struct device_extra {
    uint64_t edge_pointer_bytes; /* tables of pointers to edges */
    uint64_t fields_bytes;       /* vectors of state, and their tables */
    uint64_t padding_bytes;
    uint64_t descriptor_bytes;
};

/* Adds a field of one vertex: entries of its table (inner vectors, scalar edges), elements over all of its vectors. */
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
