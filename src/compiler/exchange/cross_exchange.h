/* SPDX-License-Identifier: Apache-2.0 */
/* The exchange of a copy between replicas. */
#ifndef COMPILER_EXCHANGE_CROSS_EXCHANGE_H
#define COMPILER_EXCHANGE_CROSS_EXCHANGE_H

#include "compiler/common/owners.h"
#include "compiler/common/tables.h"

/* A CrossReplicaCopy as a global exchange of the model, NONE where nothing leaves a replica.  Its flows are what each
 * tile of one replica sends and receives; its cycles are those of all replicas' flows at once over the device's links.
 */
uint32_t cross_exchange(struct compiler *c, struct owners *owners, const struct program_node *n);

#endif
