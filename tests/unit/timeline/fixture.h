/* SPDX-License-Identifier: Apache-2.0 */
/* Models built by hand, one op for each leaf step. */
#ifndef TEST_TIMELINE_FIXTURE_H
#define TEST_TIMELINE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "timeline/timeline.h"

static inline struct image *model_image(const char *system, unsigned ipus)
{
    struct image *image = image_create();
    assert_int_equal(pop_target_create_ipu(ipus, system, &image->target, NULL), POP_OK);
    *vec_push(&image->model.op_first) = 0;
    return image;
}

/* An op with one leaf step; returns the step. */
static inline uint32_t model_op(struct image *image, unsigned kind, unsigned detail, size_t index)
{
    struct model *m = &image->model;
    *vec_push(&m->steps) =
        (struct model_step){ .kind = (uint8_t)kind, .detail = (uint8_t)detail, .index = (uint32_t)index };
    *vec_push(&m->op_steps) = (uint32_t)m->steps.count - 1;
    *vec_push(&m->op_first) = (uint32_t)m->op_steps.count;
    return (uint32_t)m->steps.count - 1;
}

/* An op without steps. */
static inline uint32_t model_control(struct image *image)
{
    *vec_push(&image->model.op_first) = (uint32_t)image->model.op_steps.count;
    return (uint32_t)image->model.op_first.count - 2;
}

static inline struct model_set *model_add_set(struct image *image)
{
    struct model *m = &image->model;
    struct model_set *set = vec_push(&m->sets);
    *set = (struct model_set){ .first_part = m->parts.count };
    return set;
}

/* Adds to the last set. */
static inline void model_part(struct image *image, uint32_t tile, uint32_t tiles, uint64_t cycles, uint64_t active)
{
    *vec_push(&image->model.parts) = (struct model_part){ tile, tiles, cycles, active };
    ++image->model.sets.data[image->model.sets.count - 1].parts;
}

/* A step that executes the last set. */
static inline uint32_t model_execute(struct image *image)
{
    return model_op(image, MODEL_EXECUTE, 0, image->model.sets.count - 1);
}

/* An exchange step of a kind, without flows. */
static inline uint32_t model_exchange(struct image *image, unsigned kind)
{
    struct model *m = &image->model;
    struct model_exchange exchange = { .first_flow = m->flows.count };
    if (kind == MODEL_EXCHANGE) {
        *vec_push(&m->exchanges) = exchange;
        return model_op(image, kind, 0, m->exchanges.count - 1);
    }
    if (kind == MODEL_GLOBAL_EXCHANGE) {
        *vec_push(&m->global_exchanges) = exchange;
        return model_op(image, kind, 0, m->global_exchanges.count - 1);
    }
    *vec_push(&m->host_exchanges) = exchange;
    return model_op(image, kind, MODEL_STREAM_HOST, m->host_exchanges.count - 1);
}

/* Adds to the last step. */
static inline void model_flow(struct image *image, uint32_t tile, uint32_t tiles, uint64_t sent, uint64_t received,
                              uint64_t cycles)
{
    struct model *m = &image->model;
    const struct model_step *step = m->steps.data + m->steps.count - 1;
    struct model_exchange *exchange = step->kind == MODEL_EXCHANGE          ? m->exchanges.data + step->index
                                      : step->kind == MODEL_GLOBAL_EXCHANGE ? m->global_exchanges.data + step->index
                                                                            : m->host_exchanges.data + step->index;
    *vec_push(&m->flows) =
        (struct model_flow){ .tile = tile, .tiles = tiles, .sent = sent, .received = received, .cycles = cycles };
    ++exchange->flows;
}

/* All ops once, in order. */
static inline struct trace model_run(const struct image *image)
{
    struct trace trace = { 0 };
    trace_begin(&trace, 0);
    trace_end(&trace, (uint32_t)image->model.op_first.count - 1);
    return trace;
}

/* The events of a callback. */
typedef VEC(struct timeline_event) event_list;
static inline void model_keep(void *user, const struct timeline_event *event)
{
    *vec_push((event_list *)user) = *event;
}

static inline void model_close(struct image *image, struct trace *trace, struct timeline *timeline, event_list *events)
{
    timeline_free(timeline);
    trace_free(trace);
    vec_free(events);
    image_release(image);
}

#endif
