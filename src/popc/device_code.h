/* SPDX-License-Identifier: Apache-2.0 */
/* How large codelets are in the memory of a tile: measured from their source, compiled for a 32-bit machine that stands
 * for the device (docs/codelets.md, Code on the device). */
#ifndef POPC_DEVICE_CODE_H
#define POPC_DEVICE_CODE_H

#include "popc/codelet.h"

#include "base/str.h"

#include <poplar/target.h>

struct device_code {
    uint32_t bytes;        /* compute and the functions that it reaches: vertexCode */
    uint32_t shared_bytes; /* functions that other codelets of its source (codelet.object) reach too, and those of the
                              mathematical library: sharedCodeStorage, once on a tile */
    uint32_t data_bytes;   /* constants and variables that they use: sharedDataStorage */
    bool estimated;        /* from the host's code, or without the library functions that it uses */
    const char *reason;    /* why; "" when measured */
};

/* False when the target has no device code: a CPU.  A codelet that was not compiled for the target's architecture is
 * estimated. */
bool device_code_of(const struct module *module, const struct codelet *codelet, const pop_target *target,
                    struct device_code *code);
/* The architecture of a target's codelets; DEVICE_ARCHS when it has none. */
enum device_arch device_arch_of(const pop_target *target);
extern const char *const device_arch_names[DEVICE_ARCHS];

/* Of a codelet that was compiled without --target. */
extern const struct device_code device_code_missing;

/* Adds lines that say which codelets' sizes are estimated, and why, for each architecture in a set of bits 1 << arch.
 */
void device_code_list(const struct module *module, unsigned archs, struct str *lines);

#endif
