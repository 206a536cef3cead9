/* SPDX-License-Identifier: Apache-2.0 */
/* Two compilations: one with debug information, to read the vertex types from, and one for speed, with the code that runs them. */
#include "popc/build.h"
#include "popc/child.h"

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"

#include <errno.h>
#include <unistd.h>

enum { QUOTED = 800 }; /* characters of the compiler's message in an error; all of it goes to the log */

static void scratch_name(const struct scratch *scratch, const char *name, struct str *path)
{
    str_format(path, "%s/%s", scratch->directory.text, name);
}

static pop_status scratch_open(struct scratch *scratch, pop_error *error)
{
    const char *place = getenv("TMPDIR");
    *scratch = (struct scratch){ 0 };
    str_format(&scratch->directory, "%s/tremula-XXXXXX", place && *place ? place : "/tmp");
    if (!mkdtemp(scratch->directory.text)) {
        error_set(error, POP_NO_ENVIRONMENT, NO_WHERE, NULL, "cannot make a temporary directory '%s': %s; set TMPDIR to a place that can be written",
                  scratch->directory.text, strerror(errno));
        str_free(&scratch->directory);
        return POP_NO_ENVIRONMENT;
    }
    scratch_name(scratch, "codelets.c", &scratch->source);
    scratch_name(scratch, "codelets.so", &scratch->object);
    scratch_name(scratch, "included", &scratch->included);
    return POP_OK;
}

static void scratch_close(struct scratch *scratch)
{
    unlink(scratch->source.text);
    unlink(scratch->object.text);
    unlink(scratch->included.text);
    rmdir(scratch->directory.text);
    str_free(&scratch->directory);
    str_free(&scratch->source);
    str_free(&scratch->object);
    str_free(&scratch->included);
}

/* The compiler's message from its first error on, when all of it is too long; at most QUOTED characters, whole lines. */
static pop_status refuse(const struct source *source, const char *said, pop_error *error)
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
    return error_set(error, POP_GRAPH_PROGRAM_COMPILATION_ERROR, NO_WHERE, NULL, "cannot compile '%s'\n%.*s", source->name, (int)length, start);
}

/* ---- command lines ---- */

void command_add(struct command *command, const char *const *words)
{
    for (; *words; ++words)
        *vec_push(&command->words) = *words;
}

void command_add_source(struct command *command, const struct source *source)
{
    command_add(command, (const char *const[]){ "-iquote", source->directory, "-I", source->include, NULL });
    for (size_t i = 0; i < source->flags->both.count; ++i)
        *vec_push(&command->words) = source->flags->both.data[i];
}

static void start_command(struct command *command, const struct source *source, const char *compiler)
{
    *command = (struct command){ 0 };
    command_add(command, (const char *const[]){ compiler, "-std=gnu11", "-D__POPC__=1", "-pipe", "-shared", "-fPIC", "-fno-lto",
                                                "-fdiagnostics-color=never", "-ftrack-macro-expansion=0", NULL });
    command_add_source(command, source);
}

/* Without libraries: what is undefined stays so. */
static void reflection_command(struct command *command, const struct source *source, const char *compiler, const struct scratch *scratch)
{
    start_command(command, source, compiler);
    for (size_t i = 0; i < source->flags->warnings.count; ++i)
        *vec_push(&command->words) = source->flags->warnings.data[i];
    command_add(command, (const char *const[]){ "-O0", "-g", "-fno-eliminate-unused-debug-types", "-nostdlib", "-MD", "-MF",
                                              scratch->included.text, "-o", scratch->object.text, scratch->source.text, NULL });
}

/* Results do not depend on compiler or machine: no contraction, half rounds after each operation.  Only our functions are exported. */
static void speed_command(struct command *command, const struct source *source, const char *compiler, const struct scratch *scratch)
{
    start_command(command, source, compiler);
    snprintf(command->optimise, sizeof(command->optimise), "-O%c", source->flags->optimise);
    snprintf(command->march, sizeof(command->march), source->flags->level > 1 ? "-march=x86-64-v%u" : "-march=x86-64", source->flags->level);
    command_add(command, (const char *const[]){ "-w", command->optimise, command->march, source->flags->debug ? "-g" : "-s",
                                              "-ffp-contract=off", "-fexcess-precision=16", "-fvisibility=hidden", "-fno-gnu-unique",
                                              "-Wl,-Bsymbolic", "-o", scratch->object.text, scratch->source.text,
                                              "-Wl,--as-needed", "-lm", NULL });
}

pop_status command_run(struct command *command, const struct scratch *scratch, const struct str *text, struct str *said, char **object, size_t *size,
                       pop_error *error)
{
    int code = 0;
    *object = NULL;
    *vec_push(&command->words) = NULL;
    unlink(scratch->object.text);
    pop_status status = file_write(scratch->source.text, text->text, text->length, error);
    if (status == POP_OK)
        status = child_run(command->words.data, said, &code, error);
    if (status != POP_OK)
        return status;
    if (code > 128)
        str_format(said, "error: the compiler was ended by signal %d\n", code - 128);
    if (code == 0 && file_read(scratch->object.text, object, size, NULL) != POP_OK)
        *object = NULL;
    return POP_OK;
}

/* Compiles text; the object's bytes are malloc'ed. */
static pop_status compile(const struct source *source, struct command *command, const struct scratch *scratch, const struct str *text,
                          struct str *said, char **object, size_t *size, pop_error *error)
{
    pop_status status = command_run(command, scratch, text, said, object, size, error);
    if (status == POP_OK && !*object)
        return refuse(source, said->length ? said->text : "error: the compiler failed and said nothing", error);
    return status;
}

/* ---- what was included ---- */

/* The rule that -MD writes: "target: file file \ <newline> file", blanks in names escaped. */
void built_read_included(struct built *built, const struct scratch *scratch)
{
    char *rule;
    size_t size;
    if (file_read(scratch->included.text, &rule, &size, NULL) != POP_OK)
        return;
    const char *at = strstr(rule, ": ");
    at = at ? at + 2 : "";
    while (*at) {
        struct str name = { 0 };
        for (; *at && *at != ' ' && *at != '\n'; ++at) {
            if (*at == '\\' && at[1] == '\n')
                break;
            if ((*at == '\\' && (at[1] == ' ' || at[1] == '#' || at[1] == '\\')) || (*at == '$' && at[1] == '$'))
                ++at;
            str_add_bytes(&name, at, 1);
        }
        if (name.length && strcmp(name.text, scratch->source.text) != 0 && access(name.text, R_OK) == 0)
            *vec_push(&built->included) = name.text;
        else
            str_free(&name);
        while (*at == ' ' || *at == '\n' || (*at == '\\' && at[1] == '\n'))
            ++at;
    }
    free(rule);
}

/* ---- the steps ---- */

static pop_status reflect(const struct source *source, const char *compiler, const struct scratch *scratch, struct built *built,
                          struct reflection *reflection, pop_error *error)
{
    struct str text = { 0 };
    struct command command;
    char *object;
    size_t size;
    source_write(source, &text);
    reflection_command(&command, source, compiler, scratch);
    pop_status status = compile(source, &command, scratch, &text, &built->messages, &object, &size, error);
    if (status == POP_OK) {
        built_read_included(built, scratch);
        status = reflect_object(reflection, object, size);
        free(object);
    }
    vec_free(&command.words);
    str_free(&text);
    return status;
}

static pop_status generate(const struct source *source, const char *compiler, const struct scratch *scratch, struct built *built,
                           struct reflection *reflection, struct module *module, pop_error *error)
{
    struct str text = { 0 };
    struct command command;
    char *object;
    size_t size;
    thunks_write(source, reflection, &text);
    speed_command(&command, source, compiler, scratch);
    pop_status status = compile(source, &command, scratch, &text, &built->messages, &object, &size, error);
    if (status == POP_OK) {
        void *copy = memcpy(arena_alloc(&module->arena, size), object, size);
        module->objects = arena_alloc(&module->arena, sizeof(*module->objects));
        module->objects[module->object_count++] = (struct module_object){ copy, size, NULL };
        free(object);
    }
    vec_free(&command.words);
    str_free(&text);
    return status;
}

static void take_codelets(struct module *module, const struct reflection *reflection)
{
    module->codelet_count = (uint32_t)reflection->vertices.count;
    module->codelets = arena_alloc(&module->arena, module->codelet_count * sizeof(*module->codelets));
    for (uint32_t i = 0; i < module->codelet_count; ++i) {
        module->codelets[i] = reflection->vertices.data[i].codelet;
        module->codelets[i].module = module;
    }
}

pop_status build_module(const struct source *source, const char *compiler, const char *device_compiler, struct built *built, pop_error *error)
{
    struct scratch scratch;
    *built = (struct built){ 0 };
    pop_status status = scratch_open(&scratch, error);
    if (status != POP_OK)
        return status;
    struct module *module = module_create(source->name, source->flags->level);
    struct reflection reflection = { .source = source->name, .arena = &module->arena, .error = error };
    status = reflect(source, compiler, &scratch, built, &reflection, error);
    if (status == POP_OK)
        status = generate(source, compiler, &scratch, built, &reflection, module, error);
    if (status == POP_OK) {
        take_codelets(module, &reflection);
        if (source->flags->devices)
            device_compile(source, compiler, device_compiler, &scratch, built, module);
    }
    scratch_close(&scratch);
    vec_free(&reflection.vertices);
    if (status == POP_OK)
        built->module = module;
    else
        module_release(module);
    return status;
}

void built_free(struct built *built)
{
    for (size_t i = 0; i < built->included.count; ++i)
        free(built->included.data[i]);
    vec_free(&built->included);
    str_free(&built->messages);
}
