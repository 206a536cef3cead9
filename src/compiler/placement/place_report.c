/* SPDX-License-Identifier: Apache-2.0 */
/* Messages and files about placement: tiles that are out of memory, and debug.loweredVarDumpFile. */
#include "compiler/placement/place.h"
#include "compiler/placement/placement.h"

#include "base/file.h"
#include "base/log.h"
#include "base/str.h"

#include <inttypes.h>

static const char *const categories[] = {
#define MODEL_CATEGORY(constant, name) name,
#include "image/model_categories.def"
#undef MODEL_CATEGORY
};

const char *place_block_name(const struct place *p, const struct fit_block *block)
{
    switch (block->kind) {
    case PLACE_VARIABLE:
        return image_string(p->c->image, live_variable_name(p->c, p->live, block->what));
    case PLACE_BUFFER:
        return image_string(p->c->image, p->live->buffers.data[block->what].name);
    default:
        return categories[block->what];
    }
}

/* ---- out of memory ---- */

enum { WORST_TILES = 3 };

static const struct model_tile *tile_of(const struct place *p, uint32_t tile)
{
    return &p->layouts.data[p->layout_of[tile]].result.tile;
}

/* The tiles that need most, and how many are out of memory. */
static uint32_t worst_tiles(const struct place *p, uint32_t worst[WORST_TILES], uint32_t *known)
{
    uint32_t count = 0;
    *known = 0;
    for (uint32_t tile = 0; tile < p->sizes.tiles; ++tile) {
        if (!tile_of(p, tile)->bytes[MODEL_OVERFLOWED])
            continue;
        ++count;
        uint32_t at = *known < WORST_TILES ? (*known)++ : WORST_TILES;
        for (; at && tile_of(p, worst[at - 1])->total_with_gaps < tile_of(p, tile)->total_with_gaps; --at)
            if (at < WORST_TILES)
                worst[at] = worst[at - 1];
        if (at < WORST_TILES)
            worst[at] = tile;
    }
    return count;
}

static void add_largest(const struct place *p, uint32_t tile, struct str *text)
{
    size_t largest[WORST_TILES], known = 0;
    for (size_t i = p->first[tile]; i < p->first[tile + 1]; ++i) {
        size_t at = known < WORST_TILES ? known++ : WORST_TILES;
        for (; at && p->blocks.data[largest[at - 1]].bytes < p->blocks.data[i].bytes; --at)
            if (at < WORST_TILES)
                largest[at] = largest[at - 1];
        if (at < WORST_TILES)
            largest[at] = i;
    }
    for (size_t i = 0; i < known; ++i)
        str_format(text, "%s'%s' (%" PRIu64 " bytes)", i ? ", " : "", place_block_name(p, &p->blocks.data[largest[i]]),
                   p->blocks.data[largest[i]].bytes);
}

/* On a modelled device, programs that exceed tile memory run with a warning, as in Poplar; on other devices, or if the
 * option is set, it is an error. */
static bool may_overflow(const struct compiler *c)
{
    enum option_choice choice = c->options->allow_out_of_memory;
    return choice == OPTION_UNSET ? c->store->target.type == POP_TARGET_IPU_MODEL : choice == OPTION_TRUE;
}

/* Where the largest variable on a tile was added: the line to begin with; 0 when there is none. */
static uint32_t where_largest(const struct place *p, uint32_t tile)
{
    const struct fit_block *largest = NULL;
    for (size_t i = p->first[tile]; i < p->first[tile + 1]; ++i)
        if (p->blocks.data[i].kind == PLACE_VARIABLE && (!largest || p->blocks.data[i].bytes > largest->bytes))
            largest = &p->blocks.data[i];
    return largest ? p->c->store->variables.data[largest->what].where : 0;
}

bool place_check_memory(struct place *p)
{
    uint32_t worst[WORST_TILES], known, count = worst_tiles(p, worst, &known);
    struct str text = { 0 };
    bool good = may_overflow(p->c);
    if (!count)
        return true;
    str_format(&text, "%" PRIu32 " %s out of memory: ", count, count == 1 ? "tile is" : "tiles are");
    for (uint32_t i = 0; i < known; ++i)
        str_format(&text, "%stile %" PRIu32 " needs %" PRIu64 " bytes of %" PRIu64, i ? ", " : "", worst[i],
                   tile_of(p, worst[i])->total_with_gaps, p->memory.bytes);
    str_format(&text, "; the largest on tile %" PRIu32 " are ", worst[0]);
    add_largest(p, worst[0], &text);
    if (good)
        LOG(COMPILER, WARN, "%s", str_text(&text));
    else
        compiler_fail(p->c, POP_GRAPH_MEMORY_ALLOCATION_ERROR, where_largest(p, worst[0]), NULL,
                      "%s; map variables to more tiles, or set debug.allowOutOfMemory to true and look at the profile",
                      str_text(&text));
    str_free(&text);
    return good;
}

/* ---- lowered variables ---- */

enum { INTERFERENCE_MAX = 4096, FETCH_DELAY = 64 /* in instructions, as published for the first IPU */ };

static void add_quoted(struct str *out, const char *text)
{
    str_add(out, "\"");
    for (; *text; ++text) {
        if (*text == '"' || *text == '\\')
            str_format(out, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            str_format(out, "\\u%04x", (unsigned)*text);
        else
            str_add_bytes(out, text, 1);
    }
    str_add(out, "\"");
}

static void dump_target(const struct place *p, struct str *out)
{
    uint64_t end = 0;
    str_format(out,
               "{\"numTiles\":%" PRIu32 ",\"targetMemoryInfo\":{\"tileMemory\":%" PRIu64
               ",\"interleavedMemoryStart\":%" PRIu64 ",\"memoryElementOffsets\":[",
               p->sizes.tiles, p->memory.bytes, p->memory.start);
    for (uint64_t at = 0; at < p->memory.bytes; at = end) {
        str_format(out, "%s%" PRIu64, at ? "," : "", at);
        (void)fit_element(&p->memory, at, &end);
    }
    str_format(out, "],\"supervisorInstrFetchDelay\":%d},\n\"vars\":[", FETCH_DELAY);
}

/* Blocks that the block must not share an element with. */
static void dump_constraints(const struct place *p, uint32_t tile, uint32_t block, struct str *out)
{
    bool any = false;
    str_add(out, ",\"elementConstraints\":[");
    for (size_t i = p->first_pair[tile]; i < p->first_pair[tile + 1]; ++i)
        if (p->pairs[i].a == block || p->pairs[i].b == block) {
            uint32_t other = p->pairs[i].a == block ? p->pairs[i].b : p->pairs[i].a;
            str_format(out, "%s%zu", any ? "," : "", p->first[tile] + other);
            any = true;
        }
    str_add(out, "],\"equalAddressConstraints\":[]");
}

static void dump_block(const struct place *p, uint32_t tile, uint32_t index, struct str *out)
{
    size_t var = p->first[tile] + index;
    const struct fit_block *block = &p->blocks.data[var];
    uint64_t offset = p->layouts.data[p->layout_of[tile]].address[index];
    bool code = block->where == FIT_CODE;
    str_format(out, "%s{\"var\":%zu,\"info\":{\"allocated\":%s,\"tile\":%" PRIu32 ",\"name\":", var ? ",\n" : "", var,
               offset + block->bytes <= p->memory.bytes ? "true" : "false", tile);
    add_quoted(out, place_block_name(p, block));
    str_format(out,
               ",\"sizeBytes\":%" PRIu64 ",\"alignment\":%" PRIu32 ",\"offset\":%" PRIu64
               ",\"category\":\"%s\",\"isConstant\":%s,\"alwaysLive\":%s",
               block->bytes, block->alignment, offset, categories[block->category],
               block->category == MODEL_CONSTANT_CATEGORY ? "true" : "false",
               block->class == LIVE_ALWAYS ? "true" : "false");
    str_format(out,
               ",\"executable\":%s,\"vertexCode\":%s,\"lowest256KB\":%s,\"equivalenceClass\":%" PRIu32
               ",\"inInterleavedMem\":%s",
               code ? "true" : "false", block->category == MODEL_VERTEX_CODE_CATEGORY ? "true" : "false",
               offset + block->bytes <= 262144 ? "true" : "false", block->class,
               offset >= p->memory.start && offset < p->memory.bytes ? "true" : "false");
    dump_constraints(p, tile, index, out);
    str_add(out, "}}");
}

/* By class, the classes that are live together with it; empty for very many classes. */
static void dump_interference(const struct place *p, struct str *out)
{
    const struct live *live = p->live;
    uint32_t count = live->classes.count > INTERFERENCE_MAX ? 0 : (uint32_t)live->classes.count;
    str_add(out, "],\n\"equivalenceClassInterference\":[");
    for (uint32_t a = 0; a < count; ++a) {
        bool any = false;
        str_add(out, a ? ",[" : "[");
        for (uint32_t b = 0; b < count; ++b)
            if (b != a && fit_meet(live, a, b)) {
                str_format(out, "%s%" PRIu32, any ? "," : "", b);
                any = true;
            }
        str_add(out, "]");
    }
}

struct placed_block {
    uint64_t offset;
    size_t var;
};

static int by_offset(const void *left, const void *right)
{
    const struct placed_block *a = left, *b = right;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return a->var < b->var ? -1 : a->var > b->var;
}

/* By address. */
static void dump_order(const struct place *p, uint32_t tile, struct str *out)
{
    size_t count = p->first[tile + 1] - p->first[tile];
    struct placed_block *blocks = mem_alloc((count + 1) * sizeof(*blocks));
    for (size_t i = 0; i < count; ++i)
        blocks[i] = (struct placed_block){ p->layouts.data[p->layout_of[tile]].address[i], p->first[tile] + i };
    if (count)
        qsort(blocks, count, sizeof(*blocks), by_offset);
    str_add(out, tile ? ",[" : "[");
    for (size_t i = 0; i < count; ++i)
        str_format(out, "%s%zu", i ? "," : "", blocks[i].var);
    str_add(out, "]");
    free(blocks);
}

bool place_dump(struct place *p)
{
    struct compiler *c = p->c;
    const char *path = c->options->lowered_variables_file, *ending = strrchr(path, '.');
    struct str out = { 0 };
    pop_error error = { 0 };
    if (!*path)
        return true;
    if (!ending || strcmp(ending, ".json") != 0)
        LOG(COMPILER, WARN, "debug.loweredVarDumpFile is '%s': it is written as JSON, the one format that there is",
            path);
    dump_target(p, &out);
    for (uint32_t tile = 0; tile < p->sizes.tiles; ++tile)
        for (uint32_t i = 0; i < p->first[tile + 1] - p->first[tile]; ++i)
            dump_block(p, tile, i, &out);
    dump_interference(p, &out);
    str_add(&out, "],\n\"allocationOrderByTile\":[");
    for (uint32_t tile = 0; tile < p->sizes.tiles; ++tile)
        dump_order(p, tile, &out);
    str_add(&out, "]}\n");
    pop_status status = file_write(path, out.text, out.length, &error);
    str_free(&out);
    return status == POP_OK || compiler_fail(c, status, 0, NULL, "debug.loweredVarDumpFile: %s", error.text);
}
