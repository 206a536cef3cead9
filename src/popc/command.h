/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines for compilers, and a directory for their files. */
#ifndef POPC_COMMAND_H
#define POPC_COMMAND_H

#include "popc/build.h"

/* A directory of our own for the compiler's files. */
struct scratch {
    int lock; /* held on the directory while its run lives: one that nobody holds is a killed run's */
    struct str directory, source, object, unlinked, preprocessed, included;
};

pop_status scratch_open(struct scratch *scratch, enum popc_language language, pop_error *error);
void scratch_close(struct scratch *scratch);

/* A command line; words are borrowed. */
struct command {
    VEC(const char *) words;
    char optimise[4], march[24];
};

void command_add(struct command *command, const char *const *words); /* up to NULL */
/* Where the compiler finds what the user's flags and the source's place say. */
void command_add_source(struct command *command, const struct popc_source *source);
/* Writes text as the scratch's source unless it is NULL, and compiles: the object's bytes are malloc'ed, or NULL when
 * the compiler made none and said why. */
pop_status command_run(struct command *command, const struct scratch *scratch, const struct str *text, struct str *said,
                       char **object, size_t *size, pop_error *error);
bool compiler_is_clang(const char *compiler);
/* Adds the files that the last compilation read. */
void built_read_included(struct built *built, const struct scratch *scratch);

#endif
