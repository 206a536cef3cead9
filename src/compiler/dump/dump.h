/* SPDX-License-Identifier: Apache-2.0 */
/* Results of passes as text: debug.dumpPasses (docs/debugging.md). */
#ifndef COMPILER_DUMP_DUMP_H
#define COMPILER_DUMP_DUMP_H

#include "base/str.h"
#include "compiler/common/passes.h"

struct dump {
    const char *wanted; /* names, separated by commas, or "all"; "": none */
    struct str text;
};
/* False: a name in the option is no pass. */
bool dump_begin(struct dump *dump, struct compiler *c);
/* Adds what a pass found out, where the option names it. */
void dump_pass(struct dump *dump, const struct compiler *c, const struct results *r, const char *pass);
/* Writes and frees the text, of a compilation that failed as well; good, and whether it could be written. */
bool dump_end(struct dump *dump, struct compiler *c, bool good);

#endif
