/* SPDX-License-Identifier: Apache-2.0 */
#include "tile/asm.h"

#include <poplar/text.h>
#include <stdlib.h>
#include <string.h>

struct asm_name *asm_name(struct assembler *a, const char *name)
{
    uint32_t id = intern_add(&a->interned, name);
    while (a->names.count <= id)
        *vec_push(&a->names) = (struct asm_name){ .symbol = -1 };
    a->names.data[id].name = intern_text(&a->interned, id);
    return a->names.data + id;
}

const struct asm_name *asm_find_name(const struct assembler *a, const char *name)
{
    uint32_t id = intern_find(&a->interned, name);
    return id < a->names.count ? a->names.data + id : NULL;
}

int32_t asm_symbol(struct assembler *a, struct asm_name *name)
{
    if (name->symbol < 0) {
        name->symbol = (int32_t)a->object->symbols.count;
        *vec_push(&a->object->symbols) =
            (struct tile_symbol){ .name = arena_string(&a->object->arena, name->name), .section = TILE_UNDEFINED };
    }
    return name->symbol;
}

static void define(struct assembler *a, const char *name)
{
    struct asm_name *entry = asm_name(a, name);
    int32_t index = asm_symbol(a, entry);
    struct tile_symbol *symbol = a->object->symbols.data + index;
    if (symbol->section != TILE_UNDEFINED || entry->assigned) {
        asm_error(a, a->place, "label '%s' is defined twice", name);
        return;
    }
    symbol->section = (int32_t)a->section;
    symbol->value = (uint32_t)a->object->sections.data[a->section].bytes.count;
}

void asm_label(struct assembler *a, const char *name)
{
    if (!pop_text_is_digit(*name)) {
        define(a, name);
        return;
    }
    unsigned long number = strtoul(name, NULL, 10);
    struct str local = { 0 };
    if (number >= sizeof(a->locals) / sizeof(a->locals[0])) {
        asm_error(a, a->place, "local labels are 0: to 99:");
        return;
    }
    str_format(&local, "%lu:%u", number, ++a->locals[number]);
    define(a, local.text);
    str_free(&local);
}
