/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of a window: of an IPU, of an area of time and tiles, and where cycles are lost.
 *
 * Tile balance (standard): over steps other than syncs, sum of balance x cycles inside the window / sum of cycles
 * inside the window; a step's balance is the sum over tiles of its cycles / (cycles of the slowest tile x tiles). Tile
 * utilisation (new): the fraction of the window's tile-cycles that are spent in steps of class work. */
#include "step_tiles.h"
#include "trace.h"

#include <math.h>

struct totals {
    double cycles[KINDS]; /* of the slowest tile, inside the window */
    double sum[KINDS];    /* over tiles */
    double in[DATA_KINDS], out[DATA_KINDS];
    double count[KINDS], live;
};

static void add_whole(struct totals *totals, const struct bucket *bucket)
{
    for (unsigned kind = 0; kind < KINDS; ++kind) {
        totals->cycles[kind] += bucket->cycles[kind];
        totals->sum[kind] += bucket->sum[kind];
        totals->count[kind] += bucket->count[kind];
    }
    for (unsigned i = 0; i < DATA_KINDS; ++i) {
        totals->in[i] += bucket->in[i];
        totals->out[i] += bucket->out[i];
    }
    totals->live = bucket->live > totals->live ? bucket->live : totals->live;
}

/* Cycles inside the window, summed over tiles, of a step that crosses the window's edge; read tile by tile from the
 * file. */
static double cut_sum(const struct window *window, struct tile_times *times, uint64_t step)
{
    const struct lod *lod = window->lod;
    unsigned first = window->ipu * lod->tiles_per_ipu;
    const struct tile_step *tiles = step_tiles(times, step);
    double sum = 0;
    for (unsigned i = 0; tiles && i < lod->tiles_per_ipu; ++i) {
        double from, to;
        step_tiles_when(times, tiles, step, first + i, &from, &to);
        from = from > window->from ? from : window->from;
        to = to < window->to ? to : window->to;
        sum += to > from ? to - from : 0;
    }
    return sum;
}

static void add_step(struct totals *totals, const struct window *window, struct tile_times *times, uint64_t step)
{
    const struct lod *lod = window->lod;
    double from, to;
    if (!lod_extent(lod, step, window->ipu, &from, &to) || to < window->from || from > window->to)
        return;
    double part = window_part(window, from, to);
    if (part <= 0)
        return;
    const struct figure *figure = lod_figure(lod, step, window->ipu);
    const struct lod_program *program = &lod->of_program[lod->program[step]];
    totals->cycles[program->kind] += part * (double)figure->cycles;
    totals->sum[program->kind] += part < 1 ? cut_sum(window, times, step) : (double)figure->sum;
    ++totals->count[program->kind];
    int data = lod_data_kind(program->kind);
    if (data >= 0) {
        totals->in[data] += part * (double)figure->in;
        totals->out[data] += part * (double)figure->out;
    }
    totals->live = program->live > totals->live ? program->live : totals->live;
}

static void sum_up(const struct window *window, struct tile_times *times, struct totals *totals)
{
    const struct lod *lod = window->lod;
    for (uint64_t i = lod_first_bucket(lod, window->ipu, window->from);
         i < lod->buckets && lod_bucket(lod, window->ipu, i)->begin <= window->to; ++i) {
        const struct bucket *bucket = lod_bucket(lod, window->ipu, i);
        if (bucket->from > bucket->to || bucket->to < window->from || bucket->from > window->to)
            continue;
        if (bucket->from >= window->from && bucket->to <= window->to) {
            add_whole(totals, bucket);
            continue;
        }
        uint64_t first = i * BUCKET_STEPS, end = first + BUCKET_STEPS < lod->steps ? first + BUCKET_STEPS : lod->steps;
        for (uint64_t step = first; step < end; ++step)
            add_step(totals, window, times, step);
    }
}

/* Cuts a window to the trace: in a graph of two reports it is that of the longer one. */
static void cut_window(struct window *window)
{
    const struct lod *lod = window->lod;
    window->from = window->from > lod->from ? window->from : lod->from;
    window->to = window->to < lod->to ? window->to : lod->to;
    window->to = window->to > window->from ? window->to : window->from;
}

static json_t *totals_json(const struct window *window, const struct totals *totals)
{
    static const char *const data_names[DATA_KINDS] = { "GlobalExchange", "StreamCopy Host", "StreamCopy RemoteBuffer",
                                                        "StreamCopy Mixed" };
    double cycles = 0, sum = 0, work = 0, tiles = window->lod->tiles_per_ipu,
           area = (window->to - window->from) * tiles;
    json_t *list = json_array(), *data = json_array(), *json = json_object();
    for (unsigned kind = 0; kind < KINDS; ++kind) {
        if (window_hides(window, kind))
            continue;
        if (kinds[kind].class != CLASS_WAIT) {
            cycles += totals->cycles[kind];
            sum += totals->sum[kind];
        }
        work += kinds[kind].class == CLASS_WORK ? totals->sum[kind] : 0;
        json_array_append_new(list, json_pack("{s:s, s:f, s:f, s:f}", "kind", kinds[kind].label, "cycles",
                                              totals->cycles[kind], "tileCycles", totals->sum[kind], "steps",
                                              totals->count[kind]));
    }
    for (unsigned i = 0; i < DATA_KINDS; ++i)
        json_array_append_new(data, json_pack("{s:s, s:f, s:f}", "name", data_names[i], "received", totals->in[i],
                                              "transmitted", totals->out[i]));
    json_object_set_new(json, "ipu", json_integer(window->ipu));
    json_object_set_new(json, "tileBalance", cycles > 0 ? json_real(sum / (cycles * tiles)) : json_null());
    json_object_set_new(json, "tileUtilisation", area > 0 ? json_real(work / area) : json_null());
    json_object_set_new(json, "maxLive", json_real(totals->live));
    json_object_set_new(json, "kinds", list);
    json_object_set_new(json, "data", data);
    return json;
}

pop_status trace_summary(const struct request *request, struct answer *answer, pop_error *error)
{
    struct window window;
    struct analyser_report *report = request_report(request, error);
    if (!report || !window_of(request, &window, error))
        return error->status;
    cut_window(&window);
    json_t *ipus = json_array();
    struct tile_times times = step_tiles_begin(window.lod, report->file);
    for (window.ipu = 0; window.ipu < window.lod->ipus; ++window.ipu) {
        struct totals totals = { 0 };
        sum_up(&window, &times, &totals);
        json_array_append_new(ipus, totals_json(&window, &totals));
    }
    step_tiles_end(&times);
    answer_json(answer, json_pack("{s:f, s:f, s:f, s:b, s:o}", "from", window.from, "to", window.to, "cycles",
                                  window.to - window.from, "overflows", window.to - window.from > (double)UINT32_MAX,
                                  "ipus", ipus));
    window_free(&window);
    return answer_read(report, error);
}

/* An area of time and tiles. */
struct area {
    struct window window;
    uint64_t first, count;      /* tiles */
    double *work, *wait, *idle; /* cycles of each tile */
    double sum[KINDS];
    uint64_t exact, skipped; /* steps */
};
enum { MAX_DECODED = 4000, MAX_BINS = 100 };

static bool add_to_tiles(struct area *area, struct tile_times *times, uint64_t step, double times_over, bool whole)
{
    const struct lod *lod = area->window.lod;
    const struct tile_step *tiles = step_tiles(times, step);
    unsigned kind = lod_kind(lod, step);
    double *by_tile = kinds[kind].class == CLASS_WORK   ? area->work
                      : kinds[kind].class == CLASS_WAIT ? area->wait
                                                        : area->idle;
    for (uint64_t i = 0; tiles && i < area->count; ++i) {
        double from, to;
        step_tiles_when(times, tiles, step, (unsigned)(area->first + i), &from, &to);
        if (!whole) {
            from = from > area->window.from ? from : area->window.from;
            to = to < area->window.to ? to : area->window.to;
        }
        if (to > from) {
            by_tile[i] += (to - from) * times_over;
            area->sum[kind] += (to - from) * times_over;
        }
    }
    return tiles != NULL;
}

/* The interval in which a step is visible on the IPUs of the area. */
static bool area_extent(const struct area *area, uint64_t step, double *from, double *to)
{
    const struct lod *lod = area->window.lod;
    bool seen = false;
    for (uint64_t ipu = area->first / lod->tiles_per_ipu; ipu <= (area->first + area->count - 1) / lod->tiles_per_ipu;
         ++ipu) {
        double begin, end;
        if (!lod_extent(lod, step, (unsigned)ipu, &begin, &end))
            continue;
        *from = !seen || begin < *from ? begin : *from;
        *to = !seen || end > *to ? end : *to;
        seen = true;
    }
    return seen && *to >= area->window.from && *from <= area->window.to;
}

/* Equal steps (pattern and program) inside the area are decoded once, steps that cross its edges individually. */
static bool fill_area(struct area *area, struct tile_times *times, const struct request *request)
{
    const struct lod *lod = area->window.lod;
    uint32_t *executions = mem_zero(lod->patterns + 1, sizeof(*executions));
    uint64_t *example = mem_zero(lod->patterns + 1, sizeof(*example));
    uint64_t decoded = 0;
    bool going = true;
    for (uint64_t step = 0; step < lod->steps && going; ++step) {
        double from = 0, to = 0;
        if (step % 65536 == 0)
            going = !request_cancelled(request);
        if (!area_extent(area, step, &from, &to) || window_hides(&area->window, lod_kind(lod, step)))
            continue;
        uint32_t pattern = lod->pattern[step];
        bool whole = from >= area->window.from && to <= area->window.to;
        if (whole && (!executions[pattern] || lod->program[example[pattern]] == lod->program[step])) {
            example[pattern] = step;
            ++executions[pattern];
        } else if (decoded < MAX_DECODED) {
            ++decoded;
            area->exact += add_to_tiles(area, times, step, 1, whole);
        } else {
            ++area->skipped;
        }
    }
    for (uint64_t pattern = 0; pattern < lod->patterns && going; ++pattern) {
        if (!executions[pattern])
            continue;
        if (decoded++ < MAX_DECODED) {
            add_to_tiles(area, times, example[pattern], executions[pattern], true);
            area->exact += executions[pattern];
        } else {
            area->skipped += executions[pattern];
        }
        if (decoded % 64 == 0)
            going = !request_cancelled(request);
    }
    free(executions);
    free(example);
    return going;
}

static json_t *area_json(const struct area *area)
{
    double span = area->window.to - area->window.from, sum = 0, squares = 0, min = INFINITY, max = 0;
    double bins[MAX_BINS] = { 0 };
    for (uint64_t i = 0; i < area->count; ++i) {
        double share = span > 0 ? area->work[i] / span : 0;
        sum += share;
        squares += share * share;
        min = share < min ? share : min;
        max = share > max ? share : max;
        unsigned bin = share >= 1 ? MAX_BINS - 1 : (unsigned)(share * MAX_BINS);
        ++bins[bin];
    }
    double mean = sum / (double)area->count, variance = squares / (double)area->count - mean * mean;
    json_t *histogram = json_array(), *list = json_array();
    for (unsigned i = 0; i < MAX_BINS; ++i)
        json_array_append_new(histogram, json_real(bins[i]));
    for (unsigned kind = 0; kind < KINDS; ++kind)
        json_array_append_new(list, json_pack("{s:s, s:f}", "kind", kinds[kind].label, "tileCycles", area->sum[kind]));
    return json_pack("{s:f, s:f, s:I, s:I, s:f, s:f, s:f, s:f, s:o, s:o, s:I, s:I}", "from", area->window.from, "to",
                     area->window.to, "firstTile", (json_int_t)area->first, "tiles", (json_int_t)area->count,
                     "utilisation", mean, "min", min, "max", max, "deviation", variance > 0 ? sqrt(variance) : 0.0,
                     "kinds", list, "histogram", histogram, "steps", (json_int_t)area->exact, "leftOut",
                     (json_int_t)area->skipped);
}

/* Parameters tile (the first) and tiles (the number); the default is all. */
static bool area_of(const struct request *request, struct area *area, pop_error *error)
{
    if (!window_of(request, &area->window, error))
        return false;
    cut_window(&area->window);
    uint64_t all = (uint64_t)area->window.lod->ipus * area->window.lod->tiles_per_ipu;
    if (!request_uint(request, "tile", 0, &area->first, error) ||
        !request_uint(request, "tiles", area->first < all ? all - area->first : 0, &area->count, error))
        return false;
    if (area->first < all && area->count && area->count <= all - area->first)
        return true;
    answer_fail(error, POP_INVALID_OPTION, "%llu tiles from %llu on (allowed: of tiles 0 to %llu)",
                (unsigned long long)area->count, (unsigned long long)area->first, (unsigned long long)all - 1);
    return false;
}

pop_status trace_area(const struct request *request, struct answer *answer, pop_error *error)
{
    struct area area = { 0 };
    struct analyser_report *report = request_report(request, error);
    if (!report)
        return error->status;
    if (!area_of(request, &area, error)) {
        window_free(&area.window);
        return error->status;
    }
    area.work = mem_zero(area.count * 3, sizeof(double));
    area.wait = area.work + area.count;
    area.idle = area.wait + area.count;
    struct tile_times times = step_tiles_begin(area.window.lod, report->file);
    pop_status status = POP_OK;
    if (!fill_area(&area, &times, request))
        status = answer_fail(error, POP_APPLICATION_RUNTIME_ERROR, "cancelled");
    step_tiles_end(&times);
    if (status == POP_OK) {
        answer_column(answer, "work", COLUMN_F64, area.work, area.count);
        answer_column(answer, "wait", COLUMN_F64, area.wait, area.count);
        answer_column(answer, "idle", COLUMN_F64, area.idle, area.count);
        answer_meta(answer, area_json(&area));
        status = answer_read(report, error);
    }
    free(area.work);
    window_free(&area.window);
    return status;
}

/* The cost of a program's executions in a window. */
struct loss {
    double cycles, imbalance, executions; /* cycles: of the slowest tile; imbalance: cycles lost to waiting for it */
    uint64_t step;                        /* its longest execution */
    double longest;
    uint32_t program;
};

static int compare_losses(const void *a, const void *b)
{
    const struct loss *x = a, *y = b;
    double p = x->imbalance, q = y->imbalance;
    return p > q ? -1 : p < q ? 1 : x->program < y->program ? -1 : x->program > y->program;
}

static void add_losses(const struct window *window, struct loss *losses, const struct request *request)
{
    const struct lod *lod = window->lod;
    for (uint64_t step = 0; step < lod->steps; ++step) {
        double from = 0, to = 0, max = 0, sum = 0,
               tiles = 0; /* tiles: of the IPUs that work in it; others do not wait */
        bool seen = false;
        if (step % 65536 == 0 && request_cancelled(request))
            return;
        for (unsigned ipu = 0; ipu < lod->ipus; ++ipu) {
            double begin, end;
            const struct figure *figure = lod_figure(lod, step, ipu);
            if (!lod_extent(lod, step, ipu, &begin, &end))
                continue;
            from = !seen || begin < from ? begin : from;
            to = !seen || end > to ? end : to;
            seen = true;
            max = (double)figure->cycles > max ? (double)figure->cycles : max;
            sum += (double)figure->sum;
            tiles += figure->cycles ? lod->tiles_per_ipu : 0;
        }
        if (!seen || to < window->from || from > window->to || window_hides(window, lod_kind(lod, step)))
            continue;
        double part = window_part(window, from, to);
        struct loss *loss = &losses[lod->program[step]];
        loss->cycles += part * max;
        loss->executions += 1;
        loss->imbalance += kinds[lod_kind(lod, step)].class == CLASS_WORK && lod_kind(lod, step) == KIND_EXECUTE
                               ? part * (tiles > 0 ? max - sum / tiles : 0)
                               : part * max;
        if (max > loss->longest) {
            loss->longest = max;
            loss->step = step;
        }
    }
}

/* The slowest tile of a step. */
static uint64_t critical_tile(const struct lod *lod, struct tile_times *times, uint64_t step)
{
    const struct tile_step *tiles = step_tiles(times, step);
    uint64_t tile = 0;
    double max = -1;
    for (unsigned i = 0; tiles && i < lod->ipus * lod->tiles_per_ipu; ++i) {
        double from, to;
        step_tiles_when(times, tiles, step, i, &from, &to);
        if (to - from > max) {
            max = to - from;
            tile = i;
        }
    }
    return tile;
}

static const char *cause_of(unsigned kind)
{
    switch (kind) {
    case KIND_EXECUTE:
        return "imbalance";
    case KIND_EXCHANGE:
    case KIND_GLOBAL_EXCHANGE:
        return "exchange";
    case KIND_COPY_BEGIN:
    case KIND_COPY_HOST:
    case KIND_COPY_REMOTE:
    case KIND_COPY_MIXED:
    case KIND_COPY_END:
        return "host";
    default:
        return kinds[kind].class == CLASS_WAIT ? "sync" : "other";
    }
}

pop_status trace_lost(const struct request *request, struct answer *answer, pop_error *error)
{
    struct window window;
    uint64_t rows;
    struct analyser_report *report = request_report(request, error);
    if (!report || !request_uint(request, "rows", 100, &rows, error) || !window_of(request, &window, error))
        return error->status;
    const struct lod *lod = window.lod;
    struct loss *losses = mem_zero(lod->programs + 1, sizeof(*losses));
    for (uint32_t i = 0; i < lod->programs; ++i)
        losses[i].program = i;
    add_losses(&window, losses, request);
    qsort(losses, lod->programs, sizeof(*losses), compare_losses);
    static const char *const causes[] = { "imbalance", "exchange", "sync", "host", "other" };
    double total[5] = { 0 }, cycles = 0;
    json_t *list = json_array(), *sums = json_object();
    struct tile_times times = step_tiles_begin(lod, report->file);
    for (uint32_t i = 0; i < lod->programs; ++i) {
        const struct loss *loss = &losses[i];
        const struct lod_program *program = &lod->of_program[loss->program];
        const char *cause = cause_of(program->kind);
        for (unsigned k = 0; k < 5; ++k)
            total[k] += strcmp(causes[k], cause) == 0 ? loss->imbalance : 0;
        cycles += loss->cycles;
        if (i >= rows || i >= 1000 || loss->executions == 0 || loss->imbalance <= 0)
            continue;
        char *name = lod_name(lod, program->leaf);
        json_t *one = json_pack("{s:I, s:s, s:s, s:f, s:f, s:f, s:I, s:I}", "program", (json_int_t)loss->program,
                                "kind", kinds[program->kind].label, "cause", cause, "lost", loss->imbalance, "cycles",
                                loss->cycles, "executions", loss->executions, "step", (json_int_t)loss->step,
                                "criticalTile", (json_int_t)critical_tile(lod, &times, loss->step));
        json_object_set_new(one, "name", answer_string(name));
        json_array_append_new(list, one);
        free(name);
    }
    step_tiles_end(&times);
    for (unsigned k = 0; k < 5; ++k)
        json_object_set_new(sums, causes[k], json_real(total[k]));
    answer_json(answer, json_pack("{s:f, s:f, s:f, s:o, s:o}", "from", window.from, "to", window.to, "cycles", cycles,
                                  "lost", sums, "programs", list));
    free(losses);
    window_free(&window);
    return answer_read(report, error);
}
