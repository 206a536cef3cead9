/* SPDX-License-Identifier: Apache-2.0 */
/* Assembling and running a few instructions: registers and memory are set and compared as texts such as
 * "m1=80000 a0=3f800000 M80000=7" (hexadecimal; M is a word of memory). */
#ifndef TILE_TEST_RUN_H
#define TILE_TEST_RUN_H

#include "tile/machine.h"
#include "tile/program.h"
#include "tile/tile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct snippet {
    struct tile_program *program;
    struct tile *tile;
    struct tile_result result;
};

static inline unsigned place_of(const char *name)
{
    return (unsigned)strtoul(name + 1, NULL, 10) + (*name == 'a' ? 32 : 0);
}

static inline void each_setting(struct tile *tile, const char *text, bool check)
{
    char name[32];
    unsigned value;
    int length;
    for (; sscanf(text, " %31[a-zA-Z0-9]=%x%n", name, &value, &length) == 2; text += length) {
        unsigned char *memory = *name == 'M' ? tile_memory(tile, (uint32_t)strtoul(name + 1, NULL, 16), 4) : NULL;
        uint32_t now = memory ? 0 : tile_register(tile, 0, place_of(name));
        if (memory)
            memcpy(&now, memory, 4);
        if (check && now != value)
            fail_msg("%s is %x, not %x", name, now, value);
        if (!check && memory)
            memcpy(memory, &value, 4);
        else if (!check)
            tile_set_register(tile, 0, place_of(name), value);
    }
    assert_string_equal(text + strspn(text, " "), "");
}

/* Assembles the code as worker 0's, with an exit behind it. */
static inline void snippet_make(struct snippet *s, enum tile_arch arch, const char *code)
{
    struct str text = { 0 }, messages = { 0 }, why = { 0 };
    const char *root = "start";
    str_format(&text, ".globl start\n.align 8\n.worker\nstart:\n%s\nexitz $mzero\n", code);
    struct tile_object *object = tile_assemble("snippet.S", text.text, arch, &messages);
    if (!object)
        fail_msg("%s", str_text(&messages));
    const struct tile_object *objects[] = { object };
    s->program = tile_program_link(objects, 1, &root, 1, 0, &why);
    if (!s->program)
        fail_msg("%s", str_text(&why));
    s->tile = tile_create(s->program);
    tile_object_free(object);
    str_free(&text);
    str_free(&messages);
    str_free(&why);
}

static inline bool snippet_run(struct snippet *s)
{
    return tile_run_workers(s->tile, tile_program_symbol(s->program, "start"), 0, 1, &s->result);
}

static inline void snippet_free(struct snippet *s)
{
    tile_free(s->tile);
    tile_program_free(s->program);
}

#endif
