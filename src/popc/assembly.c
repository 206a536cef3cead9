/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/compile/child.h"
#include "popc/compile/command.h"
#include "popc/module/machine.h"
#include "popc/module/module.h"
#include "popc/popc.h"

#include "base/error.h"
#include "base/file.h"
#include "tile/tile.h"

#include <stdio.h>

_Static_assert((int)DEVICE_IPU1 == (int)TILE_IPU1 && (int)DEVICE_IPU21 == (int)TILE_IPU21 &&
                   (int)DEVICE_ARCHS == (int)TILE_ARCHS,
               "both layers number the architectures alike");

/* The C preprocessor alone is the host's: -undef takes the host's own macros away. */
static pop_status preprocess(const struct popc_source *source, const char *compiler, enum device_arch arch,
                             const struct scratch *scratch, struct built *built, char **text, size_t *size,
                             pop_error *error)
{
    static const char *const versions[] = { "-D__IPU_ARCH_VERSION__=1", "-D__IPU_ARCH_VERSION__=2",
                                            "-D__IPU_ARCH_VERSION__=21" };
    struct command command = { 0 };
    int code = 0;
    *text = NULL;
    command_add(&command, (const char *const[]){ compiler, "-E", "-x", "assembler-with-cpp", "-undef", "-D__IPU__=1",
                                                 "-D__POPC__=1", versions[arch], "-fdiagnostics-color=never", NULL });
    command_add_source(&command, source);
    command_add(&command, (const char *const[]){ "-MD", "-MF", scratch->included.text, "-o", scratch->preprocessed.text,
                                                 scratch->source.text, NULL });
    *vec_push(&command.words) = NULL;
    pop_status status = child_run(command.words.data, &built->messages, &code, error);
    vec_free(&command.words);
    if (status == POP_OK && code == 0)
        status = file_read(scratch->preprocessed.text, text, size, error);
    return status;
}

static void add_object(struct module *module, enum device_arch arch, const struct tile_object *object,
                       const char *refused)
{
    struct module_tile *tile = &module->tiles[module->tile_count++];
    char *data = NULL;
    size_t size = 0;
    if (object)
        tile_object_write(object, &data, &size);
    *tile = (struct module_tile){ .arch = (uint8_t)arch,
                                  .data = size ? memcpy(arena_alloc(&module->arena, size), data, size) : NULL,
                                  .size = size,
                                  .refused = arena_string(&module->arena, object ? "" : refused) };
    mem_free(data);
}

static pop_status assemble_all(const struct popc_source *source, const char *compiler, const struct scratch *scratch,
                               struct built *built, struct module *module, pop_error *error)
{
    struct str refused = { 0 };
    bool said = false; /* the assembler, not the preprocessor, whose messages are there */
    unsigned made = 0, wanted = source->flags->devices;
    pop_status status = POP_OK;
    module->tiles = arena_zero(&module->arena, DEVICE_ARCHS, sizeof(*module->tiles));
    for (int arch = 0; arch < DEVICE_ARCHS && status == POP_OK; ++arch) {
        char *text;
        size_t size;
        if (wanted && !(wanted >> arch & 1))
            continue;
        struct str messages = { 0 };
        status = preprocess(source, compiler, (enum device_arch)arch, scratch, built, &text, &size, error);
        if (text)
            built_read_included(built, scratch);
        struct tile_object *object = text ? tile_assemble(source->name, text, (enum tile_arch)arch, &messages) : NULL;
        if (object || !wanted)
            add_object(module, (enum device_arch)arch, object, str_text(&messages));
        made += object != NULL;
        if (!object && !refused.length)
            str_add(&refused, text ? str_text(&messages) : str_text(&built->messages));
        said |= text != NULL;
        if (object)
            str_add(&built->messages, str_text(&messages)); /* warnings */
        tile_object_free(object);
        str_free(&messages);
        mem_free(text);
        if (!object && wanted)
            made = 0, wanted = 1u << DEVICE_ARCHS; /* stops: an architecture that was asked for refuses the source */
    }
    if (status == POP_OK && !made && said)
        str_add(&built->messages, str_text(&refused));
    if (status == POP_OK && !made)
        status = build_refuse(source, str_text(&refused), error);
    str_free(&refused);
    return status;
}

pop_status assembly_build(const struct popc_source *source, const char *compiler, struct built *built, pop_error *error)
{
    struct scratch scratch;
    struct str text = { 0 };
    *built = (struct built){ 0 };
    pop_status status = scratch_open(&scratch, source->language, error);
    if (status != POP_OK)
        return status;
    struct module *module = module_create(source->name, source->flags->level);
    str_format(&text, "#line 1 \"%s\"\n", source->name);
    str_add_bytes(&text, source->text, source->size);
    str_add(&text, "\n");
    status = file_write(scratch.source.text, text.text, text.length, error);
    if (status == POP_OK)
        status = assemble_all(source, compiler, &scratch, built, module, error);
    scratch_close(&scratch);
    str_free(&text);
    if (status == POP_OK)
        built->module = module;
    else
        module_release(module);
    return status;
}

void assembly_list(const struct module *module, struct str *text)
{
    for (uint32_t i = 0; i < module->tile_count; ++i) {
        const struct module_tile *tile = module->tiles + i;
        struct tile_object *object = tile->size ? tile_object_read(tile->data, tile->size) : NULL;
        if (object)
            tile_object_list(object, text);
        tile_object_free(object);
    }
}
