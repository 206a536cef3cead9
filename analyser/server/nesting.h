/* SPDX-License-Identifier: Apache-2.0 */
/* Steps by the programs that they are in: the control program, its sequences, loops and calls. A function is expanded
 * at each call, and the order of the steps says at which of them one was executed: what follows the step before comes
 * first, from the innermost program around it outwards; a loop begins again. */
#ifndef ANALYSER_NESTING_H
#define ANALYSER_NESTING_H

#include "lod.h"

struct nesting {
    struct node *node; /* parents come before children; 0 is the root */
    uint8_t *loop;     /* of nodes: how deep the innermost loop around is; 0: none is */
    uint32_t nodes, depth;
    uint32_t *leaf;   /* of each step */
    uint32_t *common; /* of each bucket: the deepest node above all of its steps; 0: none */
};

/* The nesting of the report that report= names, made when it is asked for the first time. NULL with an error. */
const struct nesting *nesting_of(const struct request *request, const struct lod *lod, pop_error *error);
void nesting_free(struct nesting *nesting);

#endif
