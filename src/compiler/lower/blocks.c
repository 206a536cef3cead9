/* SPDX-License-Identifier: Apache-2.0 */
/* blocks: which programs are blocks of lightweight profiling, on which tiles they are recorded, and where records are
 * flushed. */
#include "compiler/lower/blocks.h"
#include "compiler/check/check.h"

#include "base/str.h"

#include <assert.h>
#include <regex.h>

enum { RECORD = 12 /* bytes: an id and a clock */ };

static const struct program_node *node_at(const struct compiler *c, uint32_t node)
{
    return c->store->programs.data[node];
}

/* Compiles the filter of an option; false: it is empty (*good) or broken. */
static bool open_filter(struct compiler *c, const char *key, const char *text, regex_t *filter, bool *good)
{
    if (!*text)
        return false;
    int wrong = regcomp(filter, text, REG_EXTENDED | REG_NOSUB);
    if (!wrong)
        return true;
    char reason[128];
    regerror(wrong, filter, reason, sizeof(reason));
    *good = compiler_fail(c, POP_INVALID_OPTION, 0, NULL, "%s is '%s', which is no regular expression: %s", key, text,
                          reason);
    return false;
}

/* Marks the programs that a filter takes: Block programs, or all others. */
static void mark(const struct compiler *c, const struct use_result *use, const regex_t *filter, bool blocks, bool *of)
{
    for (size_t i = 0; i < use->finished.count; ++i) {
        const struct program_node *n = node_at(c, use->finished.data[i]);
        const char *name = store_name(c->store, n->name);
        if ((n->kind == PROGRAM_BLOCK) == blocks && *name && !regexec(filter, name, 0, NULL, 0))
            of[use->finished.data[i]] = true;
    }
}

static bool is_loop(const struct program_node *n)
{
    return n->kind == PROGRAM_REPEAT || n->kind == PROGRAM_WHILE_TRUE || n->kind == PROGRAM_WHILE_FALSE;
}

/* The innermost loops that blocks run in: at the end of their bodies every tile is at the same place. */
static void find_flushes(const struct compiler *c, const struct use_result *use, struct blocks_result *blocks)
{
    bool *holds = mem_zero(c->store->programs.count + 1, sizeof(*holds)); /* a block that no loop within flushes */
    for (size_t i = 0; i < use->finished.count; ++i) {                    /* children first */
        uint32_t node = use->finished.data[i], child;
        const struct program_node *n = node_at(c, node);
        holds[node] = blocks->of[node];
        for (size_t k = 0; use_child(c, n, k, &child); ++k)
            holds[node] |= child != NO_PROGRAM && holds[child];
        if (is_loop(n) && holds[node]) {
            blocks->flush[node] = true;
            holds[node] = blocks->of[node];
        }
    }
    free(holds);
}

static int by_number(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* profiler.blocks.tile: numbers of tiles of each IPU, separated by commas. */
static bool find_tiles(struct compiler *c)
{
    static const char key[] = "profiler.blocks.tile";
    const pop_target *target = &c->store->target;
    const char *text = c->options->blocks.tiles;
    assert(c->image->model.blocks.count == 1); /* find_buffer has added the number of records */
    for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char number[24];
        uint64_t tile;
        snprintf(number, sizeof(number), "%.*s", (int)strcspn(at, ","), at);
        if (!str_integer(number, UINT32_MAX, &tile))
            return compiler_fail(c, POP_INVALID_OPTION, 0, NULL,
                                 "%s is '%s': it must be numbers of tiles, separated by commas", key, text);
        if (tile >= target->tiles_per_ipu)
            return compiler_fail(c, POP_INVALID_OPTION, 0, NULL, "%s is '%s': an IPU of this target has tiles 0 to %u",
                                 key, text, target->tiles_per_ipu - 1);
        for (unsigned ipu = 0; ipu < target->num_ipus; ++ipu)
            *vec_push(&c->image->model.blocks) = (uint32_t)tile + ipu * target->tiles_per_ipu;
    }
    struct model *model = &c->image->model;
    qsort(model->blocks.data + 1, model->blocks.count - 1, sizeof(uint32_t), by_number);
    size_t kept = 1;
    for (size_t i = 1; i < model->blocks.count; ++i)
        if (kept == 1 || model->blocks.data[kept - 1] != model->blocks.data[i])
            model->blocks.data[kept++] = model->blocks.data[i];
    model->blocks.count = kept;
    return true;
}

static bool find_buffer(struct compiler *c, struct blocks_result *blocks)
{
    static const char key[] = "profiler.blocks.bufferSize";
    int64_t bytes = c->options->blocks.buffer_bytes;
    if (bytes < 2 * RECORD || bytes > c->store->target.bytes_per_tile)
        return compiler_fail(c, POP_INVALID_OPTION, 0, NULL, "%s is %lld: it may be %d to %u bytes (a record takes %d)",
                             key, (long long)bytes, 2 * RECORD, c->store->target.bytes_per_tile, RECORD);
    blocks->buffer = (uint32_t)bytes;
    *vec_push(&c->image->model.blocks) = (uint32_t)bytes / RECORD;
    return true;
}

const struct blocks_result *pass_blocks(struct compiler *c, const struct use_result *use)
{
    const struct block_options *options = &c->options->blocks;
    struct blocks_result *result = ARENA_NEW(&c->arena, struct blocks_result);
    regex_t blocks, programs;
    bool good = true;
    if (!c->modelled)
        return result;
    bool some = open_filter(c, "profiler.blocks.filter", options->blocks_filter, &blocks, &good);
    bool others = good && open_filter(c, "profiler.programs.filter", options->programs_filter, &programs, &good);
    if (some || others) {
        result->of = arena_zero(&c->arena, c->store->programs.count + 1, sizeof(*result->of));
        result->flush = arena_zero(&c->arena, c->store->programs.count + 1, sizeof(*result->flush));
        if (some)
            mark(c, use, &blocks, true, result->of);
        if (others)
            mark(c, use, &programs, false, result->of);
        good = good && find_buffer(c, result) && find_tiles(c);
        if (options->implicit_flush)
            find_flushes(c, use, result);
    }
    if (some)
        regfree(&blocks);
    if (others)
        regfree(&programs);
    return good ? result : NULL;
}
