/* SPDX-License-Identifier: Apache-2.0 */
/* Filling the states of a set's vertices: threads fill parts of groups; what takes the next place in a table of the
 * image is added after, part by part. */
#ifndef COMPILER_LOWER_STATES_H
#define COMPILER_LOWER_STATES_H

#include "compiler/common/window.h"
#include "compiler/lower/shared_gathers.h"

/* Space that tables and vector data take from some place on: from the first one on it is the same wherever they begin.
 */
struct item_space {
    bool any, counted; /* counted: the first has its number of items before it */
    uint64_t end;      /* from where the first begins */
};
uint64_t space_end(const struct item_space *space, uint64_t begin);

/* An edge whose vertex gets its elements in a buffer; its reference belongs at `at` of the states. */
struct late_gather {
    uint64_t at;
    const struct codelet_field *field;
    struct edge edge;
    uint32_t vertex_in_set;
};
/* Vertices of a group that follow each other. */
struct state_part {
    const struct codelet *codelet;
    struct vertex_group places; /* of order_result.vertices */
    uint32_t set, group, vertex_in_set;
    struct item_space space;
    uint64_t at, stride;       /* the first state, and from one to the next */
    uint64_t items, items_end; /* of the states: what tables and vector data may still take */
    uint64_t work;             /* bytes that its vertices touch, but for gathers */
    VEC(struct late_gather) gathers;
};
/* What a thread needs to fill one part after another. */
struct filler {
    struct compiler *c;
    const struct order_result *order;
    const struct storage_result *storage;
    const struct edge **edge_of; /* by field of the current vertex; NULL: none */
    VEC(struct run) writes;      /* what the current vertex writes in place */
    struct state_part *part;
    uint32_t vertex_in_set;
};
/* Whether states of a codelet can have tables or vector data. */
bool state_has_items(const struct codelet *codelet);
void measure_part(struct filler *f, struct state_part *part); /* finds its space */
void fill_part(struct filler *f, struct state_part *part);    /* finds its work and gathers, too */

/* Scratch bytes of a compute set, and bytes that its vertices access. */
struct gather_space {
    uint64_t scratch, work;
    struct shared_gathers shared;
};
void add_gather(struct compiler *c, const struct storage_result *storage, const struct late_gather *late,
                struct gather_space *space);
/* Checked mode: adds the vertex's id and the bytes of its edges. */
void fill_checks(struct filler *f, uint32_t vertex, const struct codelet *codelet);

#endif
