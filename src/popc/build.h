/* SPDX-License-Identifier: Apache-2.0 */
/* From source to module: compile, reflect, generate, compile. */
#ifndef POPC_BUILD_H
#define POPC_BUILD_H

#include "popc/flags.h"
#include "popc/reflect.h"

#include "base/str.h"

struct source {
    const char *name;      /* as the user spells it: in messages and __FILE__ */
    const char *text;
    size_t size;
    const char *directory; /* where its #include "..." look first */
    const char *include;   /* the directory that has poplar/vertex.h */
    const struct popc_flags *flags;
};

struct built {
    struct module *module; /* NULL when it failed; otherwise the caller's */
    VEC(char *) included;  /* files that went into it, but for the source */
    struct str messages;   /* all that the compiler said */
};

/* built is filled either way. */
pop_status build_module(const struct source *source, const char *compiler, struct built *built, pop_error *error);
void built_free(struct built *built);

/* thunks.c: the text of the second compilation.  Sets the symbols of the vertices. */
void thunks_write(const struct source *source, struct reflection *reflection, struct str *out);
/* The source under its own name and line numbers. */
void source_write(const struct source *source, struct str *out);

#endif
