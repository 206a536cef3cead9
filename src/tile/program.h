/* SPDX-License-Identifier: Apache-2.0 */
/* A program of a tile: objects linked at addresses of its memory, and decoded. Read-only, so threads can share it. */
#ifndef TILE_PROGRAM_H
#define TILE_PROGRAM_H

#include "tile/object.h"

struct tile_step;
struct tile_program_symbol {
    const char *name;
    uint32_t address;
};

struct tile_program {
    enum tile_arch arch;
    uint32_t base, code_bytes, bytes;             /* code first, then data; bytes is a multiple of 16 */
    uint32_t root_bytes, other_bytes, data_bytes; /* of sections: the first root's, other code, data */
    unsigned char *image;
    struct tile_step *steps; /* one for each word of the code, and a last one that ends every run */
    VEC(struct tile_program_symbol) symbols;
    VEC(struct tile_line) lines; /* by address; section is not used */
    struct arena arena;
};

/* Links the sections that the roots reach, from an address on (a multiple of 64; 0: the start of memory). Symbols are
 * looked up in the object that names them, then in global symbols of all. NULL, with the reason, for what is missing or
 * does not fit. The objects can be freed afterwards. */
struct tile_program *tile_program_link(const struct tile_object *const *objects, size_t count, const char *const *roots,
                                       size_t root_count, uint32_t base, struct str *why);
void tile_program_free(struct tile_program *program);
/* 0 when the program lacks it. */
uint32_t tile_program_symbol(const struct tile_program *program, const char *name);
/* The line that an address of the code comes from; NULL when it is not known. */
const struct tile_line *tile_program_line(const struct tile_program *program, uint32_t address);

#endif
