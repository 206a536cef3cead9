/* SPDX-License-Identifier: Apache-2.0 */
/* Flags of popc, as on its command line. */
#ifndef POPC_COMPILE_FLAGS_H
#define POPC_COMPILE_FLAGS_H

#include "base/vec.h"

#include <poplar/error.h>

#define BEHAVING_FLAG "-ffloat-behaviour"
#define LATER_FLAG    "--measure-later"
#define AHEAD_FLAG    "--count-ahead="
#define SIZES_FLAG    "--sizes-only"
#define TILE_FLAG     "--tile-builtins"
#define CALLS_FLAG    "--call-assembly"

struct popc_flags {
    VEC(char *) both;     /* for both compilations: -D -U -I -include */
    VEC(char *) warnings; /* for the first compilation only, so that warnings are printed once: -W... */
    VEC(char *) ignored;  /* accepted without effect, because existing programs pass them */
    char standard[2][16]; /* -std= of C and of C++; "" when not given */
    char optimise;        /* '0' to '3' */
    bool small;           /* -Os: applies to measured device code; host code uses optimise */
    bool debug;           /* -g */
    bool behaving;        /* -ffloat-behaviour: code that calls the engine to round to half (popc/behave.c) */
    unsigned level;       /* enum machine_level */
    unsigned devices;     /* --target: bits 1 << enum device_arch of the devices to measure code for */
    bool tile;            /* --tile-builtins: __IPU__ is defined for the host, inline assembly is interpreted */
    bool calls;    /* --call-assembly, and --tile-builtins: functions that the source only declares may be assembly */
    bool sizes;    /* --sizes-only: no code that is counted beside the sizes of `devices` */
    bool later;    /* --measure-later: graphs measure at the first query of a size */
    char *code_of; /* --code-of: the file whose codelets supply the code sizes, by name; NULL for none */
    bool measured; /* internal, not a flag: only code sizes are wanted */
    unsigned counted; /* internal: enum device_arch + 1 to make only the object that is interpreted, else 0 */
    unsigned ahead;   /* --count-ahead=ARCH, of graphs: likewise, to make it beside the module (ahead.h) */
};
/* Splits text at blanks ('...' and "..." keep them) and checks the flags; invalid_option names the nearest known
 * flag. NULL means no flags. */
pop_status flags_parse(struct popc_flags *flags, const char *text, pop_error *error);
void flags_free(struct popc_flags *flags);

#endif
