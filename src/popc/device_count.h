/* SPDX-License-Identifier: Apache-2.0 */
/* How long vertices take that come without an estimate: their device code, interpreted (device_machine.h). */
#ifndef POPC_DEVICE_COUNT_H
#define POPC_DEVICE_COUNT_H

#include "popc/codelet.h"
#include "popc/device_machine.h"

/* What was loaded for an architecture; for one thread. */
struct device_counter;
struct device_counter *device_counter_create(enum device_arch arch);
void device_counter_free(struct device_counter *counter);

/* Executes compute on a state at the beginning of run->memory, in the host's layout.  *cycles: of a worker for workers'
 * codelets, of the tile for others. False, and run->reason, when it cannot be counted. */
bool device_counter_run(struct device_counter *counter, const struct codelet *codelet, struct device_run *run,
                        uint64_t *cycles);

#endif
