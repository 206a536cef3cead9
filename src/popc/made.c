/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/made.h"
#include "popc/build.h"
#include "popc/elf_symbols.h"

#include "base/log.h"

#include <dlfcn.h>
#include <setjmp.h>

/* ---- members that are declared and not defined ---- */

static bool ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name), end = strlen(ending);
    return length > end && strcmp(name + length - end, ending) == 0;
}

/* Constructors without parameters, and computes without or with a worker, as compilers mangle them. */
static const char *replacement(const char *symbol)
{
    if (strncmp(symbol, "_ZN", 3) != 0)
        return NULL;
    if (ends_with(symbol, "C1Ev") || ends_with(symbol, "C2Ev"))
        return NO_CONSTRUCTOR;
    return ends_with(symbol, "7computeEv") || ends_with(symbol, "7computeEj") ? NO_COMPUTE : NULL;
}

struct completion {
    struct command *command;
    struct arena *arena;
};

static void complete(const char *symbol, void *context)
{
    const struct completion *completion = context;
    const char *by = replacement(symbol);
    if (!by)
        return;
    struct str word = { 0 };
    str_format(&word, "-Wl,--defsym=%s=%s", symbol, by);
    *vec_push(&completion->command->words) = arena_string(completion->arena, word.text);
    str_free(&word);
}

void made_complete(struct command *command, const void *object, size_t size, struct arena *arena)
{
    struct completion completion = { command, arena };
    elf_each_undefined(object, size, complete, &completion);
}

/* ---- defaults ---- */

struct maker {
    struct codelet_call call;
    jmp_buf stopped;
    const char *message;
};

/* An assertion in a constructor, or the like. */
static void stop(struct codelet_call *call, const char *message, const char *file, int line)
{
    struct maker *maker = (struct maker *)call;
    (void)file;
    (void)line;
    maker->message = message;
    longjmp(maker->stopped, 1);
}

/* A batch of no vertices tells the code whom to call when it fails. */
static const char *construct(const struct made *made, codelet_run run, void *at)
{
    struct maker maker = { .call = { .fail = stop } };
    run(&maker.call);
    if (!setjmp(maker.stopped))
        made->make(at);
    return maker.message;
}

/* Of a default-constructed vertex only its own numbers count: what it is connected to is set elsewhere. */
static pop_status take_defaults(struct reflection *r, struct codelet *codelet, const struct made *made, codelet_run run)
{
    unsigned char *block = mem_zero(1, made->bytes + made->alignment), *image = block + (-(uintptr_t)block & (made->alignment - 1));
    const char *failed = construct(made, run, image);
    pop_status status = POP_OK;
    if (failed)
        status = reflect_refuse(r, NULL, "the default constructor of '%s' failed: %s", codelet->name, failed);
    unsigned char *defaults = memset(arena_alloc(r->arena, codelet->state_bytes), 0, codelet->state_bytes);
    for (uint32_t i = 0; i < codelet->field_count; ++i) {
        const struct codelet_field *field = codelet->fields + i;
        if (field->direction == FIELD_STATE && field->shape == SHAPE_SCALAR)
            memcpy(defaults + field->offset, image + field->offset, field->bytes);
    }
    free(block);
    codelet->defaults = defaults;
    return status;
}

static pop_status read_table(struct reflection *r, void *handle, const struct made *made)
{
    pop_status status = POP_OK;
    for (size_t i = 0; i < r->vertices.count && status == POP_OK; ++i) {
        struct codelet *codelet = &r->vertices.data[i].codelet;
        codelet_run run;
        void *symbol = dlsym(handle, codelet->symbol);
        memcpy(&run, &symbol, sizeof(run));
        if (made[i].bytes != codelet->state_bytes)
            status = reflect_refuse(r, NULL, "vertex '%s' depends on how it is compiled: it has %u bytes, and %zu when optimised", codelet->name,
                                    (unsigned)codelet->state_bytes, made[i].bytes);
        else
            status = take_defaults(r, codelet, made + i, run);
        codelet->state_alignment = (uint32_t)made[i].alignment;
    }
    return status;
}

pop_status made_read(struct reflection *r, const void *object, size_t size)
{
    const struct module_object loaded = { object, size, NULL };
    struct str reason = { 0 };
    void *handle = object_open(&loaded, RTLD_LAZY, &reason);
    const struct made *made = handle ? dlsym(handle, MADE_SYMBOL) : NULL;
    pop_status status = made ? read_table(r, handle, made) : POP_OK;
    if (!made)
        LOG(CODELETS, INFO, "the fields of '%s' have no default values: %s", r->source, str_text(&reason));
    if (handle)
        dlclose(handle);
    str_free(&reason);
    return status;
}
