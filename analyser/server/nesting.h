/* SPDX-License-Identifier: Apache-2.0 */
/* Steps by the programs that contain them: the control program, its sequences, loops and calls. A function is
 * expanded at each call, and the order of the steps determines at which call a step was executed: the next place
 * after the previous step is tried first, from the innermost enclosing program outwards; then a loop starts another
 * iteration. */
#ifndef ANALYSER_NESTING_H
#define ANALYSER_NESTING_H

#include "lod.h"

struct nesting {
    struct node *node; /* parents precede children; 0 is the root */
    uint8_t *loop;     /* by node: depth of the innermost enclosing loop; 0: none */
    uint32_t nodes, depth;
    uint32_t *leaf;   /* by step */
    uint32_t *common; /* by bucket: the deepest common ancestor of its steps; 0: none */
};

/* The nesting of the report that report= selects, built at the first request. NULL with an error. */
const struct nesting *nesting_of(const struct request *request, const struct lod *lod, pop_error *error);
void nesting_free(struct nesting *nesting);

#endif
