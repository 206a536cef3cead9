/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines for compilers, and scratch directories for their files. */
#ifndef POPC_COMPILE_COMMAND_H
#define POPC_COMPILE_COMMAND_H

#include "popc/compile/build.h"

/* A private directory for the compiler's files. */
struct scratch {
    int lock; /* held on the directory during the run: a directory without a lock is left over from a killed run */
    struct str directory, source, object, unlinked, preprocessed, included;
    struct str rewritten; /* preprocessed source that the compiler reads instead */
};

pop_status scratch_open(struct scratch *scratch, enum popc_language language, pop_error *error);
void scratch_close(struct scratch *scratch);

/* A command line; its words are borrowed. */
struct command {
    VEC(const char *) words;
    bool compiles; /* C++, whose inline assembly may have to be rewritten */
    char optimise[4], march[24];
};

void command_add(struct command *command, const char *const *words); /* up to NULL */
/* Adds the options that follow from the user's flags and the source's directory. */
void command_add_source(struct command *command, const struct popc_source *source);
/* Writes text as the scratch's source file unless it is NULL, then runs the compiler. The object's bytes are
 * malloc'ed; NULL when the compiler made no object and printed why. */
pop_status command_run(struct command *command, const struct scratch *scratch, const struct str *text, struct str *said,
                       char **object, size_t *size, pop_error *error);
bool compiler_is_clang(const char *compiler);
/* Appends the files that the last compilation read. */
void built_read_included(struct built *built, const struct scratch *scratch);

#endif
