/* SPDX-License-Identifier: Apache-2.0 */
#include "target/exchange_cost.h"

#include "target/cost.h"

/* A first version: words and a fixed set-up. */
uint64_t cost_exchange_cycles(const pop_target *target, const struct exchange_tile *tile)
{
    return cost_exchange(target, tile->sent, tile->received);
}

struct exchange_code cost_exchange_code(const pop_target *target, const struct exchange_tile *tile)
{
    (void)target;
    return (struct exchange_code){ .delay = tile->sends + tile->receives, .receive_address = tile->receives, .receive_mux = 2 * tile->receives,
                                   .send = tile->sends };
}
