/* SPDX-License-Identifier: Apache-2.0 */
/* What lower.c and lower_kinds.c share: emitting the ops of one program at a time, and going down into its children. */
#ifndef COMPILER_LOWER_LOWER_H
#define COMPILER_LOWER_LOWER_H

#include "compiler/common/compiler.h"

/* A program being emitted.  Its emit function is called with stage 0, and again with the next stage after each child
 * that it asked for. */
struct frame {
    uint32_t node;
    uint32_t stage;
    uint32_t op;    /* an op that is patched later */
    uint32_t jumps; /* chain of jumps to the end, through their target field; NONE ends it */
};
struct lowering {
    struct compiler *c;
    const struct use_result *use;
    const struct storage_result *storage;
    const struct blocks_result *blocks;
    const struct outline_result *outline;
    struct lower_result *result;
    VEC(struct frame) frames;
    VEC(uint32_t)
    bodies; /* nodes whose ops end with END: control programs, functions, programs that are in several places */
    uint32_t *body_of;     /* by node: index of bodies, or NONE */
    uint32_t *leaf_op;     /* by node without children: the op that it became, or NONE */
    VEC(uint32_t) body_op; /* first op of each body */
    uint32_t node;         /* the node being emitted */
};
#define LOWER_DONE (UINT32_MAX - 1)

uint32_t lower_op(struct lowering *l, struct image_op op);
void lower_drop(struct lowering *l);           /* removes the last op */
uint32_t lower_here(const struct lowering *l); /* index of the op that is emitted next */
/* Index of a node's body, which is emitted later. */
uint32_t lower_body(struct lowering *l, uint32_t node);
/* Copy plans; NULL is a buffer. */
uint32_t lower_copy(struct compiler *c, const struct storage_result *storage, const struct view *source,
                    const struct view *destination);
/* An operand that reads a view. */
uint32_t lower_operand(struct lowering *l, const struct view *view);

/* Adds the image's ops, programs, cases, operands, prints and the copies that they need.  NULL: more than 2^32 steps.
 */
const struct lower_result *pass_lower(struct compiler *c, const struct use_result *use,
                                      const struct storage_result *storage, const struct blocks_result *blocks,
                                      const struct outline_result *outline);

/* emit.c: emit: completes the image. */

/* Initial contents, host access, streams, host functions, registers. */
bool pass_emit(struct compiler *c, const struct check_result *check, const struct storage_result *storage);

/* outline.c: outline: merges equal programs. */

/* Copies with dontOutline, and programs that print, abort or call the host, are never merged. */
const struct outline_result *pass_outline(struct compiler *c, const struct use_result *use);

/* storage.c: storage: where each used variable is in the host's storage. */

/* Also image->storage_bytes.  NULL: the size exceeds the address space. */
const struct storage_result *pass_storage(struct compiler *c, const struct use_result *use,
                                          const struct check_result *check, const struct order_result *sets);

/* vertices.c: vertices: the groups and vertex states that the engine runs. */

/* Fills the image's groups, states, gathers and their copies, codelets, modules, scratch_bytes, vertex_ids, and what
 * its sets have of them; in checked mode edge_first and edge_bytes.  False: an error. */
bool pass_vertices(struct compiler *c, const struct check_result *check, const struct order_result *order,
                   const struct storage_result *storage);

#endif
