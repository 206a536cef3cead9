/* SPDX-License-Identifier: Apache-2.0 */
/* Routes of flows between IPUs, as limits of exchange. */
#ifndef TARGET_EXCHANGE_H
#define TARGET_EXCHANGE_H

#include <poplar/target.h>

struct exchange_load {
    uint32_t source, destination; /* IPUs */
    uint64_t bytes;
};
/* Adds each flow's bytes to the limits on its route; loads has one entry for each of the target's constraints. */
void exchange_loads(const pop_target *target, const struct exchange_load *flows, size_t count, uint64_t *loads);

/* With several link domains (ipu_link_domain_size): gateways on a flow's route; the maximum number of gateways between
 * two of the first ipus IPUs; how many of these IPUs are in one domain. */
unsigned exchange_gateways(const pop_target *target, uint32_t from, uint32_t to);
unsigned exchange_farthest_gateways(const pop_target *target, unsigned ipus);
unsigned exchange_linked(const pop_target *target, unsigned ipus);

#endif
