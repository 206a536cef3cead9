/* SPDX-License-Identifier: Apache-2.0 */
/* The compilation for the device. */
#ifndef POPC_DEVICE_COMPILE_H
#define POPC_DEVICE_COMPILE_H

#include "popc/command.h"

/* Compiles the source for the devices that its flags name and writes module->devices.  Nothing here
 * is an error: what does not compile is estimated.  device_compiler is NULL when there is none. */
void device_compile(const struct popc_source *source, const char *compiler, const char *device_compiler,
                    const struct scratch *scratch, struct built *built, struct module *module);
/* Lines that keep computes, which go behind the source: module->uses. */
void device_uses_write(const struct module *module, const struct reflection *reflection, struct str *text);
/* Compiles the source for the machine that device_machine.h interprets: an object, malloc'ed, or NULL and why. */
char *device_compile_counted(const struct popc_source *source, const char *device_compiler, int arch,
                             const struct scratch *scratch, struct built *built, size_t *size, pop_error *error);

#endif
