/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/step_parts.h"

static const char *const types[] = {
#define MODEL_KIND(constant, tag) [MODEL_##constant] = tag,
#include "image/model_kinds.def"
#undef MODEL_KIND
};

enum { EXCHANGE = 1 << PART_SYNC | 1 << PART_STEP, ANSWERED = EXCHANGE | 1 << PART_SANS | 1 << PART_SYNC_ANS };
enum { STREAM_COPY = 1 << PART_BEGIN | 1 << PART_STEP | 1 << PART_END };

uint8_t step_parts(const struct image *image, uint32_t step)
{
    switch (image->model.steps.data[step].kind) {
    case MODEL_STREAM_COPY:
        return STREAM_COPY;
    case MODEL_EXCHANGE:
    case MODEL_GLOBAL_EXCHANGE:
        return timeline_answering(image, step) ? ANSWERED : EXCHANGE;
    default:
        return 1 << PART_STEP;
    }
}

uint8_t *step_parts_all(const struct image *image)
{
    uint8_t *parts = mem_zero(image->model.steps.count + 1, sizeof(*parts));
    for (uint32_t i = 0; i < image->model.steps.count; ++i)
        parts[i] = step_parts(image, i);
    return parts;
}

unsigned step_parts_count(uint8_t parts)
{
    unsigned count = 0;
    for (; parts; parts >>= 1)
        count += parts & 1;
    return count;
}

const char *step_part_type(const struct model_step *step, enum step_part part)
{
    static const char *const names[] = { [PART_SANS] = "Sans",        [PART_SYNC] = "Sync",
                                         [PART_SYNC_ANS] = "SyncAns", [PART_BEGIN] = "StreamCopyBegin",
                                         [PART_STEP] = NULL,          [PART_END] = "StreamCopyEnd" };
    if (names[part])
        return names[part];
    if (step->mark == MODEL_BLOCK)
        return "Block";
    return step->kind == MODEL_STREAM_COPY ? "StreamCopyMid" : types[step->kind];
}

static const char *sync_detail(unsigned detail)
{
    return detail == MODEL_SYNC_EXTERNAL ? "External" : "Internal";
}

const char *step_part_detail(const struct model_step *step, enum step_part part)
{
    static const char *const streams[] = {
        [MODEL_STREAM_HOST] = "Host", [MODEL_STREAM_REMOTE] = "RemoteBuffer", [MODEL_STREAM_MIXED] = "Mixed"
    };
    if (part == PART_SANS || part == PART_SYNC || part == PART_SYNC_ANS)
        return sync_detail(step->kind == MODEL_GLOBAL_EXCHANGE ? MODEL_SYNC_EXTERNAL : MODEL_SYNC_INTERNAL);
    if (part != PART_STEP)
        return NULL;
    return step->kind == MODEL_SYNC                                                ? sync_detail(step->detail)
           : step->kind == MODEL_STREAM_COPY && step->detail <= MODEL_STREAM_MIXED ? streams[step->detail]
                                                                                   : NULL;
}

uint8_t step_parts_of_event(uint8_t parts, const struct timeline_event *event, bool *held)
{
    switch (event->kind) {
    case MODEL_EXECUTE:
    case MODEL_EXCHANGE:
    case MODEL_GLOBAL_EXCHANGE:
    case MODEL_STREAM_COPY:
        return 1 << PART_STEP;
    case MODEL_SYNC:
        break;
    default:
        return 0;
    }
    if (event->phase == TIMELINE_WHOLE)
        return 1 << PART_STEP;
    if (event->phase == TIMELINE_BEGIN)
        return parts & (uint8_t)(1 << PART_SANS | 1 << PART_SYNC | 1 << PART_SYNC_ANS | 1 << PART_BEGIN);
    *held = !*held;
    return *held ? 0 : 1 << PART_END;
}
