/* SPDX-License-Identifier: Apache-2.0 */
/* Which limits of exchange between IPUs a flow meets. */
#ifndef TARGET_EXCHANGE_H
#define TARGET_EXCHANGE_H

#include <poplar/target.h>

struct exchange_load {
    uint32_t source, destination; /* IPUs */
    uint64_t bytes;
};
/* Adds each flow's bytes to the limits on its way; loads has one entry for each of the target's constraints. */
void exchange_loads(const pop_target *target, const struct exchange_load *flows, size_t count, uint64_t *loads);

/* Where links join fewer IPUs than there are (ipu_link_domain_size): gateways that a flow passes, and that the farthest
 * of the first ipus IPUs are apart; how many of these the links of one domain join. */
unsigned exchange_gateways(const pop_target *target, uint32_t from, uint32_t to);
unsigned exchange_farthest_gateways(const pop_target *target, unsigned ipus);
unsigned exchange_linked(const pop_target *target, unsigned ipus);

#endif
