/* SPDX-License-Identifier: Apache-2.0 */
/* Filling the model's tables: compute sets and exchanges, tile by tile, equal neighbours in one entry. */
#ifndef COMPILER_COMMON_TABLES_H
#define COMPILER_COMMON_TABLES_H

#include "compiler/common/compiler.h"
#include "target/copy_cost.h"
#include "target/cost.h"

/* Begins a set; parts and shares that are added next belong to it.  Returns its index. */
uint32_t tables_set(struct compiler *c, const char *name);
/* Tiles must be added in ascending order. Nothing is added for a tile without work. */
void tables_part(struct compiler *c, uint32_t tile, const struct cost_tile *work);
/* Vertices of a type (index of model.types); a type that the set has already is added to. */
void tables_share(struct compiler *c, const struct model_share *share);
/* Adds the number of a type's vertices on a tile. */
void tables_count(struct compiler *c, uint32_t type, uint32_t tile, uint32_t vertices);
/* Index of model.types: of a type of the store, which type_of remembers (see struct schedule_result), and of one of the
 * compiler's own. */
uint32_t tables_type(struct compiler *c, uint32_t *type_of, uint32_t type);
uint32_t tables_own_type(struct compiler *c, const char *name, uint32_t state_bytes);

/* Begins an exchange in one of the model's three lists; flows that are added next belong to it, tiles in ascending
 * order. */
enum exchange_list { EXCHANGES_INTERNAL = 0, EXCHANGES_GLOBAL, EXCHANGES_HOST };
uint32_t tables_exchange(struct compiler *c, enum exchange_list list, const char *name);
void tables_flow(struct compiler *c, enum exchange_list list, struct model_flow flow);

/* On-tile copies of a step: gathered in any order, then made into a compute set of copy vertices. */
struct tile_copy {
    uint32_t tile;
    struct copy_shape shape;
};
typedef VEC(struct tile_copy) tile_copies;
/* Adds a piece; offsets is the bitwise OR of its source and destination offsets, for the alignment. */
void copy_shape_add(struct copy_shape *shape, uint64_t offsets, uint64_t bytes);

/* Moves within tiles that are one copy on each tile. */
struct tile_moves {
    struct copy_shape *shapes; /* by tile */
    VEC(uint32_t) tiles;       /* that have any */
};
void tile_moves_begin(struct tile_moves *moves, const pop_target *target);
void tile_moves_add(struct tile_moves *moves, uint32_t tile, uint64_t from, uint64_t to, uint64_t bytes);
void tile_moves_end(struct tile_moves *moves, tile_copies *copies); /* they become copies */

/* Builds the compute set and empties the list; NONE when it is empty. */
uint32_t tables_copies(struct compiler *c, const char *name, tile_copies *copies);
/* Their bytes by tile, appended to a list; how many tiles.  Call before tables_copies. */
uint32_t tables_rearranged(tile_byte_list *list, tile_copies *copies);

/* "NAME/SUFFIX", in a buffer of the caller's. */
enum { TABLES_NAME = 512 };
const char *tables_name(char *buffer, const char *name, const char *suffix);

#endif
