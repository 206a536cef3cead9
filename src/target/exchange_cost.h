/* SPDX-License-Identifier: Apache-2.0 */
/* One tile's part in an exchange within an IPU: its cycles, and the instructions of its code
 * (docs/reference/ipu-model.md, 2.3, 3.5; docs/decisions/0004-exchange-rule.md). */
#ifndef TARGET_EXCHANGE_COST_H
#define TARGET_EXCHANGE_COST_H

#include <poplar/target.h>

/* sent, received: bytes, multicast counted once at the sender.  sends, receives: messages; follows: messages received
 * directly after another; continues: messages received from the sender of the one before, for the address after it;
 * senders, receivers: tiles at their other ends.  end: the cycle after its last word (exchange_schedule.h), 0 without a
 * schedule. */
struct exchange_tile {
    uint32_t tile; /* within its IPU */
    uint64_t sent, received;
    uint32_t sends, receives, follows, continues, senders, receivers;
    uint64_t end;
};
struct exchange_code {
    uint32_t delay, exchange, receive_address, receive_mux, send;
};
uint64_t cost_exchange_cycles(const pop_target *target, const struct exchange_tile *tile);
struct exchange_code cost_exchange_code(const pop_target *target, const struct exchange_tile *tile);

#endif
