/* SPDX-License-Identifier: Apache-2.0 */
#include <gcl/tile_allocation.h>

#include "poplibs/call.h"

enum { IO_TILES = 32, PAIR = 2 };

unsigned gcl_get_min_io_tiles(const pop_graph *graph)
{
    const pop_target *target = pop_graph_target(graph);
    return target ? (unsigned)poplibs_min(IO_TILES, target->tiles_per_ipu) : 0;
}

/* Bit reversal: any prefix of the numbers below 2^bits is evenly distributed after reversing their bits. */
static unsigned reversed(unsigned number, unsigned bits)
{
    unsigned result = 0;
    for (unsigned i = 0; i < bits; ++i)
        result |= (number >> i & 1) << (bits - 1 - i);
    return result;
}

/* All tiles in order of preference. */
static void order_tiles(unsigned tiles, unsigned *order)
{
    unsigned pairs = (tiles + 1) / PAIR, bits = 0, count = 0;
    while (1u << bits < pairs)
        ++bits;
    for (unsigned i = 0; i < 1u << bits; ++i) {
        unsigned pair = reversed(i, bits);
        for (unsigned tile = PAIR * pair; tile < PAIR * pair + PAIR && tile < tiles; ++tile)
            order[count++] = tile;
    }
}

static int ascending(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

bool gcl_per_ipu_tiles_at(pop_where where, pop_graph *graph, unsigned offset, unsigned count, bool sorted, bool pairs,
                          unsigned *tiles)
{
    const struct call call = { .graph = graph, .where = where, .api = "gcl_per_ipu_tiles" };
    if (!call_ready(&call))
        return false;
    unsigned all = pop_graph_target(graph)->tiles_per_ipu;
    if (offset > all || count > all - offset)
        return call_fail(&call, POP_INDEX_ERROR, "%u tiles from the %uth on of an IPU: it has %u tiles", count, offset,
                         all);
    if (pairs && all % PAIR == 0 && (offset % PAIR || count % PAIR))
        return call_fail(&call, POP_INDEX_ERROR, "%u tiles from the %uth on of an IPU: tiles come in pairs", count,
                         offset);
    unsigned *order = poplibs_new(all, sizeof(*order));
    order_tiles(all, order);
    memcpy(tiles, order + offset, count * sizeof(*tiles));
    free(order);
    if (sorted && count)
        qsort(tiles, count, sizeof(*tiles), ascending);
    return true;
}
