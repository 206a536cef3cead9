/* SPDX-License-Identifier: Apache-2.0 */
#include "target/exchange_cost.h"

/* All three are inferred from the guide's broadcast of a word by tile 0, with a maximum of 120 cycles and a mean of
 * 103.9 over 1,216 tiles.  A receiving tile ends at least CROSSING cycles after the start, and each tile is delayed in
 * proportion to its number, by 31 cycles for the last of 1,216.  89 + 31 = 120; the mean is 89 + 15, less the sender's
 * part. */
enum { CROSSING = 89, WIRE_CYCLES = 31, WIRE_TILES = 1215 };

static uint64_t words_of(const pop_target *target, uint64_t bytes)
{
    return bytes / target->exchange_bytes_per_cycle + (bytes % target->exchange_bytes_per_cycle != 0);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

uint64_t cost_exchange_cycles(const pop_target *target, const struct exchange_tile *tile)
{
    uint64_t sent = words_of(target, tile->sent), received = words_of(target, tile->received);
    uint64_t end = tile->end ? tile->end : larger(sent, received),
             wire = (uint64_t)tile->tile * WIRE_CYCLES / WIRE_TILES;
    if (!sent && !received)
        return 0;
    return wire + larger(end, received ? CROSSING : 0);
}

static struct exchange_code code_of(uint32_t sends, uint32_t receives, uint32_t rows)
{
    return (struct exchange_code){
        .delay = sends + rows, .receive_address = rows, .receive_mux = receives + rows, .send = sends
    };
}

static uint64_t bytes_of(const pop_target *target, const struct exchange_code *code)
{
    return ((uint64_t)code->delay + code->exchange + code->receive_address + code->receive_mux + code->send) *
           target->instruction_bytes;
}

/* The guide's example has 6 delays, 4 addresses, 8 muxes and 2 sends (2.3).  This is the code of 4 received and 2 sent
 * messages: each has a delay; a received one has an address and sets the mux to the sender and back.  A message that
 * directly follows another only sets the mux to its sender, and one that continues another has no code.
 * If the code of single pieces would be longer than the pieces, their tiles rearrange them before and after the
 * exchange, so that each pair of tiles has one message. */
struct exchange_code cost_exchange_code(const pop_target *target, const struct exchange_tile *tile)
{
    uint32_t sends = tile->sends < tile->receivers ? tile->sends : tile->receivers,
             receives = tile->receives < tile->senders ? tile->receives : tile->senders;
    uint32_t behind = tile->follows > tile->continues ? tile->follows : tile->continues;
    struct exchange_code pieces = code_of(tile->sends, tile->receives - tile->continues, tile->receives - behind),
                         sorted = code_of(sends, receives, receives);
    uint64_t buffers = (sends < tile->sends ? tile->sent : 0) + (receives < tile->receives ? tile->received : 0);
    return bytes_of(target, &sorted) + buffers < bytes_of(target, &pieces) ? sorted : pieces;
}
