/* SPDX-License-Identifier: Apache-2.0 */
#include "patterns.h"

#include <stdlib.h>

/* Cycles of tiles [0, tiles) with these received and sent bytes each; tile 0 may send another amount. */
static uint64_t finish(const pop_target *target, struct exchange_schedule *schedule, uint32_t tiles,
                       struct exchange_tile first, struct exchange_tile other, uint64_t *cycles)
{
    uint64_t bytes = 0;
    exchange_schedule_finish(schedule);
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        struct exchange_tile part = tile ? other : first;
        part.tile = tile;
        part.end = exchange_schedule_end(schedule, tile);
        cycles[tile] = cost_exchange_cycles(target, &part);
        bytes += part.sent + part.received;
    }
    exchange_schedule_free(schedule);
    return bytes / 2;
}

/* One word from tile 0 to all others. */
uint64_t pattern_broadcast(const pop_target *target, uint64_t *cycles)
{
    struct exchange_schedule *schedule = exchange_schedule_create(target);
    for (uint32_t tile = 1; tile < target->tiles_per_ipu; ++tile)
        exchange_schedule_message(schedule, 0, tile, 4, 1);
    return finish(target, schedule, target->tiles_per_ipu, (struct exchange_tile){ .sent = 4 },
                  (struct exchange_tile){ .received = 4 }, cycles);
}

/* 16 images of 98 pieces of 8 floats, 4 pieces per tile; piece p of every image goes to tiles 4p to 4p + 3.  The
 * listing is of a release that did not share buses (docs/decisions/0004-exchange-rule.md). */
uint64_t pattern_convolution(const pop_target *target, uint64_t *cycles)
{
    enum { IMAGES = 16, PIECES = 98, PIECE_BYTES = 32 };
    pop_target unshared = *target;
    unshared.supports_super_tile_send_receive = false;
    struct exchange_schedule *schedule = exchange_schedule_create(&unshared);
    for (uint32_t tile = 0; tile < CONV_TILES; ++tile)
        for (uint32_t image = 0; image < IMAGES; ++image) {
            uint32_t piece = image * PIECES + tile / 4;
            exchange_schedule_message(schedule, piece / 4, tile, PIECE_BYTES, piece);
        }
    struct exchange_tile part = { .sent = 4 * PIECE_BYTES, .received = IMAGES * PIECE_BYTES };
    return finish(target, schedule, CONV_TILES, part, part, cycles);
}

/* 302 words from the neighbouring tiles. */
uint64_t pattern_halo(const pop_target *target, uint64_t *cycles)
{
    enum { BEFORE = 150, BEHIND = 152 };
    uint32_t tiles = target->tiles_per_ipu;
    struct exchange_schedule *schedule = exchange_schedule_create(target);
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        exchange_schedule_message(schedule, (tile + tiles - 1) % tiles, tile, BEFORE * 4, tile);
        exchange_schedule_message(schedule, (tile + 1) % tiles, tile, BEHIND * 4, tiles + tile);
    }
    struct exchange_tile part = { .sent = 4 * (BEFORE + BEHIND), .received = 4 * (BEFORE + BEHIND) };
    return finish(target, schedule, tiles, part, part, cycles);
}
