/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of vertices without an estimator: their device code is interpreted (device_machine.h). */
#ifndef POPC_DEVICE_COUNT_H
#define POPC_DEVICE_COUNT_H

#include "popc/codelet.h"
#include "popc/device_machine.h"

/* The loaded code of one architecture. Not thread-safe. */
struct device_counter;
struct device_counter *device_counter_create(enum device_arch arch);
void device_counter_free(struct device_counter *counter);

/* Executes compute on the state at the start of run->memory, in the host's layout. *cycles are cycles of a worker
 * for worker codelets, else of the tile. False, with run->reason, when it cannot be counted. */
bool device_counter_run(struct device_counter *counter, const struct codelet *codelet, struct device_run *run,
                        uint64_t *cycles);

#endif
