/* SPDX-License-Identifier: Apache-2.0 */
/* Compilation for the device. */
#ifndef POPC_COMPILE_DEVICE_COMPILE_H
#define POPC_COMPILE_DEVICE_COMPILE_H

#include "popc/compile/command.h"

/* Compiles the source for the devices in its flags and fills module->devices. Failure is not an error: a source that
 * does not compile gets estimates. device_compiler is NULL when none is installed. */
void device_compile(const struct popc_source *source, const char *compiler, const char *device_compiler,
                    const struct scratch *scratch, struct built *built, struct module *module);
/* Writes the lines, for the end of the source, that keep computes from being dropped: module->uses. */
void device_uses_write(const struct module *module, const struct reflection *reflection, struct str *text);
/* Compiles the source for the machine that device_machine.h interprets. Returns a malloc'ed object, or NULL with the
 * reason. */
char *device_compile_counted(const struct popc_source *source, const char *device_compiler, int arch,
                             const struct scratch *scratch, struct built *built, size_t *size, pop_error *error);

#endif
