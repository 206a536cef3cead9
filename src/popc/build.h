/* SPDX-License-Identifier: Apache-2.0 */
/* From source to module: compile, reflect, generate, compile. */
#ifndef POPC_BUILD_H
#define POPC_BUILD_H

#include "popc/flags.h"
#include "popc/reflect.h"

#include "base/str.h"

struct popc_source {
    enum popc_language language; /* POPC_C or POPC_CPP */
    const char *name;            /* as the user spells it: in messages and __FILE__ */
    const char *text;
    size_t size;
    const char *directory; /* where its #include "..." look first */
    const char *include;   /* the directory that has poplar/vertex.h */
    const char *codelets;  /* that of installed headers for codelets alone, ipudef.h and the like */
    const struct popc_flags *flags;
    const struct module *of; /* what was made of it before, when flags->counted or flags->measured */
};

struct built {
    struct module *module; /* NULL when it failed; otherwise the caller's */
    VEC(char *) included;  /* files that went into it, but for the source */
    struct str messages;   /* all that the compiler said */
};

/* source->of once more, with the sizes that the source's flags ask for; built->module borrows from it. */
pop_status build_measured(const struct popc_source *source, const char *compiler, const char *device_compiler,
                          struct built *built, pop_error *error);
/* A module without codelets, whose one object is for device_machine.h, for the architecture of the source's flags. */
pop_status build_counted(const struct popc_source *source, const char *device_compiler, struct built *built,
                         pop_error *error);

/* built is filled either way. */
pop_status build_module(const struct popc_source *source, const char *compiler, const char *device_compiler,
                        struct built *built, pop_error *error);
void built_free(struct built *built);

#endif
