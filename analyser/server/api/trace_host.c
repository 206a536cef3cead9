/* SPDX-License-Identifier: Apache-2.0 */
/* What the host did: processes, threads and graphs, the events of a thread in a window, the values of a graph. */
#include "../query.h"
#include "trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 64 };

static json_t *threads_json(const struct host_trace *host, size_t process)
{
    json_t *list = json_array();
    for (size_t i = 0; i < host->threads.count; ++i) {
        const struct host_thread *thread = &host->threads.data[i];
        if (thread->process != process || !thread->count)
            continue;
        json_t *one = json_pack("{s:I, s:I, s:i, s:I}", "index", (json_int_t)i, "tid", (json_int_t)thread->tid, "rows",
                                (int)thread->depth + 1, "events", (json_int_t)thread->count);
        json_object_set_new(one, "name", answer_string(thread->name));
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *graphs_json(const struct host_trace *host)
{
    json_t *list = json_array();
    for (size_t i = 0; i < host->graphs.count; ++i) {
        const struct host_graph *graph = &host->graphs.data[i];
        json_t *series = json_array();
        double min = 0, max = 0;
        for (size_t k = 0; k < host->series.count; ++k)
            if (host->series.data[k].graph == i) {
                min = fmin(min, host->series.data[k].min);
                max = fmax(max, host->series.data[k].max);
                json_array_append_new(series, answer_string(host->series.data[k].name));
            }
        json_t *one = json_pack("{s:I, s:I, s:f, s:f, s:o}", "index", (json_int_t)i, "process",
                                (json_int_t)graph->process, "min", min, "max", max, "series", series);
        json_object_set_new(one, "name", answer_string(graph->name));
        json_object_set_new(one, "unit", answer_string(graph->unit));
        json_array_append_new(list, one);
    }
    return list;
}

pop_status trace_hosts(const struct request *request, struct answer *answer, pop_error *error)
{
    const struct host_trace *host = host_trace_of(request, error);
    if (!host)
        return error->status;
    json_t *processes = json_array();
    for (size_t i = 0; i < host->processes.count; ++i) {
        const struct host_process *process = &host->processes.data[i];
        json_t *one = json_pack("{s:I, s:o}", "pid", (json_int_t)process->pid, "threads", threads_json(host, i));
        json_object_set_new(one, "name", answer_string(process->name));
        json_object_set_new(one, "file", answer_string(process->path));
        json_array_append_new(processes, one);
    }
    answer_json(answer, json_pack("{s:o, s:o, s:I, s:o}", "processes", processes, "graphs", graphs_json(host), "events",
                                  (json_int_t)host->events.count, "note",
                                  host->note ? answer_string(host->note) : json_null()));
    return POP_OK;
}

/* A drawn rectangle: an event, or several of a row that are narrower than a pixel together. */
struct drawn {
    double from, to, nanoseconds;
    uint32_t event, label, count, matches;
    uint8_t depth;
};
typedef VEC(struct drawn) drawn_list;

static int by_row(const void *left, const void *right)
{
    const struct drawn *a = left, *b = right;
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    return a->from != b->from ? (a->from < b->from ? -1 : 1) : (a->event > b->event) - (a->event < b->event);
}

static drawn_list events_in_window(const struct host_trace *host, const struct host_thread *thread,
                                   const struct window *window, const char *text)
{
    drawn_list list = { 0 };
    double width = (window->to - window->from) / window->pixels, pixel[ROWS];
    size_t small[ROWS] = { 0 }; /* 1 + index of the last narrow rectangle of a row */
    for (size_t i = thread->first; i < thread->first + thread->count; ++i) {
        const struct host_event *event = &host->events.data[i];
        if (event->to < window->from || event->from > window->to)
            continue;
        bool match = *text && strcasestr(intern_text(&host->labels, event->label), text);
        if (event->to - event->from < width) {
            double at = floor(((event->from + event->to) / 2 - window->from) / width);
            struct drawn *last = small[event->depth] ? &list.data[small[event->depth] - 1] : NULL;
            if (last && pixel[event->depth] == at) {
                last->to = fmax(last->to, event->to);
                last->nanoseconds += (double)(event->end - event->start);
                last->matches += match;
                ++last->count;
                continue;
            }
            pixel[event->depth] = at;
            small[event->depth] = list.count + 1;
        }
        *vec_push(&list) = (struct drawn){ .from = event->from,
                                           .to = event->to,
                                           .nanoseconds = (double)(event->end - event->start),
                                           .event = (uint32_t)i,
                                           .label = event->label,
                                           .count = 1,
                                           .matches = match,
                                           .depth = (uint8_t)event->depth };
    }
    if (list.count)
        qsort(list.data, list.count, sizeof(*list.data), by_row);
    return list;
}

static const struct row_column drawn_columns[] = {
    { "from", COLUMN_F64, offsetof(struct drawn, from) },
    { "to", COLUMN_F64, offsetof(struct drawn, to) },
    { "nanoseconds", COLUMN_F64, offsetof(struct drawn, nanoseconds) },
    { "event", COLUMN_U32, offsetof(struct drawn, event) },
    { "label", COLUMN_U32, offsetof(struct drawn, label) },
    { "count", COLUMN_U32, offsetof(struct drawn, count) },
    { "matches", COLUMN_U32, offsetof(struct drawn, matches) },
    { "depth", COLUMN_U8, offsetof(struct drawn, depth) },
};

/* Replaces ids of labels by indices of the texts that are used, which it answers. */
static void answer_labels(const struct host_trace *host, drawn_list *list, struct answer *answer)
{
    uint32_t *used = mem_zero(host->labels.names.count + 1, sizeof(*used));
    VEC(const char *) texts = { 0 };
    for (size_t i = 0; i < list->count; ++i) {
        uint32_t label = list->data[i].label;
        if (!used[label]) {
            *(const char **)vec_push(&texts) = intern_text(&host->labels, label);
            used[label] = (uint32_t)texts.count;
        }
        list->data[i].label = used[label] - 1;
    }
    answer_texts(answer, "labels", texts.data, texts.count);
    vec_free(&texts);
    free(used);
}

/* The window of a request about the host's axis, on which host=1 is understood. */
static bool host_window(const struct request *request, const struct host_trace **host, struct window *window,
                        pop_error *error)
{
    *host = host_trace_of(request, error);
    if (!*host || !window_of(request, window, error))
        return false;
    return true;
}

pop_status trace_host(const struct request *request, struct answer *answer, pop_error *error)
{
    const struct host_trace *host;
    struct window window;
    uint64_t thread;
    if (!host_window(request, &host, &window, error))
        return error->status;
    window_free(&window);
    if (!request_uint(request, "thread", 0, &thread, error))
        return error->status;
    if (thread >= host->threads.count)
        return answer_fail(error, POP_INVALID_OPTION, "thread is %llu (allowed: less than %zu)",
                           (unsigned long long)thread, host->threads.count);
    const char *text = request_text(request, "q", "");
    drawn_list list = events_in_window(host, &host->threads.data[thread], &window, text);
    answer_labels(host, &list, answer);
    answer_rows(answer, list.data, list.count, sizeof(*list.data), drawn_columns,
                sizeof(drawn_columns) / sizeof(drawn_columns[0]));
    answer_meta(answer, json_pack("{s:i}", "rows", (int)host->threads.data[thread].depth + 1));
    vec_free(&list);
    return POP_OK;
}

/* The values of a series in a pixel. */
struct spot {
    double at, low, high;
    uint32_t series;
};

static const struct row_column spot_columns[] = {
    { "at", COLUMN_F64, offsetof(struct spot, at) },
    { "low", COLUMN_F64, offsetof(struct spot, low) },
    { "high", COLUMN_F64, offsetof(struct spot, high) },
    { "series", COLUMN_U32, offsetof(struct spot, series) },
};

pop_status trace_series(const struct request *request, struct answer *answer, pop_error *error)
{
    const struct host_trace *host;
    struct window window;
    uint64_t graph;
    if (!host_window(request, &host, &window, error))
        return error->status;
    window_free(&window);
    if (!request_uint(request, "graph", 0, &graph, error))
        return error->status;
    if (graph >= host->graphs.count)
        return answer_fail(error, POP_INVALID_OPTION, "graph is %llu (allowed: less than %zu)",
                           (unsigned long long)graph, host->graphs.count);
    double width = (window.to - window.from) / window.pixels;
    VEC(struct spot) spots = { 0 };
    uint32_t number = 0;
    for (size_t i = 0; i < host->series.count; ++i) {
        const struct host_series *series = &host->series.data[i];
        double pixel = -INFINITY;
        if (series->graph != graph)
            continue;
        for (size_t k = 0; k < series->points.count; ++k) {
            const struct host_point *point = &series->points.data[k];
            bool next = k + 1 < series->points.count && series->points.data[k + 1].at < window.from;
            if (next || (k && series->points.data[k - 1].at > window.to)) /* a line needs its neighbours */
                continue;
            double at = width > 0 ? floor((point->at - window.from) / width) : 0;
            if (spots.count && spots.data[spots.count - 1].series == number && pixel == at) {
                struct spot *last = &spots.data[spots.count - 1];
                last->low = fmin(last->low, point->value);
                last->high = fmax(last->high, point->value);
                continue;
            }
            pixel = at;
            *vec_push(&spots) = (struct spot){ point->at, point->value, point->value, number };
        }
        ++number;
    }
    answer_rows(answer, spots.data, spots.count, sizeof(*spots.data), spot_columns,
                sizeof(spot_columns) / sizeof(spot_columns[0]));
    answer_meta(answer, json_object());
    vec_free(&spots);
    return POP_OK;
}

/* The channel and the metadata of an event, from its file. */
static json_t *event_row(const struct report_use *use, const struct host_process *process, uint64_t id,
                         pop_error *error)
{
    struct str path = { 0 }, sql = { 0 };
    json_t *row = NULL;
    for (int above = 0; above < 2 && !row; ++above) {
        path.length = 0;
        str_format(&path, "%s/%s%s", use->report.directory, above ? "../" : "", process->path);
        pva_file *file = pva_open_trace(path.text, error);
        if (!file)
            continue;
        sql.length = 0;
        str_format(&sql, "SELECT channel, metadata FROM events WHERE id = %llu", (unsigned long long)id);
        row = query_row(file, sql.text, error);
        pva_close(file);
    }
    str_free(&path);
    str_free(&sql);
    return row;
}

pop_status trace_host_event(const struct request *request, struct answer *answer, pop_error *error)
{
    uint64_t index;
    const struct host_trace *host = host_trace_of(request, error);
    if (!host || !request_uint(request, "index", 0, &index, error))
        return error->status;
    if (index >= host->events.count)
        return answer_fail(error, POP_INVALID_OPTION, "event is %llu (allowed: less than %zu)",
                           (unsigned long long)index, host->events.count);
    const struct host_event *event = &host->events.data[index];
    const struct host_thread *thread = &host->threads.data[event->thread];
    const struct host_process *process = &host->processes.data[thread->process];
    json_t *row = event_row(request_use_named(request, error), process, event->id, error);
    if (!row)
        return error->status;
    if (!json_is_object(row)) {
        json_decref(row);
        row = json_object();
    }
    json_object_update_new(row,
                           json_pack("{s:I, s:f, s:f, s:f, s:f, s:I, s:I, s:b}", "index", (json_int_t)index, "from",
                                     event->from, "to", event->to, "startMicroseconds", (double)event->start / 1e3,
                                     "nanoseconds", (double)(event->end - event->start), "pid",
                                     (json_int_t)process->pid, "tid", (json_int_t)thread->tid, "ended", event->ended));
    json_object_set_new(row, "label", answer_string(intern_text(&host->labels, event->label)));
    json_object_set_new(row, "thread", answer_string(thread->name));
    json_object_set_new(row, "process", answer_string(process->name));
    answer_json(answer, row);
    return POP_OK;
}
