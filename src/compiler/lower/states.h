/* SPDX-License-Identifier: Apache-2.0 */
/* Filling the states of a set's vertices, one after another. */
#ifndef COMPILER_LOWER_STATES_H
#define COMPILER_LOWER_STATES_H

#include "compiler/common/window.h"

struct filler {
    struct compiler *c;
    const struct check_result *check;
    const struct order_result *order;
    const struct storage_result *storage;
    const struct edge **edge_of; /* by field of the current vertex; NULL: none */
    VEC(struct run) writes;      /* what the current vertex writes in place */
    uint32_t vertex_in_set;
    uint64_t scratch; /* bytes that the set has laid out */
    uint64_t work;    /* bytes that its vertices touch */
};
/* Writes the state of the vertex that has these edges at image->states + at, where its codelet's size is free; tables
 * and vector data are added after. */
void fill_state(struct filler *f, struct edge_list list, const struct codelet *codelet, uint64_t at);
/* Checked mode: adds the vertex's id and the bytes of its edges, after fill_state. */
void fill_checks(struct filler *f, uint32_t vertex, const struct codelet *codelet);

#endif
