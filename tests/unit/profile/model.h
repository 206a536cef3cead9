/* SPDX-License-Identifier: Apache-2.0 */
/* A small image with a model in which every table has entries, built by hand: four tiles; a program that sends a word
 * to all, runs two kinds of vertices in a loop and copies to the host. */
#ifndef TESTS_PROFILE_MODEL_H
#define TESTS_PROFILE_MODEL_H

#include "image/image.h"
#include "timeline/trace.h"

#include <stdio.h>

static uint32_t text_in(struct image *image, const char *text)
{
    size_t at = image->strings.count, length = strlen(text) + 1;
    memcpy(vec_extend(&image->strings, length), text, length);
    return (uint32_t)at;
}

#define ADD(table, ...)                                                                                                \
    do {                                                                                                               \
        __typeof__((table).data) place_ = vec_push(&(table));                                                          \
        *place_ = (__typeof__(*place_))__VA_ARGS__;                                                                    \
    } while (0)
#define ADD_ALL(table, ...)                                                                                            \
    do {                                                                                                               \
        const __typeof__(*(table).data) list_[] = { __VA_ARGS__ };                                                     \
        memcpy(vec_extend(&(table), sizeof(list_) / sizeof(list_[0])), list_, sizeof(list_));                          \
    } while (0)

/* Steps: 0 Sequence {1 DoExchange, 2 Sync, 3 Repeat {4 OnTileExecute}, 5 Call 0, 6 StreamCopy}; function 0: 7 Sequence
 * {8 WriteUndef}. */
static inline struct image *small_image(pop_target_type type)
{
    struct image *image = image_create();
    struct model *m = &image->model;
    pop_target_from_text("ipu2 tiles=4", &image->target, NULL);
    image->target.type = type;
    uint32_t set = text_in(image, "Layer/Convolve"), sum = text_in(image, "Sum"),
             copy = text_in(image, "poplar_rt::ShortMemcpy");
    uint32_t pre = text_in(image, "/ExchangePre"), weights = text_in(image, "weights"), stack = text_in(image, "stack");
    ADD_ALL(m->steps, { .kind = MODEL_SEQUENCE, .first_child = 0, .children = 5 },
            { .kind = MODEL_EXCHANGE, .name = pre }, { .kind = MODEL_SYNC, .detail = MODEL_SYNC_EXTERNAL },
            { .kind = MODEL_REPEAT, .first_child = 5, .children = 1 }, { .kind = MODEL_EXECUTE, .name = set },
            { .kind = MODEL_CALL }, { .kind = MODEL_STREAM_COPY },
            { .kind = MODEL_SEQUENCE, .first_child = 6, .children = 1 }, { .kind = MODEL_WRITE_UNDEF });
    ADD_ALL(m->children, 1, 2, 3, 5, 6, 4, 8);
    ADD_ALL(m->controls, 0);
    ADD_ALL(m->functions, 7);
    ADD_ALL(m->types, { sum, 12, MODEL_COUNTED }, { copy, 8, MODEL_GIVEN });
    ADD_ALL(m->parts, { 1, 2, 600, 100 }, { 3, 1, 30, 30 });
    ADD_ALL(m->shares, { 1, 1, 30, 0 }, { 0, 2, 200, 0 });
    ADD(m->sets, { .name = set, .parts = 2, .shares = 2 });
    ADD_ALL(m->vertices, { 0, 0, 600 }, { 0, 0, 600 }, { 0, 1, 30 });
    ADD_ALL(m->flows, { .tile = 0, .tiles = 1, .sent = 4, .cycles = 20, .code_bytes = 8 },
            { .tile = 1, .tiles = 3, .received = 4, .cycles = 30, .code_bytes = 12 },
            { .tile = 2, .tiles = 1, .sent = 400, .cycles = 84 });
    ADD(m->exchanges,
        { .name = pre, .flows = 2, .instructions = { [MODEL_DELAY_INSTRUCTION] = 24, [MODEL_SEND_INSTRUCTION] = 8 } });
    ADD(m->host_exchanges, { .flows = 1, .first_flow = 2 });
    ADD_ALL(m->graph_counts, 1, 9, 3, 3);
    ADD(m->metrics, { text_in(image, "steps"), 9 });
    for (unsigned i = 0; i < 4; ++i)
        ADD(m->tiles, { .bytes = { 100, i == 3 ? 50 : 0, 0 },
                        .with_gaps = { 120, i == 3 ? 64 : 0, 0 },
                        .total_with_gaps = i == 3 ? 4096 : 120,
                        .always_live = 60,
                        .max_live = 40 });
    ADD_ALL(m->uses, { MODEL_STACK_CATEGORY, MODEL_NON_INTERLEAVED, 0, 0, 4, 60 },
            { MODEL_VARIABLE_CATEGORY, MODEL_NON_INTERLEAVED, MODEL_OVERLAPPED, 0, 4, 40 },
            { MODEL_VARIABLE_CATEGORY, MODEL_NON_INTERLEAVED, MODEL_SHARED, 0, 4, 40 },
            { MODEL_VARIABLE_CATEGORY, MODEL_INTERLEAVED, 0, 3, 1, 50 });
    ADD_ALL(m->set_vertices, { 0, 1, 2, 40, 0, 4, 8, 2, 12 }, { 0, 3, 1, 20, 4, 0, 4, 0, 8 });
    ADD_ALL(m->type_vertices, { 0, 1, 2, 40, 0, 4, 8, 2, 12 }, { 1, 3, 1, 20, 4, 0, 4, 0, 8 });
    ADD_ALL(m->live, { stack, 240 }, { weights, 120 }, { stack, 40 }, { weights, 120 });
    ADD_ALL(m->live_lists, { 0, 1, 240 }, { 1, 1, 120 }, { 2, 2, 160 });
    ADD_ALL(m->step_live, 0, 1, 0, 0, 2, 0, 1, 0, 1);
    /* Ops: 0 sends and syncs, 1 is the loop's body, 2 the function's, 3 the host copy. */
    ADD_ALL(m->op_first, 0, 2, 3, 4, 5);
    ADD_ALL(m->op_steps, 1, 2, 4, 8, 6);
    return image;
}

/* A run of it with three iterations of the loop. */
static inline struct trace small_trace(void)
{
    struct trace trace = { 0 };
    ADD_ALL(trace.entries, { TRACE_RUN, 4, 1 }, { 0, 1, 0 }, { TRACE_ITERATION, 1, 3 }, { 1, 1, 0 }, { 2, 2, 0 });
    return trace;
}

#endif
