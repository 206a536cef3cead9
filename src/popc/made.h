/* SPDX-License-Identifier: Apache-2.0 */
/* What the compiled code of C++ vertices says about their classes, and the images of default-constructed ones. */
#ifndef POPC_MADE_H
#define POPC_MADE_H

#include "popc/reflect.h"

/* The table's symbol, and those of the generated code for members that are declared and not defined. */
#define MADE_SYMBOL    "pop_made"
#define NO_COMPUTE     "popc_no_compute_"
#define NO_CONSTRUCTOR "popc_no_constructor_"

struct made {
    size_t bytes, alignment;
    void (*make)(void *at); /* constructs one by default; NULL when its class has no code that does */
};

/* Sets defaults and alignments of all vertices from their compiled code, which is loaded to construct one of each; when
 * that cannot be loaded, they are zeros.  Code of the file runs in a process of its own, which has `seconds`:
 * graph_program_compilation_error says how it failed. */
enum { MADE_SECONDS = 10 };
pop_status made_read(struct reflection *reflection, const void *object, size_t size, unsigned seconds);

/* Words for the linker that fill in constructors (which then do nothing) and computes (which stop the run) that an
 * object lacks; the words are the arena's. */
struct command;
void made_complete(struct command *command, const void *object, size_t size, struct arena *arena);

#endif
