/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of lightweight profiles: where they are drawn, and which tiles were selected to record them. */
#ifndef ANALYSER_BLOCKS_H
#define ANALYSER_BLOCKS_H

#include "lod.h"

/* As the table blocks numbers them (docs/reference/report-files.md). */
enum block_kind { BLOCK_COMMON, BLOCK_STREAM_COPY, BLOCK_FLUSH, BLOCK_OVERFLOW, BLOCK_UNKNOWN, BLOCK_KINDS };

/* Sorts the blocks by tile and by where they are drawn, and gives each its row: how many blocks of its tile it lies in.
 * An end that was not recorded lies in the overflow behind it: the block is drawn until that begins. A begin that was
 * not recorded lies in the overflow before it: the block is drawn from when that ended. */
void blocks_place(struct lod *lod);
/* The phase of a stream copy or flush, as a kind of steps; KINDS for other blocks. */
unsigned block_phase(const struct lod *lod, const struct lod_block *block);
/* Whether a block says that its tile was selected: other tiles of a stream copy have its middle alone. */
bool block_of_selected(const struct lod *lod, const struct lod_block *block);

#endif
