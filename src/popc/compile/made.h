/* SPDX-License-Identifier: Apache-2.0 */
/* Facts that only compiled code of C++ vertices gives: alignments, and the images of default-constructed vertices. */
#ifndef POPC_COMPILE_MADE_H
#define POPC_COMPILE_MADE_H

#include "popc/reflect/reflect.h"

/* Symbols of the generated table, and of the generated code for members that are declared but not defined. */
#define MADE_SYMBOL    "pop_made"
#define NO_COMPUTE     "popc_no_compute_"
#define NO_CONSTRUCTOR "popc_no_constructor_"

struct made {
    size_t bytes, alignment;
    void (*make)(void *at); /* default-constructs one; NULL when its class has no code for that */
};

/* Sets defaults and alignments of all vertices from their compiled code, which is loaded to construct one of each;
 * they are zeros when it cannot be loaded. Code of the file runs in a child process with a limit of `seconds`;
 * graph_program_compilation_error describes how it failed. */
enum { MADE_SECONDS = 10 };
pop_status made_read(struct reflection *reflection, const void *object, size_t size, unsigned seconds);

/* Adds linker options that define missing constructors (as empty functions) and computes (which stop the run); their
 * text lives in the arena. */
struct command;
void made_complete(struct command *command, const void *object, size_t size, const struct reflection *r);

#endif
