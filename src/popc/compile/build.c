/* SPDX-License-Identifier: Apache-2.0 */
/* Two compilations of a source: one with debug information, from which the vertex types are read, and one optimised,
 * which gives the code that runs. */
#include "popc/compile/build.h"
#include "popc/compile/ahead.h"
#include "popc/compile/child.h"
#include "popc/compile/command.h"
#include "popc/compile/compile.h"
#include "popc/compile/made.h"
#include "popc/module/elf_symbols.h"
#include "popc/module/machine.h"
#include "popc/reflect/reflect.h"

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"

#include <stdio.h>
#include <unistd.h>

enum { QUOTED = 800 }; /* characters of the compiler's message that an error quotes; the log has the whole message */

/* Quotes the compiler's message, from its first error on when it is too long: whole lines, at most QUOTED
 * characters. */
pop_status build_refuse(const struct popc_source *source, const char *said, pop_error *error)
{
    LOG(CODELETS, INFO, "compiling '%s' failed:\n%s", source->name, said);
    const char *start = said, *first = strstr(said, "error: ");
    if (first && strlen(said) > QUOTED)
        for (start = first; start > said && start[-1] != '\n';)
            --start;
    size_t length = strlen(start);
    if (length > QUOTED)
        for (length = QUOTED; length > QUOTED / 2 && start[length] != '\n';)
            --length;
    while (length && start[length - 1] == '\n')
        --length;
    return error_set(error, POP_GRAPH_PROGRAM_COMPILATION_ERROR, NO_WHERE, NULL, "cannot compile '%s'\n%.*s",
                     source->name, (int)length, start);
}

/* What all compilations of one source have in common. */
struct compilation {
    const struct popc_source *source;
    const char *compiler;
    const struct scratch *scratch;
    struct built *built; /* receives messages and included files */
    struct reflection *reflection;
};
/* What a compiler made; malloc'ed. */
struct compiled {
    char *data;
    size_t size;
};

/* ---- command lines ---- */

/* The architecture that code with the tile's builtins is for: the one that --target names, else ipu2. */
static const char *tile_version(const struct popc_flags *flags)
{
    return flags->devices == 1u << DEVICE_IPU1    ? "-D__IPU_ARCH_VERSION__=1"
           : flags->devices == 1u << DEVICE_IPU21 ? "-D__IPU_ARCH_VERSION__=21"
                                                  : "-D__IPU_ARCH_VERSION__=2";
}

/* C++ as devices support it: no exceptions, no RTTI, no C++ standard library. */
static void start_cpp_command(struct command *command, const struct compilation *c)
{
    const struct popc_source *source = c->source;
    *command = (struct command){ 0 };
    command_add(command, (const char *const[]){ c->compiler, "-std=gnu++17", "-D__POPC__=1", "-fsigned-char", "-pipe",
                                                "-fPIC", "-fno-lto", "-fno-exceptions", "-fno-rtti",
                                                "-fno-threadsafe-statics", "-fdiagnostics-color=never", NULL });
    if (source->flags->tile)
        command_add(command, (const char *const[]){ "-D__IPU__=1", tile_version(source->flags),
                                                    "-DPOPLAR_TILE_BUILTINS=1", NULL });
    command_add_source(command, source);
}

static void start_command(struct command *command, const struct compilation *c)
{
    if (c->source->language == POPC_CPP) {
        start_cpp_command(command, c);
        return;
    }
    *command = (struct command){ 0 };
    command_add(command, (const char *const[]){ c->compiler, "-std=gnu11", "-D__POPC__=1", "-fsigned-char", "-pipe",
                                                "-shared", "-fPIC", "-fno-lto", "-fdiagnostics-color=never",
                                                "-ftrack-macro-expansion=0", NULL });
    command_add_source(command, c->source);
}

/* Links no libraries, so that undefined symbols stay undefined. */
static void reflection_command(struct command *command, const struct compilation *c)
{
    const struct popc_source *source = c->source;
    const struct scratch *scratch = c->scratch;
    start_command(command, c);
    command->compiles = true;
    for (size_t i = 0; i < source->flags->warnings.count; ++i)
        *vec_push(&command->words) = source->flags->warnings.data[i];
    if (source->language == POPC_CPP) /* attributes and pragmas may belong to other compilers */
        command_add(command, (const char *const[]){ "-Wno-attributes", "-Wno-unknown-pragmas", "-shared",
                                                    "-Wl,--defsym=__dso_handle=0", NULL });
    if (source->language == POPC_CPP &&
        !compiler_is_clang(c->compiler)) /* otherwise classes with virtual functions are not described */
        command_add(command, (const char *const[]){ "-femit-class-debug-always", NULL });
    command_add(command, (const char *const[]){ "-D__POPC_TYPES__=1", "-Wno-psabi", "-O0", "-g",
                                                "-fno-eliminate-unused-debug-types", "-nostdlib", "-MD", "-MF",
                                                scratch->included.text, "-o", scratch->object.text,
                                                scratch->source.text, NULL });
}

/* Code that follows the floating-point behaviour is compiled for a machine without half instructions, so that
 * conversions become calls (behave.c); it raises no exception that the source does not raise. */
static void add_level(struct command *command, const struct popc_source *source, bool exports)
{
    bool behaving = source->flags->behaving;
    bool highest = behaving && source->flags->level == LEVEL_X86_64_V4;
    unsigned level = highest ? LEVEL_X86_64_V3 : source->flags->level;
    snprintf(command->optimise, sizeof(command->optimise), "-O%c",
             behaving && source->flags->optimise > '1' ? '1' : source->flags->optimise);
    snprintf(command->march, sizeof(command->march), "-march=%s",
             level == LEVEL_X86_64 ? "x86-64" : machine_level_name(level));
    command_add(command,
                (const char *const[]){ "-w", command->optimise, command->march, "-ffp-contract=off", "-fno-math-errno",
                                       exports ? "-fno-semantic-interposition" : "-fvisibility=hidden",
                                       behaving ? "-ftrapping-math" : "-fno-trapping-math",
                                       behaving ? "-mno-f16c" : NULL, NULL });
}

/* Results must not depend on the compiler or the machine: no contraction, and half is rounded after each operation.
 * Only generated functions are exported, and those for other files, which cannot replace any here. */
static void speed_command(struct command *command, const struct compilation *c)
{
    const struct popc_source *source = c->source;
    const struct scratch *scratch = c->scratch;
    start_command(command, c);
    add_level(command, source, c->reflection->exports);
    command_add(command, (const char *const[]){ source->flags->debug ? "-g" : "-s", "-fexcess-precision=16",
                                                "-fno-gnu-unique", "-Wl,-Bsymbolic", "-o", scratch->object.text,
                                                scratch->source.text, "-Wl,--as-needed", "-lm", NULL });
}

/* C++ is compiled and linked in two steps: symbols for the linker to define are read from the object in between. */
static void cpp_speed_command(struct command *command, const struct compilation *c)
{
    const struct popc_source *source = c->source;
    const struct scratch *scratch = c->scratch;
    start_command(command, c);
    command->compiles = true;
    add_level(command, source, c->reflection->exports);
    if (c->reflection->exports)
        command_add(command, (const char *const[]){ "-fvisibility-inlines-hidden", NULL });
    if (!compiler_is_clang(c->compiler))
        command_add(command, (const char *const[]){ "-fno-gnu-unique", "-fno-lifetime-dse", NULL });
    if (source->flags->debug)
        command_add(command, (const char *const[]){ "-g", NULL });
    command_add(command, (const char *const[]){ "-fno-access-control", "-c", "-o", scratch->object.text,
                                                scratch->source.text, NULL });
}

static void cpp_link_command(struct command *command, const struct compilation *c)
{
    *command = (struct command){ 0 };
    command_add(command,
                (const char *const[]){ c->compiler, "-shared", "-nodefaultlibs", "-Wl,-Bsymbolic", "-Wl,-z,lazy", "-o",
                                       c->scratch->object.text, c->scratch->unlinked.text, NULL });
    if (!c->source->flags->debug)
        command_add(command, (const char *const[]){ "-s", NULL });
    command_add(command, (const char *const[]){ "-Wl,--as-needed", "-lm", "-lc", "-lgcc", NULL });
}

/* Preprocesses what the command compiles and rewrites its inline assembly; the command then reads the result. */
static pop_status rewrite_statements(const struct compilation *c, struct command *command, const struct str *text,
                                     pop_error *error)
{
    const struct scratch *scratch = c->scratch;
    struct str *said = &c->built->messages;
    struct command preprocess = { 0 };
    struct str rewritten = { 0 };
    char *read = NULL;
    size_t size;
    int code = 0;
    for (size_t i = 0; i < command->words.count; ++i)
        *vec_push(&preprocess.words) =
            command->words.data[i] == scratch->object.text ? scratch->rewritten.text : command->words.data[i];
    command_add(&preprocess, (const char *const[]){ "-E", NULL });
    *vec_push(&preprocess.words) = NULL;
    pop_status status = text ? file_write(scratch->source.text, text->text, text->length, error) : POP_OK;
    if (status == POP_OK)
        status = child_run(preprocess.words.data, said, &code, error);
    if (status == POP_OK && (code || file_read(scratch->rewritten.text, &read, &size, NULL) != POP_OK))
        status = build_refuse(c->source, str_text(said), error);
    if (status == POP_OK && !statements_rewrite(read, &rewritten, said))
        status = build_refuse(c->source, str_text(said), error);
    if (status == POP_OK)
        status = file_write(scratch->rewritten.text, rewritten.text, rewritten.length, error);
    built_read_included(c->built, scratch);
    unlink(scratch->included.text);
    for (size_t i = 0; i < command->words.count; ++i)
        if (command->words.data[i] == scratch->source.text)
            command->words.data[i] = scratch->rewritten.text;
    vec_free(&preprocess.words);
    str_free(&rewritten);
    free(read);
    return status;
}

/* Compiles text. */
static pop_status compile(const struct compilation *c, struct command *command, const struct str *text,
                          struct compiled *object, pop_error *error)
{
    struct str *said = &c->built->messages;
    bool rewrites = c->source->flags->tile && c->source->language == POPC_CPP && command->compiles;
    pop_status status = rewrites ? rewrite_statements(c, command, text, error) : POP_OK;
    *object = (struct compiled){ 0 };
    if (status == POP_OK)
        status = command_run(command, c->scratch, rewrites ? NULL : text, said, &object->data, &object->size, error);
    if (status == POP_OK && !object->data)
        return build_refuse(c->source, said->length ? said->text : "error: the compiler failed without a message",
                            error);
    return status;
}

/* ---- the steps ---- */

/* A preprocessor process for constraints: it runs in parallel with the first compilation when the source has any. */
struct preprocessor {
    struct command command;
    struct child child;
    bool started;
};

static void start_preprocessor(struct preprocessor *p, const struct compilation *c)
{
    start_command(&p->command, c);
    command_add(&p->command, (const char *const[]){ "-E", "-w", "-o", c->scratch->preprocessed.text,
                                                    c->scratch->source.text, NULL });
    *vec_push(&p->command.words) = NULL;
    p->started = child_start(&p->child, p->command.words.data, NULL) == POP_OK;
}

/* Headers of the project and of the system have none. */
static bool includes_constraints(const struct popc_source *source, const struct built *built)
{
    bool found = false;
    size_t own = strlen(source->include);
    for (size_t i = 0; i < built->included.count && !found; ++i) {
        const char *name = built->included.data[i];
        char *text;
        size_t size;
        if (strncmp(name, source->include, own) == 0 || strncmp(name, "/usr/", 5) == 0 ||
            file_read(name, &text, &size, NULL) != POP_OK)
            continue;
        found = constraints_in(text, size);
        free(text);
    }
    return found;
}

static void finish_preprocessor(struct preprocessor *p, const struct compilation *c, bool wanted)
{
    struct str said = { 0 };
    char *text;
    size_t size;
    if (p->started && child_wait(&p->child, &said) == 0 && wanted &&
        file_read(c->scratch->preprocessed.text, &text, &size, NULL) == POP_OK) {
        constraints_read(c->reflection, text, &c->built->messages);
        free(text);
    }
    vec_free(&p->command.words);
    str_free(&said);
}

static pop_status reflect(const struct compilation *c, pop_error *error)
{
    const struct popc_source *source = c->source;
    struct str text = { 0 };
    struct command command;
    struct preprocessor preprocessor = { .started = false };
    struct compiled object;
    bool cpp = source->language == POPC_CPP;
    source_write(source, &text);
    pop_status status = file_write(c->scratch->source.text, text.text, text.length, error);
    if (status == POP_OK && cpp && constraints_in(source->text, source->size))
        start_preprocessor(&preprocessor, c);
    reflection_command(&command, c);
    if (status == POP_OK)
        status = compile(c, &command, NULL, &object, error);
    if (status == POP_OK) {
        built_read_included(c->built, c->scratch);
        c->reflection->templates = cpp && templates_in(source->text, source->size);
        status = reflect_object(c->reflection, object.data, object.size);
        free(object.data);
        if (cpp && !preprocessor.started && includes_constraints(source, c->built))
            start_preprocessor(&preprocessor, c);
    }
    finish_preprocessor(&preprocessor, c, status == POP_OK);
    vec_free(&command.words);
    str_free(&text);
    return status;
}

static void take_object(struct module *module, const char *object, size_t size)
{
    void *copy = memcpy(arena_alloc(&module->arena, size), object, size);
    module->objects = arena_alloc(&module->arena, sizeof(*module->objects));
    module->objects[module->object_count++] =
        (struct module_object){ .data = copy, .size = size, .source = module->name };
}

/* Links the object and replaces it by the result. */
static pop_status link_cpp(const struct compilation *c, struct compiled *object, pop_error *error)
{
    struct command command;
    struct compiled linked;
    if (rename(c->scratch->object.text, c->scratch->unlinked.text) != 0)
        return build_refuse(c->source, "error: the compiler's object is gone", error);
    cpp_link_command(&command, c);
    made_complete(&command, object->data, object->size, c->reflection);
    pop_status status = compile(c, &command, NULL, &linked, error);
    free(object->data);
    *object = linked;
    vec_free(&command.words);
    return status;
}

/* Compiles the object that runs. */
static pop_status compile_for_speed(const struct compilation *c, const struct str *text, struct compiled *object,
                                    pop_error *error)
{
    struct command command;
    bool cpp = c->source->language == POPC_CPP;
    (cpp ? cpp_speed_command : speed_command)(&command, c);
    pop_status status = compile(c, &command, text, object, error);
    if (status == POP_OK && cpp)
        status = link_cpp(c, object, error);
    vec_free(&command.words);
    return status;
}

/* Default values come from running the code: when its level is too high for this machine, it is compiled once more
 * for the machine's own level. */
static pop_status read_made(const struct compilation *c, const struct str *text, const struct compiled *object,
                            pop_error *error)
{
    if (machine_runs(c->source->flags->level))
        return made_read(c->reflection, object->data, object->size, MADE_SECONDS);
    struct popc_flags flags = *c->source->flags;
    struct popc_source lower = *c->source;
    struct compilation own = *c;
    struct compiled made;
    flags.level = machine_level();
    lower.flags = &flags;
    own.source = &lower;
    pop_status status = compile_for_speed(&own, text, &made, error);
    if (status == POP_OK)
        status = made_read(c->reflection, made.data, made.size, MADE_SECONDS);
    free(made.data);
    return status;
}

/* Compiles again with what calls functions in assembly, now that it is known what the source only declares. Without it
 * when it does not compile: a name is overloaded, say, and another file in C++ has it. */
static void add_callees(const struct compilation *c, struct str *text, struct compiled *object)
{
    struct built second = { 0 };
    struct compilation again = *c;
    struct str with = { 0 };
    pop_error error = { 0 };
    struct compiled made;
    again.built = &second;
    thunks_write(c->source, c->reflection, &with);
    if (compile_for_speed(&again, &with, &made, &error) == POP_OK) {
        struct str kept = *text;
        free(object->data);
        *object = made;
        *text = with;
        with = kept;
    } else {
        LOG(CODELETS, INFO, "'%s' cannot call functions in assembly:\n%s", c->source->name, str_text(&second.messages));
        free(made.data);
    }
    str_free(&with);
    built_free(&second);
}

static pop_status generate(const struct compilation *c, struct module *module, pop_error *error)
{
    struct reflection *reflection = c->reflection;
    struct str text = { 0 };
    struct compiled object;
    bool cpp = c->source->language == POPC_CPP;
    thunks_write(c->source, reflection, &text);
    pop_status status = compile_for_speed(c, &text, &object, error);
    if (status == POP_OK)
        reflect_imports(reflection, object.data, object.size);
    if (status == POP_OK && reflection->wanted.count)
        add_callees(c, &text, &object);
    if (status == POP_OK && cpp)
        status = read_made(c, &text, &object, error);
    if (status == POP_OK) {
        take_object(module, object.data, object.size);
        module->objects->shares = reflect_shares(reflection);
        module->objects->assembles = cpp && c->source->flags->calls;
        module->objects->asks_tile = cpp && elf_uses(object.data, object.size, "__popc_asks_tile");
    }
    free(object.data);
    str_free(&text);
    return status;
}

static void take_codelets(struct module *module, const struct reflection *reflection)
{
    struct str uses = { 0 };
    module->codelet_count = (uint32_t)reflection->vertices.count;
    module->codelets = arena_alloc(&module->arena, module->codelet_count * sizeof(*module->codelets));
    for (uint32_t i = 0; i < module->codelet_count; ++i) {
        module->codelets[i] = reflection->vertices.data[i].codelet;
        module->codelets[i].module = module;
    }
    device_uses_write(module, reflection, &uses);
    module->uses = arena_string(&module->arena, str_text(&uses));
    str_free(&uses);
}

pop_status build_module(const struct popc_source *source, const char *compiler, const char *device_compiler,
                        struct built *built, pop_error *error)
{
    struct scratch scratch;
    *built = (struct built){ 0 };
    pop_status status = scratch_open(&scratch, source->language, error);
    if (status != POP_OK)
        return status;
    struct module *module = module_create(source->name, source->flags->level);
    struct reflection reflection = { .source = source->name,
                                     .language = source->language,
                                     .arena = &module->arena,
                                     .wants = source->language == POPC_CPP && source->flags->calls,
                                     .error = error };
    const struct compilation c = { source, compiler, &scratch, built, &reflection };
    status = reflect(&c, error);
    if (status == POP_OK) {
        struct ahead ahead;
        ahead_start(&ahead, source, device_compiler, &reflection);
        status = generate(&c, module, error);
        ahead_finish(&ahead, built);
    }
    if (status == POP_OK) {
        take_codelets(module, &reflection);
        if (source->flags->devices)
            device_compile(source, compiler, device_compiler, &scratch, built, module);
    }
    scratch_close(&scratch);
    vec_free(&reflection.vertices);
    vec_free(&reflection.wanted);
    if (status == POP_OK)
        built->module = module;
    else
        module_release(module);
    return status;
}

/* The module borrows from `of`, so source->of must outlive it. */
static struct module *borrow(const struct module *of)
{
    struct module *module = module_create(of->name, of->level);
    module->codelets = of->codelets;
    module->codelet_count = of->codelet_count;
    module->uses = of->uses;
    module->objects = arena_alloc(&module->arena, of->object_count * sizeof(*module->objects));
    for (uint32_t i = 0; i < of->object_count; ++i)
        module->objects[module->object_count++] = (struct module_object){ .data = of->objects[i].data,
                                                                          .size = of->objects[i].size,
                                                                          .shares = of->objects[i].shares,
                                                                          .asks_tile = of->objects[i].asks_tile,
                                                                          .assembles = of->objects[i].assembles,
                                                                          .source = of->objects[i].source };
    return module;
}

pop_status build_measured(const struct popc_source *source, const char *compiler, const char *device_compiler,
                          struct built *built, pop_error *error)
{
    struct scratch scratch;
    *built = (struct built){ 0 };
    pop_status status = scratch_open(&scratch, source->language, error);
    if (status != POP_OK)
        return status;
    built->module = borrow(source->of);
    device_compile(source, compiler, device_compiler, &scratch, built, built->module);
    scratch_close(&scratch);
    return POP_OK;
}

pop_status build_counted(const struct popc_source *source, const char *device_compiler, struct built *built,
                         pop_error *error)
{
    struct scratch scratch;
    size_t size;
    *built = (struct built){ 0 };
    pop_status status = scratch_open(&scratch, source->language, error);
    if (status != POP_OK)
        return status;
    char *object =
        device_compile_counted(source, device_compiler, (int)source->flags->counted - 1, &scratch, built, &size, error);
    if (object) {
        built->module = module_create(source->name, source->flags->level);
        take_object(built->module, object, size);
    }
    free(object);
    scratch_close(&scratch);
    return built->module ? POP_OK : error->status;
}

void built_free(struct built *built)
{
    for (size_t i = 0; i < built->included.count; ++i)
        free(built->included.data[i]);
    vec_free(&built->included);
    str_free(&built->messages);
    if (built->counted) {
        module_release(built->counted->module);
        built_free(built->counted);
        free(built->counted);
    }
}
