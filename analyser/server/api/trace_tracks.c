/* SPDX-License-Identifier: Apache-2.0 */
/* Tracks beside the lanes of IPUs: live memory, and blocks of lightweight profiling. */
#include "trace.h"

#include <math.h>

static unsigned pixel_of(const struct window *window, double cycle)
{
    double width = (window->to - window->from) / window->pixels,
           at = width > 0 ? floor((cycle - window->from) / width) : 0;
    return at < 0 ? 0 : at >= window->pixels ? window->pixels - 1 : (unsigned)at;
}

/* The most that is live, of all pixels that a time reaches over. */
static void raise(const struct window *window, float *live, double from, double to, double bytes)
{
    if (to < window->from || from > window->to)
        return;
    for (unsigned pixel = pixel_of(window, from), last = pixel_of(window, to); pixel <= last; ++pixel)
        live[pixel] = (float)bytes > live[pixel] ? (float)bytes : live[pixel];
}

pop_status trace_memory(const struct request *request, struct answer *answer, pop_error *error)
{
    struct window window;
    if (!window_of(request, &window, error))
        return error->status;
    const struct lod *lod = window.lod;
    float *live = mem_zero(window.pixels, sizeof(*live));
    double width = (window.to - window.from) / window.pixels, most = 0;
    for (uint64_t i = lod_first_bucket(lod, window.ipu, window.from);
         lod->ipus && i < lod->buckets && lod_bucket(lod, window.ipu, i)->begin <= window.to; ++i) {
        const struct bucket *bucket = lod_bucket(lod, window.ipu, i);
        if (bucket->from > bucket->to)
            continue;
        if (bucket->to - bucket->from < width) {
            raise(&window, live, bucket->from, bucket->to, bucket->live);
            continue;
        }
        uint64_t first = i * BUCKET_STEPS, end = first + BUCKET_STEPS < lod->steps ? first + BUCKET_STEPS : lod->steps;
        for (uint64_t step = first; step < end; ++step) {
            double from, to;
            if (lod_extent(lod, step, window.ipu, &from, &to))
                raise(&window, live, from, to, lod->of_program[lod->program[step]].live);
        }
    }
    for (uint32_t i = 0; i < lod->programs; ++i)
        most = lod->of_program[i].live > most ? lod->of_program[i].live : most;
    answer_column(answer, "live", COLUMN_F32, live, window.pixels);
    answer_meta(answer, json_pack("{s:f, s:f, s:f, s:f}", "from", window.from, "to", window.to, "alwaysLive",
                                  lod->always_live, "max", most));
    free(live);
    window_free(&window);
    return POP_OK;
}

enum { BLOCK_STREAM_COPY = 1 }; /* of block_kinds */
static const char *const block_kinds[] = { "Common", "StreamCopy", "Flush", "Overflow", "Unknown" };

/* The tiles whose blocks a call is about: one, or (io) those of its IPU that have stream copies alone.  By tile. */
static bool *tiles_asked(const struct lod *lod, uint64_t tile, bool io)
{
    uint64_t tiles = (uint64_t)lod->ipus * lod->tiles_per_ipu;
    bool *asked = mem_zero(tiles + 1, sizeof(*asked));
    if (!io) {
        asked[tile < tiles ? tile : tiles] = true;
        return asked;
    }
    uint64_t first = tile / lod->tiles_per_ipu * lod->tiles_per_ipu;
    for (uint64_t i = first; i < first + lod->tiles_per_ipu && i < tiles; ++i)
        asked[i] = true;
    for (uint64_t i = 0; i < lod->blocks; ++i)
        if (lod->block[i].tile < tiles && lod->block[i].kind != BLOCK_STREAM_COPY)
            asked[lod->block[i].tile] = false;
    return asked;
}

/* Blocks of a tile in a window; those that are smaller than a pixel stand for all of their pixel, row and kind. */
pop_status trace_blocks(const struct request *request, struct answer *answer, pop_error *error)
{
    struct window window;
    uint64_t tile, io;
    if (!request_uint(request, "tile", 0, &tile, error) || !request_uint(request, "io", 0, &io, error) ||
        !window_of(request, &window, error))
        return error->status;
    const struct lod *lod = window.lod;
    double width = (window.to - window.from) / window.pixels;
    VEC(double) from = { 0 }, to = { 0 };
    VEC(uint32_t) label = { 0 }, count = { 0 }, lost = { 0 };
    VEC(uint8_t) kind = { 0 }, row = { 0 };
    struct labels labels = { 0 };
    bool *asked = tiles_asked(lod, tile, io);
    uint32_t *small = mem_zero((size_t)window.pixels * 64, sizeof(*small)); /* 1 + index by pixel and row */
    for (uint64_t i = 0; i < lod->blocks; ++i) {
        const struct lod_block *block = &lod->block[i];
        if (!asked[block->tile])
            continue;
        double begin = block->from < 0 ? block->to : block->from, end = block->to < 0 ? begin : block->to;
        if (end < window.from || begin > window.to)
            continue;
        uint32_t *same = &small[(size_t)pixel_of(&window, (begin + end) / 2) * 64 + (block->row & 63)];
        if (end - begin < width && *same && kind.data[*same - 1] == block->kind) {
            uint32_t at = *same - 1;
            to.data[at] = end > to.data[at] ? end : to.data[at];
            ++count.data[at];
            lost.data[at] += block->lost;
            continue;
        }
        uint32_t name =
            block->program < lod->programs ? labels_of(&labels, lod, lod->of_program[block->program].leaf) : UINT32_MAX;
        /* Tiles take part in the same copies: one rectangle for a copy. */
        size_t equal = io ? 0 : from.count;
        while (equal < from.count && (label.data[equal] != name || begin > to.data[equal] || end < from.data[equal]))
            ++equal;
        if (equal < from.count) {
            from.data[equal] = begin < from.data[equal] ? begin : from.data[equal];
            to.data[equal] = end > to.data[equal] ? end : to.data[equal];
            ++count.data[equal];
            continue;
        }
        *(double *)vec_push(&from) = begin;
        *(double *)vec_push(&to) = end;
        *(uint32_t *)vec_push(&label) = name;
        *(uint32_t *)vec_push(&count) = 1;
        *(uint32_t *)vec_push(&lost) = block->lost;
        *(uint8_t *)vec_push(&kind) = (uint8_t)(block->kind | (block->from < 0 ? 16 : 0) | (block->to < 0 ? 32 : 0));
        *(uint8_t *)vec_push(&row) = block->row;
        if (end - begin < width)
            *same = (uint32_t)from.count;
    }
    free(small);
    free(asked);
    json_t *names = json_array();
    for (size_t i = 0; i < sizeof(block_kinds) / sizeof(block_kinds[0]); ++i)
        json_array_append_new(names, json_string(block_kinds[i]));
    answer_column(answer, "from", COLUMN_F64, from.data, from.count);
    answer_column(answer, "to", COLUMN_F64, to.data, to.count);
    answer_column(answer, "label", COLUMN_U32, label.data, label.count);
    answer_column(answer, "count", COLUMN_U32, count.data, count.count);
    answer_column(answer, "lost", COLUMN_U32, lost.data, lost.count);
    answer_column(answer, "kind", COLUMN_U8, kind.data, kind.count);
    answer_column(answer, "row", COLUMN_U8, row.data, row.count);
    labels_answer(&labels, answer, "labels");
    answer_meta(answer, json_pack("{s:f, s:f, s:I, s:o}", "from", window.from, "to", window.to, "tile",
                                  (json_int_t)tile, "kinds", names));
    vec_free(&from);
    vec_free(&to);
    vec_free(&label);
    vec_free(&count);
    vec_free(&lost);
    vec_free(&kind);
    vec_free(&row);
    window_free(&window);
    return POP_OK;
}
