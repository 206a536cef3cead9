/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of vertices without an estimator: their device code is interpreted (device_machine.h). */
#ifndef POPC_DEVICE_COUNT_H
#define POPC_DEVICE_COUNT_H

#include "popc/device/device_machine.h"
#include "popc/module/codelet.h"

/* The loaded code of one architecture. Not thread-safe. */
struct device_counter;
/* The modules, which must outlive it, are those whose assembly code external codelets run. */
struct device_counter *device_counter_create(enum device_arch arch, struct module *const *modules, size_t count);
void device_counter_free(struct device_counter *counter);

/* Executes compute on the state at the start of run->memory, in the host's layout. *cycles are cycles of a worker
 * for worker codelets, else of the tile. False, with run->reason, when it cannot be counted. */
bool device_counter_run(struct device_counter *counter, const struct codelet *codelet, struct device_run *run,
                        uint64_t *cycles);
/* Executes an external codelet, whose slots are counted exactly: edge_bytes as in tile_vertex.h. NULL in
 * device_counter_assembly: no assembly source has its code. */
struct tile_vertex;
struct tile_vertex *device_counter_assembly(struct device_counter *counter, const struct codelet *codelet);
bool device_counter_run_assembly(struct tile_vertex *vertex, struct device_run *run, const uint64_t *edge_bytes,
                                 uint64_t *cycles);

#endif
