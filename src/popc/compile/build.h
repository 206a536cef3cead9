/* SPDX-License-Identifier: Apache-2.0 */
/* From source to module: compile, reflect, generate, compile again. */
#ifndef POPC_COMPILE_BUILD_H
#define POPC_COMPILE_BUILD_H

#include "popc/compile/flags.h"
#include "popc/reflect/reflect.h"

#include "base/str.h"

struct popc_source {
    enum popc_language language; /* not POPC_BY_NAME */
    const char *name;            /* as the user spells it, for messages and __FILE__ */
    const char *text;
    size_t size;
    const char *directory; /* searched first for #include "..." */
    const char *include;   /* the directory that has poplar/vertex.h */
    const char *codelets;  /* directory of installed headers that only codelets use, such as ipudef.h */
    const char *bare;      /* the directory of <Vertex.hpp> and the like without poplar/ before them; searched last */
    const struct popc_flags *flags;
    const struct module *of; /* the module compiled from it before, when flags->counted or flags->measured; else NULL */
};

struct built {
    struct module *module; /* owned by the caller; NULL on failure */
    VEC(char *) included;  /* files that the compiler read besides the source */
    struct str messages;   /* the compilers' complete output */
    struct built *counted; /* of flags->ahead, owned; NULL when there is none */
};

/* Compiles source->of again for the sizes that the source's flags name; built->module borrows from source->of. */
pop_status build_measured(const struct popc_source *source, const char *compiler, const char *device_compiler,
                          struct built *built, pop_error *error);
/* Makes a module without codelets and with one object for device_machine.h, compiled for the architecture in the
 * flags. */
pop_status build_counted(const struct popc_source *source, const char *device_compiler, struct built *built,
                         pop_error *error);

/* Fills built also on failure. */
pop_status build_module(const struct popc_source *source, const char *compiler, const char *device_compiler,
                        struct built *built, pop_error *error);
void built_free(struct built *built);
/* The error of a source that does not compile: quotes what the compiler said. */
pop_status build_refuse(const struct popc_source *source, const char *said, pop_error *error);

#endif
