/* SPDX-License-Identifier: Apache-2.0 */
/* What the assembler makes of a file: sections of bytes, symbols, places to fill in, and lines. */
#ifndef TILE_OBJECT_H
#define TILE_OBJECT_H

#include "tile/isa.h"

#include "base/vec.h"

#include <poplar/error.h>

enum { TILE_UNDEFINED = -1, TILE_ABSOLUTE = -2 }; /* sections of symbols */
struct tile_symbol {
    const char *name;
    int32_t section;
    uint32_t value; /* offset in the section, or the absolute value */
    bool global;
};

struct tile_section {
    const char *name;
    bool code;
    uint32_t alignment;
    VEC(unsigned char) bytes;
};

/* A place whose value is known when sections have addresses. */
enum tile_fixup_kind {
    TILE_FIX_OPERAND = 0, /* the immediate of an instruction */
    TILE_FIX_BYTES1,
    TILE_FIX_BYTES2,
    TILE_FIX_BYTES4
};
struct tile_fixup {
    uint32_t section, offset, symbol; /* index of the symbol */
    int32_t addend;
    uint8_t kind, operand; /* operand: its index in the form */
};

struct tile_line {
    uint32_t section, offset, line;
    bool supervisor;
    const char *file;
};

struct tile_stack {
    const char *function;
    uint32_t bytes;
};

struct tile_object {
    enum tile_arch arch;
    const char *name; /* of the source */
    VEC(struct tile_section) sections;
    VEC(struct tile_symbol) symbols;
    VEC(struct tile_fixup) fixups;
    VEC(struct tile_line) lines; /* by section and offset; one for each instruction */
    VEC(struct tile_stack) stacks;
    struct arena arena; /* of names */
};

struct tile_object *tile_object_create(enum tile_arch arch, const char *name);
void tile_object_free(struct tile_object *object);
/* For .gp files; the caller frees *data. */
void tile_object_write(const struct tile_object *object, char **data, size_t *size);
/* NULL when the bytes are damaged: what is read is checked. */
struct tile_object *tile_object_read(const void *data, size_t size);

#endif
