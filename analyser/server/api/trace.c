/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about a trace: lanes, runs, kinds; parameters of windows; search. */
#include "trace.h"
#include "../blocks.h"
#include "../request.h"

#include <ctype.h>
#include <math.h>

enum { MIN_PIXELS = 1, MAX_PIXELS = 8192, EXPORTED_PIXELS = 1 << 20, DEFAULT_PIXELS = 1000, MAX_FOUND = 10000 };

bool *search_programs(const struct lod *lod, const char *text)
{
    bool *matches = mem_zero(lod->programs + 1, sizeof(*matches));
    /* A match may span slashes, so whole names are searched. */
    for (uint32_t i = 0; i < lod->programs; ++i) {
        uint32_t leaf = lod->of_program[i].leaf;
        char *name = lod_name(lod, leaf);
        matches[i] = strcasestr(name, text) || strcasestr(kinds[lod->of_program[i].kind].label, text);
        free(name);
    }
    return matches;
}

static bool hidden_of(const struct request *request, uint32_t *hidden, pop_error *error)
{
    const char *list = request_text(request, "hide", "");
    *hidden = 0;
    while (*list) {
        size_t length = strcspn(list, ",");
        unsigned kind = 0;
        while (kind < KINDS && (strncmp(kinds[kind].label, list, length) != 0 || kinds[kind].label[length] != '\0'))
            ++kind;
        if (kind == KINDS && length) {
            answer_fail(error, POP_INVALID_OPTION, "hide names the kind '%.*s', which is none of trace/lanes",
                        (int)(length < 40 ? length : 40), list);
            return false;
        }
        if (length)
            *hidden |= 1u << kind;
        list += length + (list[length] == ',');
    }
    return true;
}

bool window_of(const struct request *request, struct window *window, pop_error *error)
{
    uint64_t lane, pixels;
    *window = (struct window){ .lod = lod_asked(request, error) };
    if (!window->lod || !request_uint(request, "lane", 0, &lane, error) ||
        !request_uint(request, "pixels", DEFAULT_PIXELS, &pixels, error) ||
        !request_real(request, "from", window->lod->from, &window->from, error) ||
        !request_real(request, "to", window->lod->to, &window->to, error) ||
        !hidden_of(request, &window->hidden, error))
        return false;
    if (lane >= window->lod->ipus && lane) {
        answer_fail(error, POP_INVALID_OPTION, "lane is %llu (allowed: 0 to %u, one for each IPU)",
                    (unsigned long long)lane, window->lod->ipus - 1);
        return false;
    }
    /* An exported page, which has no socket, contains the whole trace at the finest resolution. */
    uint64_t max = request->socket < 0 ? EXPORTED_PIXELS : MAX_PIXELS;
    if (window->to < window->from || pixels < MIN_PIXELS || pixels > max) {
        answer_fail(error, POP_INVALID_OPTION, "from %g to %g on %llu pixels (allowed: from <= to, %d to %d pixels)",
                    window->from, window->to, (unsigned long long)pixels, MIN_PIXELS, MAX_PIXELS);
        return false;
    }
    window->ipu = (unsigned)lane;
    window->pixels = (unsigned)pixels;
    const char *text = request_text(request, "q", "");
    window->matches = *text ? search_programs(window->lod, text) : NULL;
    return true;
}

void window_free(struct window *window)
{
    free(window->matches);
    window->matches = NULL;
}

uint32_t labels_of(struct labels *labels, const struct lod *lod, uint32_t node)
{
    if (!labels->of_node)
        labels->of_node = mem_zero(labels->node ? labels->nodes : lod->nodes, sizeof(*labels->of_node));
    if (!labels->of_node[node]) {
        *(char **)vec_push(&labels->texts) = node_path(labels->node ? labels->node : lod->node, node);
        labels->of_node[node] = (uint32_t)labels->texts.count;
    }
    return labels->of_node[node] - 1;
}

void labels_answer(struct labels *labels, struct answer *answer, const char *name)
{
    answer_texts(answer, name, (const char *const *)labels->texts.data, labels->texts.count);
    for (size_t i = 0; i < labels->texts.count; ++i)
        free(labels->texts.data[i]);
    vec_free(&labels->texts);
    free(labels->of_node);
}

static json_t *kinds_json(const struct lod *lod)
{
    static const char *const classes[] = { "work", "wait", "idle" };
    double count[KINDS] = { 0 };
    json_t *list = json_array();
    for (uint64_t i = 0; i < lod->buckets * lod->ipus; ++i)
        for (unsigned kind = 0; kind < KINDS; ++kind)
            count[kind] += lod->bucket[i].count[kind];
    for (unsigned i = 0; i < KINDS; ++i)
        json_array_append_new(list, json_pack("{s:s, s:s, s:f}", "name", kinds[i].label, "class",
                                              classes[kinds[i].class], "steps", count[i]));
    return list;
}

static json_t *runs_json(const struct lod *lod)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < lod->runs; ++i) {
        const struct lod_run *run = &lod->run[i];
        json_t *one = json_pack("{s:f, s:f, s:I, s:I, s:f, s:f, s:f}", "from", run->from, "to", run->to, "firstStep",
                                (json_int_t)run->first, "steps", (json_int_t)run->steps, "startMicroseconds",
                                run->start, "endMicroseconds", run->end, "shift", lod->shift ? lod->shift[i] : 0.0);
        json_object_set_new(one, "name", answer_string(run->name));
        json_array_append_new(list, one);
    }
    return list;
}

/* First cycle of the trace: of its first block, or of a detailed trace. */
static double first_cycle(const struct lod *lod)
{
    double first = lod->to;
    for (uint64_t i = 0; i < lod->blocks; ++i)
        first = lod->block[i].shown_from < first ? lod->block[i].shown_from : first;
    return lod->steps || !lod->blocks ? lod->from : first;
}

/* Lanes of IPUs and, for lightweight profiles, of the tiles that have blocks. */
static json_t *lanes_json(const struct lod *lod)
{
    json_t *list = json_array();
    for (unsigned ipu = 0; ipu < lod->ipus; ++ipu) {
        bool any = lod->buckets && lod_bucket(lod, ipu, lod->buckets - 1)->reach >= 0;
        json_array_append_new(list, json_pack("{s:i, s:i, s:i, s:f, s:f}", "ipu", (int)ipu, "firstTile",
                                              (int)(ipu * lod->tiles_per_ipu), "tiles", (int)lod->tiles_per_ipu, "from",
                                              any ? lod_bucket(lod, ipu, 0)->begin : 0.0, "to",
                                              any ? lod_bucket(lod, ipu, lod->buckets - 1)->reach : 0.0));
    }
    return list;
}

static json_t *tiles_json(const struct lod *lod)
{
    json_t *list = json_array();
    for (uint64_t i = 0; i < lod->blocks;) {
        uint64_t first = i;
        unsigned rows = 0;
        bool selected = false;
        for (; i < lod->blocks && lod->block[i].tile == lod->block[first].tile; ++i) {
            rows = lod->block[i].row + 1u > rows ? lod->block[i].row + 1u : rows;
            selected = selected || block_of_selected(lod, &lod->block[i]);
        }
        json_array_append_new(list,
                              json_pack("{s:I, s:I, s:i, s:b}", "tile", (json_int_t)lod->block[first].tile, "blocks",
                                        (json_int_t)(i - first), "rows", (int)rows, "selected", selected));
    }
    return list;
}

/* Kinds of steps that represent stream copies of lightweight profiles. */
static json_t *phases_json(const struct lod *lod)
{
    bool has[KINDS + 1] = { false };
    json_t *list = json_array();
    for (uint64_t i = 0; i < lod->blocks; ++i)
        if (lod->block[i].kind == BLOCK_STREAM_COPY)
            has[block_phase(lod, &lod->block[i])] = true;
    for (unsigned kind = 0; kind < KINDS; ++kind)
        if (has[kind])
            json_array_append_new(list, json_string(kinds[kind].label));
    return list;
}

/* Why there is no picture of tiles (the BSP trace); null where there is one. */
static json_t *tiles_note(const struct analyser_report *report)
{
    enum { PER_IPU = 3, PER_DEVICE = 4 };
    uint64_t level =
        pva_uint(pva_get(pva_root(report->file), PVA_REPORT_INSTRUMENTATION_SETTINGS), PVA_INSTRUMENTATION_COMPUTE);
    if (level != PER_IPU && level != PER_DEVICE)
        return json_null();
    return json_string(
        level == PER_IPU ? "cycles are those of IPUs: debug.computeInstrumentationLevel is ipu, so tiles have none"
                         : "cycles are those of IPUs: debug.computeInstrumentationLevel is device, so tiles have none");
}

pop_status trace_lanes(const struct request *request, struct answer *answer, pop_error *error)
{
    const struct lod *lod = lod_asked(request, error);
    if (!lod)
        return error->status;
    struct analyser_report *report = request_report(request, error);
    if (!report)
        return error->status;
    pva_object target = pva_get(pva_get(pva_root(report->file), PVA_REPORT_COMPILATION), PVA_COMPILATION_TARGET);
    json_t *json =
        json_pack("{s:s, s:f, s:f, s:f, s:I, s:i, s:i, s:i, s:f, s:b}", "mode",
                  lod->steps    ? "detailed"
                  : lod->blocks ? "lightweight"
                                : "none",
                  "from", lod->from, "to", lod->to, "first", first_cycle(lod), "steps", (json_int_t)lod->steps, "ipus",
                  (int)lod->ipus, "tilesPerIpu", (int)lod->tiles_per_ipu, "depth", (int)lod->depth, "clockFrequency",
                  pva_real(target, PVA_TARGET_CLOCK_FREQUENCY), "fromCache", lod->from_cache);
    char *note = lod_note(request);
    json_object_set_new(json, "note", note ? answer_string(note) : tiles_note(report));
    free(note);
    json_t *opening = opening_json(lod, report->file, error);
    if (!opening) {
        json_decref(json);
        return error->status;
    }
    json_object_set_new(json, "opening", opening);
    json_object_set_new(json, "host", json_boolean(lod->shift));
    json_object_set_new(json, "kinds", kinds_json(lod));
    json_object_set_new(json, "lanes", lanes_json(lod));
    json_object_set_new(json, "runs", runs_json(lod));
    json_object_set_new(json, "tiles", tiles_json(lod));
    json_object_set_new(json, "blockPhases", phases_json(lod));
    answer_json(answer, json);
    return answer_read(report, error);
}

pop_status trace_run(const struct request *request, struct answer *answer, pop_error *error)
{
    uint64_t index;
    struct analyser_report *report = request_report(request, error);
    if (!report || !request_uint(request, "index", 0, &index, error))
        return error->status;
    pva_object execution = pva_get(pva_root(report->file), PVA_REPORT_EXECUTION);
    uint64_t count = pva_count(execution, PVA_EXECUTION_RUNS);
    if (index >= count)
        return answer_fail(error, POP_INVALID_OPTION, "run %llu of %llu", (unsigned long long)index,
                           (unsigned long long)count);
    pva_object run = pva_at(execution, PVA_EXECUTION_RUNS, index), cycles = pva_get(run, PVA_RUN_CYCLES),
               times = pva_get(run, PVA_RUN_MICROSECONDS);
    const struct lod *lod = lod_asked(request, error);
    if (!lod)
        return error->status;
    double shift = lod->shift && index < lod->runs ? lod->shift[index] : 0;
    json_t *json = json_pack("{s:f, s:f, s:f, s:f, s:I}", "from", (double)pva_uint(cycles, PVA_CYCLES_FROM) + shift,
                             "to", (double)pva_uint(cycles, PVA_CYCLES_TO) + shift, "startMicroseconds",
                             (double)pva_uint(times, PVA_MICROSECONDS_START), "endMicroseconds",
                             (double)pva_uint(times, PVA_MICROSECONDS_END), "steps",
                             (json_int_t)pva_count(run, PVA_RUN_STEPS)),
           *parameters = json_array();
    json_object_set_new(json, "name", answer_text_of(run, PVA_RUN_NAME));
    for (uint64_t i = 0; i < pva_count(run, PVA_RUN_PARAMETERS); ++i) {
        pva_object parameter = pva_at(run, PVA_RUN_PARAMETERS, i);
        json_t *one = json_object();
        json_object_set_new(one, "name", answer_text_of(parameter, PVA_PARAMETER_NAME));
        json_object_set_new(one, "value", answer_text_of(parameter, PVA_PARAMETER_VALUE));
        json_array_append_new(parameters, one);
    }
    json_object_set_new(json, "parameters", parameters);
    answer_json(answer, json);
    return answer_read(report, error);
}

/* The steps of a trace or, of a lightweight one, its blocks in order of time: whether each one matches. */
struct found {
    bool *hits;
    uint64_t count, total;
    const struct lod_block **blocks; /* NULL: steps */
};

/* The match `skip` matches after `after` (1: the next one), with wrap-around; *number is its index among the matches.
 */
static uint64_t match_from(const struct found *found, uint64_t after, int64_t skip, uint64_t *number)
{
    uint64_t before = 0, wanted, at = 0;
    for (; at < found->count && at < after; ++at)
        before += found->hits[at];
    bool on = after < found->count && found->hits[after];
    /* `before` is the index of the match at `after` or, when `after` is no match, of the next one. */
    int64_t index = (int64_t)before + skip - (!on && skip > 0), total = (int64_t)found->total;
    *number = wanted = (uint64_t)((index % total + total) % total);
    for (at = 0; at < found->count; ++at)
        if (found->hits[at] && wanted-- == 0)
            break;
    return at;
}

static int by_begin(const void *left, const void *right)
{
    const struct lod_block *a = *(const struct lod_block *const *)left, *b = *(const struct lod_block *const *)right;
    if (a->shown_from != b->shown_from)
        return a->shown_from < b->shown_from ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static struct found find_matches(const struct lod *lod, const bool *programs, const char *text)
{
    static const char *const labels[BLOCK_KINDS] = { "Block", "Stream copy", "Buffer flush", "Overflow", "Unknown" };
    bool of_blocks = !lod->steps && lod->blocks;
    struct found found = { .count = of_blocks ? lod->blocks : lod->steps };
    found.hits = mem_zero(found.count + 1, sizeof(*found.hits));
    if (of_blocks)
        found.blocks = mem_zero(found.count + 1, sizeof(*found.blocks));
    for (uint64_t i = 0; of_blocks && i < found.count; ++i)
        found.blocks[i] = &lod->block[i];
    if (of_blocks)
        qsort(found.blocks, found.count, sizeof(*found.blocks), by_begin);
    for (uint64_t i = 0; i < found.count; ++i) {
        uint32_t program = of_blocks ? found.blocks[i]->program : lod->program[i];
        found.hits[i] =
            (program < lod->programs && programs[program]) ||
            (of_blocks && found.blocks[i]->kind < BLOCK_KINDS && strcasestr(labels[found.blocks[i]->kind], text));
        found.total += found.hits[i];
    }
    return found;
}

/* When a step runs: on tiles that are active or, of one without any (a Sans that nothing waits at), by the clock. */
static void step_extent(const struct lod *lod, uint64_t step, double *from, double *to)
{
    double begin, end;
    for (int pass = 0; pass < 2; ++pass) {
        *from = INFINITY;
        *to = -INFINITY;
        for (unsigned ipu = 0; ipu < lod->ipus; ++ipu)
            if (lod_extent(lod, step, ipu, &begin, &end) || pass) {
                *from = begin < *from ? begin : *from;
                *to = end > *to ? end : *to;
            }
        if (*to >= *from)
            return;
    }
    *from = *to = 0;
}

/* The match that the search goes to. */
static json_t *current_json(const struct lod *lod, const struct found *found, uint64_t after, int64_t skip)
{
    uint64_t number, at = after;
    for (uint64_t i = 0; found->blocks && i < found->count; ++i)
        if (found->blocks[i]->number == after)
            at = i;
    at = match_from(found, at, skip, &number);
    if (found->blocks) {
        const struct lod_block *block = found->blocks[at];
        return json_pack("{s:I, s:I, s:f, s:f}", "block", (json_int_t)block->number, "number", (json_int_t)number,
                         "from", block->shown_from, "to", block->shown_to);
    }
    double from, to;
    step_extent(lod, at, &from, &to);
    return json_pack("{s:I, s:I, s:f, s:f}", "step", (json_int_t)at, "number", (json_int_t)number, "from", from, "to",
                     to);
}

pop_status trace_search(const struct request *request, struct answer *answer, pop_error *error)
{
    const struct lod *lod = lod_asked(request, error);
    uint64_t after;
    double skip;
    if (!lod || !request_uint(request, "step", 0, &after, error) || !request_real(request, "skip", 0, &skip, error))
        return error->status;
    const char *text = request_text(request, "q", "");
    if (!*text)
        return answer_fail(error, POP_INVALID_OPTION, "q, the text to search for, is empty");
    if (skip < -1e9 || skip > 1e9)
        return answer_fail(error, POP_INVALID_OPTION, "skip is %g (allowed: -1e9 to 1e9)", skip);
    bool *matches = search_programs(lod, text);
    VEC(uint32_t) programs = { 0 }, steps = { 0 };
    for (uint32_t i = 0; i < lod->programs; ++i)
        if (matches[i])
            *(uint32_t *)vec_push(&programs) = i;
    struct found found = find_matches(lod, matches, text);
    for (uint64_t i = 0; !found.blocks && i < found.count && steps.count < MAX_FOUND; ++i)
        if (found.hits[i])
            *(uint32_t *)vec_push(&steps) = (uint32_t)i;
    json_t *meta = json_pack("{s:I, s:i}", "matches", (json_int_t)found.total, "listed", (int)steps.count);
    if (found.total)
        json_object_set_new(meta, "current", current_json(lod, &found, after, (int64_t)skip));
    answer_column(answer, "programs", COLUMN_U32, programs.data, programs.count);
    answer_column(answer, "steps", COLUMN_U32, steps.data, steps.count);
    answer_meta(answer, meta);
    vec_free(&programs);
    vec_free(&steps);
    free(found.hits);
    free(found.blocks);
    free(matches);
    return POP_OK;
}
