/* SPDX-License-Identifier: Apache-2.0 */
/* The rectangles of a window, at most two for each pixel: what is at least a pixel wide is there as it is, and what is
 * smaller is summed up, a pixel at a time. */
#include "trace.h"

#include <math.h>

/* What is smaller than a pixel, of one pixel and row. */
struct spot {
    float cycles[KINDS];
    double from, to, sum, most; /* sum over tiles of cycles; of the longest tiles */
    uint32_t count, step, node, matches;
    uint8_t kind;
};
struct rectangle {
    double from, to;
    uint32_t step, count, node, matches; /* step UINT32_MAX: several */
    float balance;
    uint8_t kind, depth, row;
};
struct drawing {
    struct window window;
    double width; /* of a pixel, in cycles */
    unsigned depths;
    struct spot *spots; /* [depth][pixel] */
    VEC(struct rectangle) list;
    enum { GROUP_NONE = 0, GROUP_SYNCS = 1, GROUP_EXECUTIONS = 2 } groups;
};

static bool is_sync(unsigned kind)
{
    return kind < KINDS && kinds[kind].class == CLASS_WAIT;
}

static struct spot *spot_at(struct drawing *drawing, unsigned depth, double from, double to)
{
    double begin = from > drawing->window.from ? from : drawing->window.from,
           end = to < drawing->window.to ? to : drawing->window.to,
           at = drawing->width > 0 ? floor(((begin + end) / 2 - drawing->window.from) / drawing->width) : 0;
    unsigned pixels = drawing->window.pixels, pixel = at < 0 ? 0 : at >= pixels ? pixels - 1 : (unsigned)at;
    return &drawing->spots[(size_t)depth * pixels + pixel];
}

static void widen(struct spot *spot, double from, double to)
{
    spot->from = spot->count == 0 || from < spot->from ? from : spot->from;
    spot->to = spot->count == 0 || to > spot->to ? to : spot->to;
}

/* Something small of one kind. */
static void add_small(struct drawing *drawing, const struct rectangle *small, double sum, double most)
{
    struct spot *spot = spot_at(drawing, small->depth, small->from, small->to);
    widen(spot, small->from, small->to);
    spot->count += small->count;
    spot->matches += small->matches;
    spot->step = small->step;
    spot->node = small->node;
    spot->kind = small->kind;
    spot->sum += sum;
    spot->most += most;
    if (small->kind < KINDS)
        spot->cycles[small->kind] += (float)(small->to - small->from);
}

static void add_bucket(struct drawing *drawing, const struct bucket *bucket, unsigned depth)
{
    struct spot *spot = spot_at(drawing, depth, bucket->from, bucket->to);
    double sum = 0, most = 0;
    uint32_t count = 0;
    for (unsigned kind = 0; kind < KINDS; ++kind) {
        if (window_hides(&drawing->window, kind))
            continue;
        spot->cycles[kind] += (float)bucket->cycles[kind];
        count += bucket->count[kind];
        sum += is_sync(kind) ? 0 : bucket->sum[kind];
        most += is_sync(kind) ? 0 : bucket->cycles[kind];
    }
    if (!count)
        return;
    widen(spot, bucket->from, bucket->to);
    spot->count += count;
    spot->step = UINT32_MAX;
    spot->sum += sum;
    spot->most += most;
}

/* A rectangle of its own, or part of the one before it where they are one group. */
static void emit(struct drawing *drawing, const struct rectangle *new)
{
    struct rectangle *last = drawing->list.count ? &drawing->list.data[drawing->list.count - 1] : NULL;
    const struct node *nodes = drawing->window.lod->node;
    if (last && last->depth == new->depth &&new->from <= last->to + drawing->width) {
        bool syncs = (drawing->groups & GROUP_SYNCS) && is_sync(last->kind) && is_sync(new->kind);
        uint32_t above = nodes[new->node].kind < KINDS ? nodes[new->node].parent : new->node,
                 group = nodes[last->node].kind < KINDS ? nodes[last->node].parent : last->node;
        bool executions = (drawing->groups & GROUP_EXECUTIONS) && above && above == group;
        if (syncs || executions) {
            last->to = new->to > last->to ? new->to : last->to;
            last->count += new->count;
            last->matches += new->matches;
            last->step = UINT32_MAX;
            last->node = executions ? group : last->node;
            last->kind = syncs ? KIND_SYNC_INTERNAL : last->kind;
            return;
        }
    }
    *(struct rectangle *)vec_push(&drawing->list) = *new;
}

static float balance_of(const struct drawing *drawing, double sum, double most)
{
    return most > 0 ? (float)(sum / (most * drawing->window.lod->tiles_per_ipu)) : 0;
}

static void draw_step(struct drawing *drawing, uint64_t step, bool exact)
{
    const struct window *window = &drawing->window;
    const struct lod *lod = window->lod;
    double from, to;
    uint8_t kind = lod_kind(lod, step);
    if (!lod_extent(lod, step, window->ipu, &from, &to) || to < window->from || from > window->to ||
        window_hides(window, kind))
        return;
    const struct figure *figure = lod_figure(lod, step, window->ipu);
    struct rectangle one = { .from = from,
                             .to = to,
                             .step = (uint32_t)step,
                             .count = 1,
                             .node = lod->of_program[lod->program[step]].leaf,
                             .matches = window->matches ? window->matches[lod->program[step]] : 0,
                             .balance = balance_of(drawing, (double)figure->sum, (double)figure->cycles),
                             .kind = kind };
    if (exact || to - from >= drawing->width)
        emit(drawing, &one);
    else
        add_small(drawing, &one, is_sync(kind) ? 0 : (double)figure->sum, is_sync(kind) ? 0 : (double)figure->cycles);
}

/* Calls draw for the steps of a window, and for buckets that are smaller than a pixel and of which the window needs no
 * more. */
static void for_buckets(struct drawing *drawing, const struct request *request,
                        void (*whole)(struct drawing *, const struct bucket *, uint64_t),
                        void (*step)(struct drawing *, uint64_t, bool))
{
    const struct window *window = &drawing->window;
    const struct lod *lod = window->lod;
    for (uint64_t i = lod_first_bucket(lod, window->ipu, window->from);
         i < lod->buckets && lod_bucket(lod, window->ipu, i)->begin <= window->to; ++i) {
        const struct bucket *bucket = lod_bucket(lod, window->ipu, i);
        if (bucket->from > bucket->to || bucket->to < window->from || bucket->from > window->to)
            continue;
        if (i % 256 == 0 && request_cancelled(request))
            return;
        if (!window->matches && bucket->to - bucket->from < drawing->width) {
            whole(drawing, bucket, i);
            continue;
        }
        uint64_t first = i * BUCKET_STEPS, end = first + BUCKET_STEPS < lod->steps ? first + BUCKET_STEPS : lod->steps;
        for (uint64_t s = first; s < end; ++s)
            step(drawing, s, false);
    }
}

static void flat_bucket(struct drawing *drawing, const struct bucket *bucket, uint64_t index)
{
    (void)index;
    add_bucket(drawing, bucket, 0);
}

/* The open rectangles of a flame graph, one a depth. */
struct flame {
    struct drawing drawing;
    uint32_t run, open; /* how deep */
    struct {
        uint32_t node, step, count, matches;
        double from, to, sum, most;
    } at[DEEPEST + 1];
};

static void close_flames(struct flame *flame, uint32_t depth)
{
    struct drawing *drawing = &flame->drawing;
    while (flame->open > depth) {
        uint32_t d = --flame->open;
        const struct node *node = &drawing->window.lod->node[flame->at[d].node];
        struct rectangle one = { .from = flame->at[d].from,
                                 .to = flame->at[d].to,
                                 .step = flame->at[d].count == 1 ? flame->at[d].step : UINT32_MAX,
                                 .count = flame->at[d].count,
                                 .node = flame->at[d].node,
                                 .matches = flame->at[d].matches,
                                 .balance = balance_of(drawing, flame->at[d].sum, flame->at[d].most),
                                 .kind = node->kind,
                                 .depth = (uint8_t)d };
        if (one.to - one.from >= drawing->width)
            emit(drawing, &one);
        else
            add_small(drawing, &one, flame->at[d].sum, flame->at[d].most);
    }
}

/* Adds something below a node to the flames of the nodes above it, and of itself. */
static void feed(struct flame *flame, uint32_t run, uint32_t node, const struct rectangle *one, double sum, double most)
{
    const struct lod *lod = flame->drawing.window.lod;
    uint32_t path[DEEPEST + 2], depth = lod->node[node].depth;
    for (uint32_t d = depth, at = node; d > 0; at = lod->node[at].parent)
        path[--d] = at;
    if (run != flame->run)
        close_flames(flame, 0);
    flame->run = run;
    uint32_t same = 0;
    while (same < depth && same < flame->open && flame->at[same].node == path[same])
        ++same;
    /* The same leaf again is another execution. */
    if (same == depth && same && lod->node[node].kind < KINDS)
        --same;
    close_flames(flame, same);
    for (uint32_t d = 0; d < depth; ++d) {
        if (d >= flame->open) {
            memset(&flame->at[d], 0, sizeof(flame->at[d]));
            flame->at[d].node = path[d];
            flame->at[d].step = one->step;
            flame->at[d].from = one->from;
            flame->at[d].to = one->to;
        }
        flame->at[d].from = one->from < flame->at[d].from ? one->from : flame->at[d].from;
        flame->at[d].to = one->to > flame->at[d].to ? one->to : flame->at[d].to;
        flame->at[d].count += one->count;
        flame->at[d].matches += one->matches;
        flame->at[d].sum += sum;
        flame->at[d].most += most;
    }
    flame->open = depth;
}

static void flame_bucket(struct drawing *drawing, const struct bucket *bucket, uint64_t index)
{
    struct flame *flame = (struct flame *)drawing;
    const struct lod *lod = drawing->window.lod;
    struct rectangle one = { .from = bucket->from, .to = bucket->to, .step = UINT32_MAX };
    double sum = 0, most = 0;
    for (unsigned kind = 0; kind < KINDS; ++kind)
        if (!window_hides(&drawing->window, kind)) {
            one.count += bucket->count[kind];
            sum += is_sync(kind) ? 0 : bucket->sum[kind];
            most += is_sync(kind) ? 0 : bucket->cycles[kind];
        }
    if (!one.count)
        return;
    uint32_t common = bucket->common == NO_NODE ? 0 : bucket->common;
    if (bucket->common == NO_NODE || !common)
        close_flames(flame, 0);
    if (lod->node[common].kind < KINDS) /* one program alone: its leaf is not one execution */
        common = lod->node[common].parent;
    if (common)
        feed(flame, lod_run_of(lod, index * BUCKET_STEPS), common, &one, sum, most);
    for (unsigned depth = lod->node[common].depth; depth < drawing->depths; ++depth)
        add_bucket(drawing, bucket, depth);
}

static void flame_step(struct drawing *drawing, uint64_t step, bool exact)
{
    struct flame *flame = (struct flame *)drawing;
    const struct window *window = &drawing->window;
    const struct lod *lod = window->lod;
    struct rectangle one = { .step = (uint32_t)step, .count = 1 };
    uint8_t kind = lod_kind(lod, step);
    (void)exact;
    if (!lod_extent(lod, step, window->ipu, &one.from, &one.to) || one.to < window->from || one.from > window->to ||
        window_hides(window, kind))
        return;
    const struct figure *figure = lod_figure(lod, step, window->ipu);
    one.matches = window->matches ? window->matches[lod->program[step]] : 0;
    feed(flame, lod_run_of(lod, step), lod->of_program[lod->program[step]].leaf, &one,
         is_sync(kind) ? 0 : (double)figure->sum, is_sync(kind) ? 0 : (double)figure->cycles);
}

/* Rectangles of what is smaller than a pixel. */
static void emit_spots(struct drawing *drawing)
{
    for (unsigned depth = 0; depth < drawing->depths; ++depth)
        for (unsigned pixel = 0; pixel < drawing->window.pixels; ++pixel) {
            const struct spot *spot = &drawing->spots[(size_t)depth * drawing->window.pixels + pixel];
            if (!spot->count)
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
                                    .balance = balance_of(drawing, spot->sum, spot->most),
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

/* Rows for rectangles of a depth that overlap. */
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

static void answer_rectangles(const struct drawing *drawing, struct answer *answer)
{
    struct rectangle *list = drawing->list.data;
    size_t count = drawing->list.count;
    if (count)
        qsort(list, count, sizeof(*list), compare_rectangles);
    unsigned rows = place_rows(list, count), depths = 0;
    double *times = mem_zero(count * 2 + 1, sizeof(*times));
    float *balance = mem_zero(count + 1, sizeof(*balance));
    uint32_t *numbers = mem_zero(count * 4 + 1, sizeof(*numbers));
    uint8_t *bytes = mem_zero(count * 3 + 1, 1);
    struct labels labels = { 0 };
    for (size_t i = 0; i < count; ++i) {
        times[i] = list[i].from;
        times[count + i] = list[i].to;
        balance[i] = list[i].balance;
        numbers[i] = list[i].step;
        numbers[count + i] = list[i].count;
        numbers[2 * count + i] = list[i].node ? labels_of(&labels, drawing->window.lod, list[i].node) : UINT32_MAX;
        numbers[3 * count + i] = list[i].matches;
        bytes[i] = list[i].kind == KINDS ? UINT8_MAX : list[i].kind;
        bytes[count + i] = list[i].depth;
        bytes[2 * count + i] = list[i].row;
        depths = list[i].depth + 1u > depths ? list[i].depth + 1u : depths;
    }
    answer_column(answer, "from", COLUMN_F64, times, count);
    answer_column(answer, "to", COLUMN_F64, times + count, count);
    answer_column(answer, "step", COLUMN_U32, numbers, count);
    answer_column(answer, "count", COLUMN_U32, numbers + count, count);
    answer_column(answer, "label", COLUMN_U32, numbers + 2 * count, count);
    if (drawing->window.matches)
        answer_column(answer, "matches", COLUMN_U32, numbers + 3 * count, count);
    answer_column(answer, "balance", COLUMN_F32, balance, count);
    answer_column(answer, "kind", COLUMN_U8, bytes, count);
    answer_column(answer, "depth", COLUMN_U8, bytes + count, count);
    answer_column(answer, "row", COLUMN_U8, bytes + 2 * count, count);
    labels_answer(&labels, answer, "labels");
    answer_meta(answer, json_pack("{s:f, s:f, s:i, s:i, s:i}", "from", drawing->window.from, "to", drawing->window.to,
                                  "lane", (int)drawing->window.ipu, "depths", (int)depths, "rows", (int)rows));
    free(times);
    free(balance);
    free(numbers);
    free(bytes);
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

pop_status trace_window(const struct request *request, struct answer *answer, pop_error *error)
{
    struct flame flame = { .run = UINT32_MAX };
    struct drawing *drawing = &flame.drawing;
    uint64_t flames;
    if (!request_uint(request, "flame", 0, &flames, error) || !groups_of(request, drawing, error) ||
        !window_of(request, &drawing->window, error))
        return error->status;
    const struct lod *lod = drawing->window.lod;
    drawing->width = (drawing->window.to - drawing->window.from) / drawing->window.pixels;
    drawing->depths = flames ? lod->depth + !lod->depth : 1;
    drawing->spots = mem_zero((size_t)drawing->depths * drawing->window.pixels, sizeof(*drawing->spots));
    for_buckets(drawing, request, flames ? flame_bucket : flat_bucket, flames ? flame_step : draw_step);
    close_flames(&flame, 0);
    emit_spots(drawing);
    answer_rectangles(drawing, answer);
    free(drawing->spots);
    vec_free(&drawing->list);
    window_free(&drawing->window);
    return POP_OK;
}
