/* SPDX-License-Identifier: Apache-2.0 */
/* The rectangles of a window, at most two for each pixel: steps at least a pixel wide are drawn individually,
 * narrower ones are summed up for each pixel. */
#include "drawing.h"

#include <math.h>

static struct spot *spot_at(struct drawing *drawing, unsigned depth, double from, double to)
{
    double begin = from > drawing->window.from ? from : drawing->window.from,
           end = to < drawing->window.to ? to : drawing->window.to,
           at = drawing->width > 0 ? floor(((begin + end) / 2 - drawing->window.from) / drawing->width) : 0;
    unsigned pixels = drawing->window.pixels, pixel = at < 0 ? 0 : at >= pixels ? pixels - 1 : (unsigned)at;
    uint32_t *spot = &drawing->spot_of[(size_t)depth * pixels + pixel];
    if (!*spot) {
        *vec_push(&drawing->spots) = (struct spot){ .count = 0 };
        *spot = (uint32_t)drawing->spots.count;
    }
    return &drawing->spots.data[*spot - 1];
}

static void widen(struct spot *spot, double from, double to)
{
    spot->from = spot->count == 0 || from < spot->from ? from : spot->from;
    spot->to = spot->count == 0 || to > spot->to ? to : spot->to;
}

/* Adds a rectangle narrower than a pixel to its spot. */
static void add_small(struct drawing *drawing, const struct rectangle *small)
{
    struct spot *spot = spot_at(drawing, small->depth, small->from, small->to);
    widen(spot, small->from, small->to);
    spot->count += small->count;
    spot->matches += small->matches;
    spot->step = small->step;
    spot->node = small->node;
    spot->kind = small->kind;
    spot->sum += is_sync(small->kind) ? 0 : small->sum;
    spot->max += is_sync(small->kind) ? 0 : small->max;
    if (small->kind < KINDS)
        spot->cycles[small->kind] += (float)(small->to - small->from);
}

void draw_bucket(struct drawing *drawing, const struct bucket *bucket, unsigned depth)
{
    struct spot *spot = spot_at(drawing, depth, bucket->from, bucket->to);
    double sum = 0, max = 0;
    uint32_t count = 0;
    for (unsigned kind = 0; kind < KINDS; ++kind) {
        if (window_hides(&drawing->window, kind))
            continue;
        spot->cycles[kind] += (float)bucket->cycles[kind];
        count += bucket->count[kind];
        sum += is_sync(kind) ? 0 : bucket->sum[kind];
        max += is_sync(kind) ? 0 : bucket->cycles[kind];
    }
    if (!count)
        return;
    widen(spot, bucket->from, bucket->to);
    spot->count += count;
    spot->step = UINT32_MAX;
    spot->sum += sum;
    spot->max += max;
}

static float balance_of(const struct drawing *drawing, double sum, double max)
{
    return max > 0 ? (float)(sum / (max * drawing->window.lod->tiles_per_ipu)) : 0;
}

void draw_rectangle(struct drawing *drawing, const struct rectangle *one)
{
    if (one->to - one->from >= drawing->width)
        *(struct rectangle *)vec_push(&drawing->list) = *one;
    else
        add_small(drawing, one);
}

bool rectangle_of_step(const struct drawing *drawing, uint64_t step, struct rectangle *one)
{
    const struct window *window = &drawing->window;
    const struct lod *lod = window->lod;
    double from, to;
    uint8_t kind = lod_kind(lod, step);
    if (!lod_extent(lod, step, window->ipu, &from, &to) || to < window->from || from > window->to ||
        window_hides(window, kind))
        return false;
    const struct figure *figure = lod_figure(lod, step, window->ipu);
    *one = (struct rectangle){ .from = from,
                               .to = to,
                               .sum = (double)figure->sum,
                               .max = (double)figure->cycles,
                               .step = (uint32_t)step,
                               .count = 1,
                               .node = drawing->nesting ? drawing->nesting->leaf[step]
                                                        : lod->of_program[lod->program[step]].leaf,
                               .matches = window->matches ? window->matches[lod->program[step]] : 0,
                               .kind = kind };
    return true;
}

void for_buckets(const struct drawing *drawing, const struct request *request, void *context, draw_whole *whole,
                 draw_one *one)
{
    const struct window *window = &drawing->window;
    const struct lod *lod = window->lod;
    bool each = window->matches || (drawing->groups & GROUP_EXECUTIONS); /* features for which a bucket lacks data */
    for (uint64_t i = lod_first_bucket(lod, window->ipu, window->from);
         i < lod->buckets && lod_bucket(lod, window->ipu, i)->begin <= window->to; ++i) {
        const struct bucket *bucket = lod_bucket(lod, window->ipu, i);
        if (bucket->from > bucket->to || bucket->to < window->from || bucket->from > window->to)
            continue;
        if (i % 256 == 0 && request_cancelled(request))
            return;
        if (!each && bucket->to - bucket->from < drawing->width) {
            whole(context, bucket, i);
            continue;
        }
        uint64_t first = i * BUCKET_STEPS, end = first + BUCKET_STEPS < lod->steps ? first + BUCKET_STEPS : lod->steps;
        for (uint64_t s = first; s < end; ++s)
            one(context, s);
    }
}

static void flat_bucket(void *context, const struct bucket *bucket, uint64_t index)
{
    (void)index;
    group_end(context);
    draw_bucket(context, bucket, 0);
}

static void flat_step(void *context, uint64_t step)
{
    struct drawing *drawing = context;
    struct rectangle one;
    if (!rectangle_of_step(drawing, step, &one))
        return;
    if (drawing->groups)
        group_step(drawing, &one);
    else
        draw_rectangle(drawing, &one);
}

/* Draws the spots as rectangles. */
static void emit_spots(struct drawing *drawing)
{
    for (unsigned depth = 0; depth < drawing->depths; ++depth)
        for (unsigned pixel = 0; pixel < drawing->window.pixels; ++pixel) {
            uint32_t place = drawing->spot_of[(size_t)depth * drawing->window.pixels + pixel];
            const struct spot *spot = place ? &drawing->spots.data[place - 1] : NULL;
            if (!spot || !spot->count)
                continue;
            unsigned kind = KINDS;
            for (unsigned k = 0; k < KINDS; ++k)
                if (spot->cycles[k] > 0 && (kind == KINDS || spot->cycles[k] > spot->cycles[kind]))
                    kind = k;
            bool one = spot->count == 1 && spot->step != UINT32_MAX;
            *(struct rectangle *)vec_push(&drawing->list) =
                (struct rectangle){ .from = spot->from,
                                    .to = spot->to,
                                    .step = one ? spot->step : UINT32_MAX,
                                    .count = spot->count,
                                    .node = one ? spot->node : 0,
                                    .matches = spot->matches,
                                    .sum = spot->sum,
                                    .max = spot->max,
                                    .kind = (uint8_t)(kind == KINDS && one ? spot->kind : kind),
                                    .depth = (uint8_t)depth };
        }
}

static int compare_rectangles(const void *a, const void *b)
{
    const struct rectangle *x = a, *y = b;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->step < y->step ? -1 : x->step > y->step;
}

/* Assigns rows to overlapping rectangles of a depth. */
static unsigned place_rows(struct rectangle *list, size_t count)
{
    enum { ROWS = 8 };
    double ends[ROWS];
    unsigned rows = count > 0;
    for (size_t i = 0; i < count; ++i) {
        if (!i || list[i].depth != list[i - 1].depth)
            for (unsigned row = 0; row < ROWS; ++row)
                ends[row] = -1e300;
        unsigned row = 0;
        while (row + 1 < ROWS && ends[row] > list[i].from)
            ++row;
        ends[row] = list[i].to > ends[row] ? list[i].to : ends[row];
        list[i].row = (uint8_t)row;
        rows = row + 1 > rows ? row + 1 : rows;
    }
    return rows;
}

/* A rectangle as the answer has it. */
struct rectangle_row {
    double from, to;
    uint32_t step, count, label, matches;
    float balance;
    uint8_t kind, depth, row;
};

static const struct row_column rectangle_columns[] = {
    { "from", COLUMN_F64, offsetof(struct rectangle_row, from) },
    { "to", COLUMN_F64, offsetof(struct rectangle_row, to) },
    { "step", COLUMN_U32, offsetof(struct rectangle_row, step) },
    { "count", COLUMN_U32, offsetof(struct rectangle_row, count) },
    { "label", COLUMN_U32, offsetof(struct rectangle_row, label) },
    { "balance", COLUMN_F32, offsetof(struct rectangle_row, balance) },
    { "kind", COLUMN_U8, offsetof(struct rectangle_row, kind) },
    { "depth", COLUMN_U8, offsetof(struct rectangle_row, depth) },
    { "row", COLUMN_U8, offsetof(struct rectangle_row, row) },
    { "matches", COLUMN_U32, offsetof(struct rectangle_row, matches) }, /* last: only of a search */
};

static void answer_rectangles(const struct drawing *drawing, struct answer *answer)
{
    struct rectangle *list = drawing->list.data;
    size_t count = drawing->list.count;
    if (count)
        qsort(list, count, sizeof(*list), compare_rectangles);
    unsigned rows = place_rows(list, count), depths = 0;
    struct rectangle_row *answered = mem_zero(count + 1, sizeof(*answered));
    const struct nesting *nesting = drawing->nesting;
    struct labels labels = { .node = nesting ? nesting->node : NULL, .nodes = nesting ? nesting->nodes : 0 };
    for (size_t i = 0; i < count; ++i) {
        answered[i] = (struct rectangle_row){
            .from = list[i].from,
            .to = list[i].to,
            .step = list[i].step,
            .count = list[i].count,
            .label = list[i].node ? labels_of(&labels, drawing->window.lod, list[i].node) : UINT32_MAX,
            .matches = list[i].matches,
            .balance = balance_of(drawing, list[i].sum, list[i].max),
            .kind = list[i].kind == KINDS ? UINT8_MAX : list[i].kind,
            .depth = list[i].depth,
            .row = list[i].row,
        };
        depths = list[i].depth + 1u > depths ? list[i].depth + 1u : depths;
    }
    size_t columns = sizeof(rectangle_columns) / sizeof(*rectangle_columns) - !drawing->window.matches;
    answer_rows(answer, answered, count, sizeof(*answered), rectangle_columns, columns);
    labels_answer(&labels, answer, "labels");
    answer_meta(answer, json_pack("{s:f, s:f, s:i, s:i, s:i}", "from", drawing->window.from, "to", drawing->window.to,
                                  "lane", (int)drawing->window.ipu, "depths", (int)depths, "rows", (int)rows));
    free(answered);
}

static bool groups_of(const struct request *request, struct drawing *drawing, pop_error *error)
{
    static const struct {
        const char *text;
        unsigned groups;
    } allowed[] = { { "", GROUP_NONE },
                    { "syncs", GROUP_SYNCS },
                    { "executions", GROUP_EXECUTIONS },
                    { "syncs,executions", GROUP_SYNCS | GROUP_EXECUTIONS },
                    { "executions,syncs", GROUP_SYNCS | GROUP_EXECUTIONS } };
    const char *text = request_text(request, "group", "");
    for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); ++i)
        if (strcmp(text, allowed[i].text) == 0) {
            drawing->groups = allowed[i].groups;
            return true;
        }
    answer_fail(error, POP_INVALID_OPTION, "group is '%.40s' (allowed: syncs, executions or both, with a comma)", text);
    return false;
}

enum { FLAME_OF_PROGRAMS = 2 };

pop_status trace_window(const struct request *request, struct answer *answer, pop_error *error)
{
    struct drawing drawing = { 0 };
    uint64_t flame;
    if (!request_uint(request, "flame", 0, &flame, error) || !groups_of(request, &drawing, error) ||
        !window_of(request, &drawing.window, error))
        return error->status;
    const struct lod *lod = drawing.window.lod;
    if (flame == FLAME_OF_PROGRAMS && !(drawing.nesting = nesting_of(request, lod, error))) {
        window_free(&drawing.window);
        return error->status;
    }
    drawing.nodes = drawing.nesting ? drawing.nesting->node : lod->node;
    drawing.width = (drawing.window.to - drawing.window.from) / drawing.window.pixels;
    uint32_t depth = drawing.nesting ? drawing.nesting->depth : lod->depth;
    drawing.depths = flame ? depth + !depth : 1;
    drawing.spot_of = mem_zero((size_t)drawing.depths * drawing.window.pixels, sizeof(*drawing.spot_of));
    if (flame)
        draw_flames(&drawing, request);
    else
        for_buckets(&drawing, request, &drawing, flat_bucket, flat_step);
    group_end(&drawing);
    emit_spots(&drawing);
    answer_rectangles(&drawing, answer);
    free(drawing.spot_of);
    vec_free(&drawing.spots);
    vec_free(&drawing.list);
    window_free(&drawing.window);
    return POP_OK;
}
