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

#endif
