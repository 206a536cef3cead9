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
    const struct popc_flags *flags;
    const struct module *of; /* what was made of it before, when flags->counted or flags->measured */
};

struct built {
    struct module *module; /* NULL when it failed; otherwise the caller's */
    VEC(char *) included;  /* files that went into it, but for the source */
    struct str messages;   /* all that the compiler said */
};

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

/* device_compile.c: compiles the source for the devices that its flags name and writes module->devices.  Nothing here
 * is an error: what does not compile is estimated.  device_compiler is NULL when there is none. */
void device_compile(const struct popc_source *source, const char *compiler, const char *device_compiler,
                    const struct scratch *scratch, struct built *built, struct module *module);
/* Lines that keep computes, which go behind the source: module->uses. */
void device_uses_write(const struct module *module, const struct reflection *reflection, struct str *text);

/* The same for the machine that device_machine.h interprets: an object, malloc'ed, or NULL and why. */
char *device_compile_counted(const struct popc_source *source, const char *device_compiler, int arch,
                             const struct scratch *scratch, struct built *built, size_t *size, pop_error *error);

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

/* thunks.c: the text of the second compilation.  Sets the symbols of the vertices. */
void thunks_write(const struct popc_source *source, struct reflection *reflection, struct str *out);
/* thunks_cpp.c: the same of C++, and a table of what is known of each class (made.h). */
void thunks_write_cpp(const struct popc_source *source, struct reflection *reflection, struct str *out);
void thunk_name(struct reflection *reflection, size_t index);
extern const char thunk_hooks[];
/* behave.c: what the conversions of such code call. */
extern const char behaving_hooks[];
/* The source under its own name and line numbers. */
void source_write(const struct popc_source *source, struct str *out);

#endif
