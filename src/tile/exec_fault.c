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
    tile->fault = (struct tile_fault){
        .code = code, .pc = o->address, .address = address, .first = tile->fault.first, .context = c->id
    };
    va_start(arguments, format);
    pop_text_vformat(tile->fault.text, sizeof(tile->fault.text), format, arguments);
    va_end(arguments);
    longjmp(*(jmp_buf *)tile->escape, 1);
}

/* A load whose result nobody can read moves a pointer; it only has to be in memory. */
static bool is_dummy_load(const struct tile_op *o)
{
    return o->form->operands && o->form->operand[0].access == TILE_WRITTEN &&
           (o->to[0] == REG_LOST_A || o->to[0] == REG_LOST_M);
}

static void check_permissions(struct tile_context *c, const struct tile_op *o, uint32_t address, unsigned bytes,
                              bool write)
{
    const unsigned char *allowed = c->tile->allowed + (address - c->tile->base);
    unsigned wanted = write ? TILE_MAY_WRITE : TILE_MAY_READ;
    for (unsigned i = 0; i < bytes; ++i)
        if (!(allowed[i] & wanted) && (write || !is_dummy_load(o)))
            tile_raise(c, o, TILE_OUTSIDE, address + i, "%s 0x%x, which is outside of what the vertex may %s",
                       write ? "stores to" : "loads from", address + i, write ? "write" : "read");
}

/* The window that has an address; else one that it is closely behind. */
static const struct tile_window *window_at(const struct tile_windows *windows, uint32_t address)
{
    const struct tile_window *before = NULL;
    for (size_t i = 0; windows && i < windows->list.count; ++i) {
        const struct tile_window *w = windows->list.data + i;
        uint32_t offset = address - w->address;
        if (offset < w->bytes)
            return w;
        if (offset < w->bytes + w->behind)
            before = w;
    }
    return before;
}

/* The host memory behind an address; NULL: no window has it. */
static unsigned char *through_window(struct tile_context *c, const struct tile_op *o, uint32_t address, unsigned bytes,
                                     bool write)
{
    const struct tile_window *w = window_at(c->tile->windows, address);
    uint32_t offset = w ? address - w->address : 0;
    if (!w || bytes > w->bytes + w->behind - offset)
        return NULL;
    if (write && (!w->writable || offset + bytes > w->bytes))
        tile_raise(c, o, TILE_OUTSIDE, address, "stores to 0x%x, which is %s what the vertex may write", address,
                   w->writable ? "behind" : "not in");
    return w->host + offset;
}

unsigned char *tile_access(struct tile_context *c, const struct tile_op *o, uint32_t address, unsigned bytes,
                           bool write)
{
    const struct tile *tile = c->tile;
    bool inside = address - tile->base <= tile->bytes - bytes, aligned = (address & (bytes - 1)) == 0;
    unsigned char *host = aligned ? through_window(c, o, address, bytes, write) : NULL;
    if (host)
        return host;
    if (!inside || !aligned)
        tile_raise(c, o, TILE_INVALID_ADDR, address, "%s %u bytes at 0x%x, which is %s", write ? "stores" : "loads",
                   bytes, address, aligned ? "outside of the tile's memory" : "not aligned");
    if (tile->allowed)
        check_permissions(c, o, address, bytes, write);
    return tile->memory + (address - tile->base);
}
