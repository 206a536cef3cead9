/* SPDX-License-Identifier: Apache-2.0 */
/* The guide's listing of steps (Profiling): the same steps, their cycles calculated by the rules, on the timeline. */
#include "anchors.h"
#include "patterns.h"

#include "target/cost.h"
#include "timeline/timeline.h"

#include <stdio.h>

static void add_step(struct image *image, unsigned kind, uint32_t index)
{
    struct model *m = &image->model;
    *vec_push(&m->steps) = (struct model_step){ .kind = (uint8_t)kind, .index = index };
    *vec_push(&m->op_steps) = (uint32_t)m->steps.count - 1;
    *vec_push(&m->op_first) = (uint32_t)m->op_steps.count;
}

static void add_flows(struct image *image, unsigned kind, uint32_t tiles, const uint64_t *cycles, uint64_t each)
{
    struct model *m = &image->model;
    struct model_exchange exchange = { .first_flow = m->flows.count, .flows = tiles };
    for (uint32_t tile = 0; tile < tiles; ++tile)
        *vec_push(&m->flows) = (struct model_flow){ .tile = tile, .tiles = 1, .cycles = cycles ? cycles[tile] : each };
    if (kind == MODEL_EXCHANGE) {
        *vec_push(&m->exchanges) = exchange;
        add_step(image, kind, (uint32_t)m->exchanges.count - 1);
    } else {
        *vec_push(&m->host_exchanges) = exchange;
        add_step(image, kind, (uint32_t)m->host_exchanges.count - 1);
    }
}

/* 98 x 4 supervisor vertices; those of the last 6 of 30 outputs take less: 98 x (3 x 999 + 931) = 384,944 in all. */
static void add_compute(struct image *image)
{
    struct model *m = &image->model;
    *vec_push(&m->sets) = (struct model_set){ .first_part = m->parts.count, .parts = CONV_TILES };
    for (uint32_t tile = 0; tile < CONV_TILES; ++tile) {
        uint64_t cycles = tile % 4 == 3 ? 931 : 999;
        *vec_push(&m->parts) = (struct model_part){ tile, 1, cycles, cycles };
    }
    add_step(image, MODEL_EXECUTE, (uint32_t)m->sets.count - 1);
}

static struct image *make_listing(void)
{
    struct image *image = image_create();
    pop_error error = { 0 };
    uint64_t cycles[MK1_TILES];
    const pop_target *target = &image->target;
    anchor_must(pop_target_create_ipu(1, "ipu1", &image->target, &error), &error);
    *vec_push(&image->model.op_first) = 0;
    add_flows(image, MODEL_STREAM_COPY, 1, NULL, cost_host_exchange(target, 4, 1));
    add_flows(image, MODEL_STREAM_COPY, 1, NULL, cost_host_exchange(target, 8, 2));
    pattern_broadcast(target, cycles);
    add_flows(image, MODEL_EXCHANGE, MK1_TILES, cycles, 0);
    add_flows(image, MODEL_STREAM_COPY, 1, NULL, cost_host_exchange(target, 4, 1));
    add_flows(image, MODEL_STREAM_COPY, CONV_TILES, NULL, cost_host_exchange(target, 50244, 404));
    pattern_convolution(target, cycles);
    add_flows(image, MODEL_EXCHANGE, CONV_TILES, cycles, 0);
    add_compute(image);
    return image;
}

static const struct {
    const char *name;
    double from, to, cycles, overlapped;
} published[] = {
    { "StreamCopy, 4 bytes", 118, 118, 7, -1 },
    { "StreamCopy, 8 bytes", 472, 472, 9, -1 },
    { "DoExchange switchControlBroadcast13/ExchangePre", 826, 946, 120, 0 },
    { "StreamCopy, 4 bytes", 1064, 1064, 7, -1 },
    { "StreamCopy, 50,244 bytes to 392 tiles", 1418, 12098, 10700, -1 },
    { "DoExchange Layer1/Fwd/Conv_1/Convolve/ExchangePre", 12432, 12581, 169, 20 },
    { "OnTileExecute Layer1/Fwd/Conv_1/Convolve", 12581, 13580, 999, 0 },
};

static void add_event(void *user, const struct timeline_event *event)
{
    size_t *row = user;
    char figure[100];
    if (event->kind == MODEL_SYNC || *row >= sizeof(published) / sizeof(published[0]))
        return;
    snprintf(figure, sizeof(figure), "%s: from", published[*row].name);
    anchor(figure, published[*row].from, (double)event->from, 0, NULL);
    anchor("  to", published[*row].to, (double)event->to, 0, NULL);
    anchor("  cycles", published[*row].cycles, (double)event->cycles, 0, NULL);
    if (published[*row].overlapped >= 0)
        anchor("  overlapped", published[*row].overlapped, (double)event->overlapped, 0, NULL);
    ++*row;
}

void anchors_listing(void)
{
    struct image *image = make_listing();
    struct trace trace = { 0 };
    struct timeline timeline;
    size_t row = 0;
    anchor_part("The guide's listing of steps, Mk1", ANCHOR_PUBLISHED);
    trace_begin(&trace, 0);
    trace_end(&trace, (uint32_t)image->model.op_first.count - 1);
    timeline_make(&timeline, image, &trace, add_event, &row);
    anchor("steps in the listing", 7, (double)row, 0, NULL);
    anchor("active cycles of the convolution", 384944, (double)timeline.sum.active_compute, 0, NULL);
    anchor("host exchange cycles, all tiles", 4194423, (double)timeline.sum.stream_copy, 0, NULL);
    timeline_free(&timeline);
    trace_free(&trace);
    image_release(image);
}
