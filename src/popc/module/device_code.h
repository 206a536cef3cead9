/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of codelets in a tile's memory: measured from their source, compiled for a 32-bit machine that stands for
 * the device (docs/concepts/codelets.md, Code on the device). */
#ifndef POPC_MODULE_DEVICE_CODE_H
#define POPC_MODULE_DEVICE_CODE_H

#include "popc/module/codelet.h"

#include "base/str.h"

#include <poplar/target.h>

struct device_code {
    uint32_t bytes;        /* vertexCode: compute and the functions that it reaches */
    uint32_t shared_bytes; /* sharedCodeStorage: functions that other codelets (codelet.object) reach too, and libm */
    uint32_t data_bytes;   /* sharedDataStorage: constants and variables that they use */
    uint32_t stack_bytes;  /* of compute and the functions that it calls, without those of the mathematical library */
    bool stack_measured;   /* false: stack_bytes is not known */
    bool estimated;        /* the size comes from the host's code, or lacks library functions that it uses */
    const char *reason;    /* why it is estimated; "" when measured */
};

/* The architecture of a target's codelets; DEVICE_ARCHS for targets without device code. */
enum device_arch device_arch_of(const pop_target *target);
extern const char *const device_arch_names[DEVICE_ARCHS];

/* The result for a codelet that was compiled without --target. */
extern const struct device_code device_code_missing;

/* Adds lines that name the codelets with estimated sizes and the reasons, for each architecture in a set of bits 1
 * << arch. */
void device_code_list(const struct module *module, unsigned archs, struct str *lines);

#endif
