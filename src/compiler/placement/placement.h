/* SPDX-License-Identifier: Apache-2.0 */
/* The passes that give every block an address (place.h), and what reports have of them. */
#ifndef COMPILER_PLACEMENT_PLACEMENT_H
#define COMPILER_PLACEMENT_PLACEMENT_H

#include "compiler/placement/place.h"
#include "compiler/placement/place_sizes.h"
#include "image/model.h"

#include <poplar/target.h>

/* place_edges.c: image->edge_addresses, when blocks have addresses and there are vertices in assembly. */
void place_edges(struct place *p);

/* place_constraints.c: elem(*a) != elem(*b): what two fields of a vertex are connected to on its tile must be in
 * different memory elements: variables, and the set's buffers for what comes from other tiles or is laid out anew. */

/* Finds messages of two fields that must be in different memory elements.  Called before blocks are made. */
void place_find_apart(struct place *p);
/* The bytes of such a message, `all` on the tile, that are the first field's; 0: it is one block. */
uint64_t place_apart_bytes(const struct place *p, uint32_t buffer, uint32_t tile, uint64_t all);
/* The blocks of a variable or buffer on a tile: from the first (of the tile's), as many as *count. */
uint32_t place_blocks_of(const struct place *p, uint32_t tile, enum place_kind kind, uint32_t what, uint32_t *count);
/* Fields that must be in different memory elements: pairs of blocks.  Called when blocks are by tile. */
void place_constraints(struct place *p);
/* The constraint of a pair that could not be met, as an error. */
bool place_fail_pair(struct place *p, uint32_t tile, const struct fit_pair *pair);

/* place_keep.c: the placement for reports: every block with its address and its live intervals, in ordinals of the
 * steps that have a live list. */

/* image->placement. */
void place_keep(const struct place *p);

/* control_code.c: instructions of control code that a program's beginning and its steps need on each tile
 * (docs/concepts/memory.md). `change`: by tile, and one more, the difference to the tile before. */

/* Adds what tiles need besides their steps. */
void control_code_start(const pop_target *target, int64_t *change);
/* Adds a step (one of model->steps), without its children. */
void control_code_add(const struct model *model, const struct model_step *step, const pop_target *target,
                      int64_t *change);

/* live_lists.c: what is live at each leaf step and Switch, by name: one sweep over the positions. */

/* The model's live lists and step_live; sizes: of what is always there. */
void live_lists(struct compiler *c, const struct place_inputs *in, const struct place_sizes *sizes);

/* place_report.c: messages and files about placement: tiles that are out of memory, and debug.loweredVarDumpFile. */

/* Out of memory: an error or a warning; false: the error is recorded. */
bool place_check_memory(struct place *p);
/* debug.loweredVarDumpFile. */
bool place_dump(struct place *p);
const char *place_block_name(const struct place *p, const struct fit_block *block);

#endif
