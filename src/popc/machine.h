/* SPDX-License-Identifier: Apache-2.0 */
/* What popc needs to know of the machine it runs on. */
#ifndef POPC_MACHINE_H
#define POPC_MACHINE_H

#include "base/str.h"

#include <poplar/error.h>
#include <stdbool.h>

/* What code for hosts is compiled for: the micro-architecture levels of x86-64, each a superset of those before it, and
 * other architectures, which have one row each.  .gp files name it by this number. */
enum machine_level {
    LEVEL_NONE = 0,
    LEVEL_X86_64,
    LEVEL_X86_64_V2,
    LEVEL_X86_64_V3,
    LEVEL_X86_64_V4,
    LEVEL_ARMV8,
    LEVELS
};

/* The highest level that this machine runs. */
unsigned machine_level(void);
/* Whether this machine runs code of a level. */
bool machine_runs(unsigned level);
/* "x86-64-v3", "armv8-a": as popc's -march= takes it. */
const char *machine_level_name(unsigned level);
/* The level of a name, "x86-64" among them; LEVEL_NONE when there is no such level. */
unsigned machine_level_of(const char *name);
/* Whether both are levels of one architecture. */
bool machine_levels_match(unsigned level, unsigned other);
/* The levels of this machine's architecture, for messages: "x86-64-v1 to -v4". */
const char *machine_level_names(void);

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
