/* SPDX-License-Identifier: Apache-2.0 */
#include "tile/exec.h"

#include <poplar/text.h>
#include <setjmp.h>
#include <stdarg.h>

void tile_raise(struct tile_context *c, const struct tile_op *o, enum tile_exception code, uint32_t address,
                const char *format, ...)
{
    struct tile *tile = c->tile;
    va_list arguments;
    tile->fault = (struct tile_fault){ .code = code, .pc = o->address, .address = address, .context = c->id };
    va_start(arguments, format);
    pop_text_vformat(tile->fault.text, sizeof(tile->fault.text), format, arguments);
    va_end(arguments);
    longjmp(*(jmp_buf *)tile->escape, 1);
}

void tile_bad_access(struct tile_context *c, const struct tile_op *o, uint32_t address, unsigned bytes, bool write)
{
    bool inside = address - c->tile->base <= c->tile->bytes - bytes;
    tile_raise(c, o, TILE_INVALID_ADDR, address, "%s %u bytes at 0x%x, which is %s", write ? "stores" : "loads", bytes,
               address, inside ? "not aligned" : "outside of the tile's memory");
}

/* A load whose result nobody can read moves a pointer; it only has to be in memory. */
static bool is_dummy_load(const struct tile_op *o)
{
    return o->form->operands && o->form->operand[0].access == TILE_WRITTEN &&
           (o->to[0] == REG_LOST_A || o->to[0] == REG_LOST_M);
}

void tile_check_access(struct tile_context *c, const struct tile_op *o, uint32_t address, unsigned bytes, bool write)
{
    const unsigned char *allowed = c->tile->allowed + (address - c->tile->base);
    unsigned wanted = write ? TILE_MAY_WRITE : TILE_MAY_READ;
    for (unsigned i = 0; i < bytes; ++i)
        if (!(allowed[i] & wanted) && (write || !is_dummy_load(o)))
            tile_raise(c, o, TILE_OUTSIDE, address + i, "%s 0x%x, which is outside of what the vertex may %s",
                       write ? "stores to" : "loads from", address + i, write ? "write" : "read");
}
