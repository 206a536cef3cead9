/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of lightweight profiles: where they are drawn, and which tiles were selected to record them. */
#ifndef ANALYSER_BLOCKS_H
#define ANALYSER_BLOCKS_H

#include "lod.h"

/* Numbered as in the table blocks (docs/reference/report-files.md). */
enum block_kind { BLOCK_COMMON, BLOCK_STREAM_COPY, BLOCK_FLUSH, BLOCK_OVERFLOW, BLOCK_UNKNOWN, BLOCK_KINDS };

/* Sorts the blocks by tile and drawn position, and gives each its row: the number of its tile's blocks that enclose
 * it. An end that was not recorded is in the next overflow: the block is drawn until that begins. A begin that was
 * not recorded is in the previous overflow: the block is drawn from its end on. */
void blocks_place(struct lod *lod);
/* The phase of a stream copy or flush as a kind of step; KINDS for other blocks. */
unsigned block_phase(const struct lod *lod, const struct lod_block *block);
/* Whether a block implies that its tile was selected: other tiles have only the middle phase of a stream copy. */
bool block_of_selected(const struct lod *lod, const struct lod_block *block);

#endif
