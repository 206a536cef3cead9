/* SPDX-License-Identifier: Apache-2.0 */
/* The exchanges with published figures, message by message (docs/decisions/0004-exchange-rule.md). */
#ifndef BENCH_ANCHORS_PATTERNS_H
#define BENCH_ANCHORS_PATTERNS_H

#include "target/exchange_cost.h"
#include "target/exchange_schedule.h"

enum { MK1_TILES = 1216, CONV_TILES = 392 };

/* Cycles of each tile, 0 for those that take no part; returns total data: half of the sent and received bytes. */
uint64_t pattern_broadcast(const pop_target *target, uint64_t *cycles);
uint64_t pattern_convolution(const pop_target *target, uint64_t *cycles);
uint64_t pattern_halo(const pop_target *target, uint64_t *cycles);

#endif
