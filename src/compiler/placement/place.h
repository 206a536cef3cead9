/* SPDX-License-Identifier: Apache-2.0 */
/* State shared by the memory passes: sizes of permanent data by tile, and the address of every block. */
#ifndef COMPILER_PLACEMENT_PLACE_H
#define COMPILER_PLACEMENT_PLACE_H

#include "compiler/placement/place_fit.h"
#include "compiler/placement/place_sizes.h"

/* Results of earlier passes. */
struct place_inputs {
    const struct use_result *use;
    const struct check_result *check;
    const struct order_result *order;
    const struct storage_result *storage;
    const struct blocks_result *blocks;
    const struct schedule_result *schedule;
    const struct live *live;
};
/* Adds the model's tiles, uses, set_vertices, type_vertices and live lists.  False: out of memory (place_report.c), or
 * a constraint that cannot be met. */
bool pass_place(struct compiler *c, const struct place_inputs *in);

/* Kinds of blocks; `what` of a block is a variable, a buffer of live, or a category. */
enum place_kind { PLACE_VARIABLE = 0, PLACE_BUFFER, PLACE_FIXED };
/* Tiles with the same blocks share a layout. */
struct place_layout {
    uint64_t hash;
    uint32_t tile;       /* the first that has it: the one that is placed */
    size_t first, count; /* its blocks */
    struct fit_result result;
    uint64_t *address; /* by block of it */
};
/* What two fields of a vertex receive from other tiles, where they must be in different memory elements: the message is
 * then two blocks. */
struct place_apart {
    uint32_t buffer, tile;
    uint64_t bytes[2]; /* of each field, in one vertex */
};
struct place {
    struct compiler *c;
    const struct place_inputs *in;
    const struct live *live;
    struct fit_memory memory;
    struct place_sizes sizes;
    VEC(struct place_apart) apart; /* by buffer, tile */
    VEC(struct fit_block) blocks;  /* by tile, kind, what */
    size_t *first;                 /* by tile, and one more */
    size_t *next;                  /* by tile, while blocks are collected: the place of the next one */
    struct fit_pair *pairs;        /* by tile */
    size_t *first_pair;
    VEC(struct place_layout) layouts;
    uint32_t *layout_of; /* by tile */
};

#endif
