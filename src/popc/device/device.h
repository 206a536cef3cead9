/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of device code: finding their functions, linking and loading them (device_machine.h runs them). */
#ifndef POPC_DEVICE_DEVICE_H
#define POPC_DEVICE_DEVICE_H

#include "popc/device/device_machine.h"
#include "popc/module/codelet.h"
#include "popc/module/device_code.h"

/* device_together.c: sizes of code of which parts stand in other files. */

/* Measures the codelets again whose files share functions, with the objects of all these modules. */
void device_measure_together(struct module *const *modules, size_t count, enum device_arch arch);

/* device_object.c: code sizes from ELF objects. */

/* Measures each codelet in an object that was compiled with a section for each function; further objects have functions
 * that they use of other files. A function missing from all makes a size an estimate, with a reason that lives in the
 * arena. False when an object cannot be measured. */
bool device_measure(const struct module_code *parts, size_t count, const struct codelet *codelets,
                    uint32_t codelet_count, struct arena *arena, struct device_code *codes);
/* Bytes of a function that a shared object exports; 0 when it exports no such function. */
uint64_t host_code_bytes(const void *object, size_t size, const char *symbol);

/* device_functions.c: library functions that codelets call on the device. */

/* Executes a library function and charges instructions for it; false when it is not known. */
bool device_function(struct device_machine *machine, const char *name);
/* Bytes of code of a function of the mathematical library; false for any other name. */
bool device_library_bytes(const char *name, uint32_t *bytes);

/* device_load.c: loads objects for the machine of device_machine.h. */

/* Loads an object and, after it, those whose functions it uses. NULL when one is for another machine or has something
 * that the loader does not support. */
struct device_image *device_image_load(const struct module_code *parts, size_t count);
void device_image_free(struct device_image *image);
/* Address of a vertex's compute: NAME_compute, or that of the vertex with this index in the source; 0 when it is
 * missing. */
uint64_t device_image_compute(const struct device_image *image, const char *name, uint32_t index);

#endif
