/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of the host that popc needs: levels, compilers, directories. */
#ifndef POPC_MODULE_MACHINE_H
#define POPC_MODULE_MACHINE_H

#include "base/str.h"

#include <poplar/error.h>
#include <stdbool.h>

/* Targets of host code: the micro-architecture levels of x86-64, each a superset of the previous one, and one row
 * for each other architecture. .gp files store these numbers. */
enum machine_level {
    LEVEL_NONE = 0,
    LEVEL_X86_64,
    LEVEL_X86_64_V2,
    LEVEL_X86_64_V3,
    LEVEL_X86_64_V4,
    LEVEL_ARMV8,
    LEVELS
};

/* The highest level that this machine can run. */
unsigned machine_level(void);
/* Whether this machine can run code of a level. */
bool machine_runs(unsigned level);
/* The name of a level as popc's -march= takes it: "x86-64-v3", "armv8-a". */
const char *machine_level_name(unsigned level);
/* The level with a name; "x86-64" is accepted. LEVEL_NONE when there is no such level. */
unsigned machine_level_of(const char *name);
/* Whether both levels belong to one architecture. */
bool machine_levels_match(unsigned level, unsigned other);
/* The levels of this machine's architecture as text for messages: "x86-64-v1 to -v4". */
const char *machine_level_names(void);

/* The host compiler: TREMULA_CC or gcc, TREMULA_CXX or g++, found in PATH. False when it is not found; path is then
 * its name. identity is "path size mtime": a different one means a different compiler. */
bool machine_compiler(struct str *path, struct str *identity);
bool machine_cpp_compiler(struct str *path, struct str *identity);

/* The compiler for devices: TREMULA_DEVICE_CC or clang. */
bool machine_device_compiler(struct str *path, struct str *identity);

/* The directory that has poplar/vertex.h: TREMULA_INCLUDE, next to this library (lib/../include), or the build's.
 * no_environment when none has it. */
pop_status machine_include(struct str *path, pop_error *error);

#endif
