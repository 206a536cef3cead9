/* SPDX-License-Identifier: Apache-2.0 */
/* Results of passes as text: debug.dumpPasses (docs/internals/debugging.md). */
#ifndef COMPILER_DUMP_DUMP_H
#define COMPILER_DUMP_DUMP_H

#include "base/str.h"
#include "compiler/common/passes.h"

struct pass_dump {
    const char *wanted; /* names, separated by commas, or "all"; "": none */
    struct str text;
};
/* False: a name in the option is no pass. */
bool dump_begin(struct pass_dump *dump, struct compiler *c);
/* Adds a pass's result if the option names the pass. */
void dump_pass(struct pass_dump *dump, const struct compiler *c, const struct pass_results *r, const char *pass);
/* Writes and frees the text, of a compilation that failed as well; good, and whether it could be written. */
bool dump_end(struct pass_dump *dump, struct compiler *c, bool good);

#endif
