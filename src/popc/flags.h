/* SPDX-License-Identifier: Apache-2.0 */
/* popc's flags, as on its command line. */
#ifndef POPC_FLAGS_H
#define POPC_FLAGS_H

#include "base/vec.h"

#include <poplar/error.h>

#define BEHAVING_FLAG "-ffloat-behaviour"
#define LATER_FLAG    "--measure-later"

struct popc_flags {
    VEC(char *) both;     /* of both compilations: -D -U -I -include */
    VEC(char *) warnings; /* of the first alone, so that nothing is said twice: -W... */
    VEC(char *) ignored;  /* taken, without effect, for the sake of programs that pass them */
    char standard[2][16]; /* -std= of C and of C++; "" when nothing was said */
    char optimise;        /* '0' to '3' */
    bool small;           /* -Os: of devices, whose code is measured; the host's is what optimise says */
    bool debug;           /* -g */
    bool behaving;        /* -ffloat-behaviour: code that asks the engine how half is rounded (popc/behave.c) */
    unsigned level;       /* enum machine_level */
    unsigned devices;     /* --target: bits 1 << enum device_arch, for which code is measured */
    bool later;           /* --measure-later: that is, when sizes are asked for, as graphs want it */
    char *code_of;        /* --code-of: the file whose codelets have the sizes of code, by name; NULL for none */
    bool measured;        /* only the sizes of code are wanted; no flag of popc's */
    unsigned counted; /* an enum device_arch + 1: only the object that is interpreted for it (device_count.h) is wanted;
                         no flag of popc's */
};
/* Splits at blanks ('...' and "..." keep them) and checks; invalid_option names the nearest known flag.  NULL is none.
 */
pop_status flags_parse(struct popc_flags *flags, const char *text, pop_error *error);
void flags_free(struct popc_flags *flags);

#endif
