/* SPDX-License-Identifier: Apache-2.0 */
/* What popc needs to know of the machine it runs on. */
#ifndef POPC_MACHINE_H
#define POPC_MACHINE_H

#include "base/str.h"

#include <poplar/error.h>

/* The highest x86-64 micro-architecture level of this machine: 1 to 4. */
unsigned machine_level(void);

/* The compiler: TREMULA_CC or gcc, TREMULA_CXX or g++, looked up in PATH.  False when there is none; path is then the
 * name that was looked for. identity is "path size mtime": another one means another compiler. */
bool machine_compiler(struct str *path, struct str *identity);
bool machine_cpp_compiler(struct str *path, struct str *identity);

/* The same of the compiler for devices: TREMULA_DEVICE_CC or clang. */
bool machine_device_compiler(struct str *path, struct str *identity);

/* The directory that has poplar/vertex.h: TREMULA_INCLUDE, beside this library (lib/../include), or where the library
 * was built. no_environment when it is nowhere. */
pop_status machine_include(struct str *path, pop_error *error);

#endif
