/* SPDX-License-Identifier: Apache-2.0 */
/* Reads trace files, and places what is in them on the axis. */
#include "host_trace.h"

#include "base/mem.h"

#include <dirent.h>
#include <math.h>
#include <poplar/text.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_FILES = 64, MAX_EVENTS = 8 << 20, MAX_POINTS = 8 << 20, DEEPEST_EVENT = 60 };
static const int64_t LATEST = INT64_MAX / 4; /* ns; later times are damaged */

/* An id of a file, and the index of its event or thread. */
struct known {
    uint64_t id;
    size_t at;
    bool event;
};
struct reading {
    struct host_trace *trace;
    VEC(struct known) known;                   /* of one file, sorted by id */
    size_t threads, graphs, processes, series; /* how many there were before the file */
    VEC(uint64_t) graph_ids;
};

/* Microseconds since 1970 in nanoseconds: a double does not hold these exactly. */
static int64_t nanoseconds(double microseconds)
{
    double most = (double)(LATEST / 1000);
    return (int64_t)(microseconds < 0 ? 0 : microseconds > most ? most : microseconds) * 1000;
}

static int64_t integer_of(const pva_value *value)
{
    return value->text ? strtoll(value->text, NULL, 10) : 0;
}

static int64_t time_of(const pva_value *value)
{
    int64_t time = integer_of(value);
    return time < 0 ? 0 : time > LATEST ? LATEST : time;
}

static char *text_of(const pva_value *value)
{
    return mem_string(value->text ? value->text : "");
}

static const struct known *find_known(const struct reading *reading, uint64_t id)
{
    size_t low = 0, high = reading->known.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (reading->known.data[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < reading->known.count && reading->known.data[low].id == id;
    return found ? &reading->known.data[low] : NULL;
}

static bool on_process(void *context, size_t columns, const char *const *names, const pva_value *values)
{
    struct host_trace *trace = ((struct reading *)context)->trace;
    (void)columns, (void)names;
    if (values)
        *vec_push(&trace->processes) =
            (struct host_process){ .pid = (uint64_t)integer_of(&values[0]), .name = text_of(&values[1]) };
    return true;
}

static bool on_thread(void *context, size_t columns, const char *const *names, const pva_value *values)
{
    struct reading *reading = context;
    struct host_trace *trace = reading->trace;
    (void)columns, (void)names;
    if (!values || reading->processes == trace->processes.count)
        return true;
    *vec_push(&reading->known) = (struct known){ (uint64_t)integer_of(&values[0]), trace->threads.count, false };
    *vec_push(&trace->threads) = (struct host_thread){ .tid = (uint64_t)integer_of(&values[1]),
                                                       .name = text_of(&values[2]),
                                                       .process = (uint32_t)reading->processes };
    return true;
}

/* An event or a thread precedes the events in it, in the order of their ids. */
static bool on_event(void *context, size_t columns, const char *const *names, const pva_value *values)
{
    struct reading *reading = context;
    struct host_trace *trace = reading->trace;
    (void)columns, (void)names;
    if (!values)
        return true;
    const struct known *parent = find_known(reading, (uint64_t)integer_of(&values[1]));
    if (!parent || trace->events.count >= MAX_EVENTS)
        return true;
    int64_t start = time_of(&values[2]), length = time_of(&values[3]);
    const struct host_event *above = parent->event ? &trace->events.data[parent->at] : NULL;
    struct host_event event = {
        .start = start,
        .end = start + length,
        .id = (uint64_t)integer_of(&values[0]),
        .ended = length > 0,
        .parent = above ? (uint32_t)parent->at : UINT32_MAX,
        .label = intern_add(&trace->labels, values[4].text),
        .thread = above ? above->thread : (uint32_t)parent->at,
        .depth = (uint16_t)(!above                         ? 0
                            : above->depth < DEEPEST_EVENT ? above->depth + 1
                                                           : DEEPEST_EVENT),
    };
    *vec_push(&reading->known) = (struct known){ event.id, trace->events.count, true };
    *vec_push(&trace->events) = event;
    return true;
}

/* An event that never ended has no length: it lasts as long as what is in it. */
static void end_parents(struct host_trace *trace, size_t first)
{
    for (size_t i = trace->events.count; i-- > first;) {
        const struct host_event *event = &trace->events.data[i];
        struct host_event *above = event->parent == UINT32_MAX ? NULL : &trace->events.data[event->parent];
        if (above && !above->ended && event->end > above->end)
            above->end = event->end;
    }
}

static bool on_graph(void *context, size_t columns, const char *const *names, const pva_value *values)
{
    struct reading *reading = context;
    (void)columns, (void)names;
    if (!values)
        return true;
    *vec_push(&reading->graph_ids) = (uint64_t)integer_of(&values[0]);
    *vec_push(&reading->trace->graphs) = (struct host_graph){ .name = text_of(&values[1]),
                                                              .unit = text_of(&values[2]),
                                                              .process = (uint32_t)reading->processes };
    return true;
}

/* The index of a graph of the file; SIZE_MAX: none. */
static size_t graph_of(const struct reading *reading, uint64_t id)
{
    for (size_t i = 0; i < reading->graph_ids.count; ++i)
        if (reading->graph_ids.data[i] == id)
            return reading->graphs + i;
    return SIZE_MAX;
}

/* Values of all series, by series, then time; the name of a series comes with each. */
static bool on_value(void *context, size_t columns, const char *const *names, const pva_value *values)
{
    struct reading *reading = context;
    struct host_trace *trace = reading->trace;
    (void)columns, (void)names;
    if (!values || !values[4].text)
        return true;
    size_t graph = graph_of(reading, (uint64_t)integer_of(&values[0]));
    double value = pop_text_to_double(values[4].text, NULL);
    if (graph == SIZE_MAX || !isfinite(value))
        return true;
    struct host_series *last =
        trace->series.count > reading->series ? &trace->series.data[trace->series.count - 1] : NULL;
    int64_t number = integer_of(&values[1]);
    if (!last || last->graph != graph || last->number != number) {
        last = vec_push(&trace->series);
        *last = (struct host_series){
            .name = text_of(&values[2]), .graph = (uint32_t)graph, .number = number, .min = value, .max = value
        };
    }
    last->min = value < last->min ? value : last->min;
    last->max = value > last->max ? value : last->max;
    if (last->points.count < MAX_POINTS)
        *vec_push(&last->points) = (struct host_point){ .value = value, .time = time_of(&values[3]) };
    return true;
}

/* Drops what a file has added. */
static void take_back(struct reading *reading, size_t events)
{
    struct host_trace *trace = reading->trace;
    trace->events.count = events;
    for (size_t i = reading->processes; i < trace->processes.count; ++i) {
        free(trace->processes.data[i].name);
        free(trace->processes.data[i].path);
    }
    for (size_t i = reading->threads; i < trace->threads.count; ++i)
        free(trace->threads.data[i].name);
    for (size_t i = reading->graphs; i < trace->graphs.count; ++i) {
        free(trace->graphs.data[i].name);
        free(trace->graphs.data[i].unit);
    }
    for (size_t i = reading->series; i < trace->series.count; ++i) {
        free(trace->series.data[i].name);
        vec_free(&trace->series.data[i].points);
    }
    trace->processes.count = reading->processes;
    trace->threads.count = reading->threads;
    trace->graphs.count = reading->graphs;
    trace->series.count = reading->series;
}

/* Whether what a file has added overlaps an interval of time. */
static bool overlaps(const struct reading *reading, size_t events, int64_t first, int64_t last)
{
    const struct host_trace *trace = reading->trace;
    for (size_t i = events; i < trace->events.count; ++i)
        if (trace->events.data[i].start <= last && trace->events.data[i].end >= first)
            return true;
    for (size_t i = reading->series; i < trace->series.count; ++i)
        for (size_t k = 0; k < trace->series.data[i].points.count; ++k)
            if (trace->series.data[i].points.data[k].time >= first && trace->series.data[i].points.data[k].time <= last)
                return true;
    return false;
}

static pop_status read_rows(struct reading *reading, pva_file *file, pop_error *error)
{
    static const struct {
        const char *sql;
        pva_row *row;
    } parts[] = {
        { "SELECT pid, name FROM processes ORDER BY id LIMIT 1", on_process },
        { "SELECT id, tid, name FROM threads ORDER BY id", on_thread },
        { "SELECT id, parent, timestamp, duration, label FROM events ORDER BY id", on_event },
        { "SELECT id, name, unit FROM graphs ORDER BY id", on_graph },
        { "SELECT v.graph, v.series, s.name, v.timestamp, v.value FROM series_values v LEFT JOIN series s ON s.graph = "
          "v.graph AND s.number = v.series ORDER BY v.graph, v.series, v.timestamp",
          on_value },
    };
    pop_status status = POP_OK;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && status == POP_OK; ++i)
        status = pva_sql(file, parts[i].sql, parts[i].row, reading, error);
    return status;
}

static void read_file(struct host_trace *trace, const char *path, const char *name, int64_t first, int64_t last)
{
    struct reading reading = { .trace = trace,
                               .threads = trace->threads.count,
                               .graphs = trace->graphs.count,
                               .processes = trace->processes.count,
                               .series = trace->series.count };
    size_t events = trace->events.count;
    pop_error error = { 0 };
    struct str note = { 0 };
    pva_file *file = pva_open_trace(path, &error);
    pop_status status = file ? read_rows(&reading, file, &error) : error.status;
    pva_close(file);
    vec_free(&reading.known);
    vec_free(&reading.graph_ids);
    if (status == POP_OK && trace->processes.count > reading.processes && overlaps(&reading, events, first, last)) {
        trace->processes.data[reading.processes].path = mem_string(name);
        end_parents(trace, events);
        return;
    }
    take_back(&reading, events);
    if (status == POP_OK)
        return; /* of another time */
    str_format(&note, "%s%s%s was not read: %s", trace->note ? trace->note : "", trace->note ? "; " : "", name,
               error.text);
    free(trace->note);
    trace->note = note.text;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static void read_directory(struct host_trace *trace, const char *directory, int64_t first, int64_t last)
{
    DIR *stream = opendir(directory);
    VEC(char *) names = { 0 };
    struct str path = { 0 };
    for (struct dirent *entry; stream && names.count < MAX_FILES && (entry = readdir(stream));) {
        size_t length = strlen(entry->d_name);
        struct stat facts;
        path.length = 0;
        str_format(&path, "%s/%s", directory, entry->d_name);
        /* What was written last before the runs is not of their time. */
        if (length > 5 && strcmp(entry->d_name + length - 5, ".pvti") == 0 && stat(path.text, &facts) == 0 &&
            S_ISREG(facts.st_mode) && facts.st_mtim.tv_sec + 1 >= first / 1000000000)
            *(char **)vec_push(&names) = mem_string(entry->d_name);
    }
    if (stream)
        closedir(stream);
    if (names.count)
        qsort(names.data, names.count, sizeof(*names.data), by_name);
    for (size_t i = 0; i < names.count; ++i) {
        path.length = 0;
        str_format(&path, "%s/%s", directory, names.data[i]);
        read_file(trace, path.text, names.data[i], first, last);
        free(names.data[i]);
    }
    vec_free(&names);
    str_free(&path);
}

/* ---- the axis ---- */

/* A recorded run: host time from start to end is scaled to its cycles. */
struct stretch {
    int64_t start, end; /* ns */
    double at, length;  /* on the axis */
};
struct axis {
    VEC(struct stretch) runs;
    int64_t zero; /* ns at which the axis begins */
    double rate;  /* cycles in a nanosecond */
};

static double axis_at(const struct axis *axis, int64_t time)
{
    size_t low = 0, high = axis->runs.count; /* the number of runs that start at or before it */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (axis->runs.data[middle].start <= time)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return (double)(time - axis->zero) * axis->rate;
    const struct stretch *run = &axis->runs.data[low - 1];
    if (time >= run->end)
        return run->at + run->length + (double)(time - run->end) * axis->rate;
    return run->at + run->length * ((double)(time - run->start) / (double)(run->end - run->start));
}

/* Whether the cycles of a run are in the report: then its host time is scaled. */
static bool is_recorded(const struct lod_run *run)
{
    return run->to > run->from && run->start > 0 && run->end >= run->start;
}

static void make_axis(struct axis *axis, const struct host_trace *trace, const struct lod *lod)
{
    axis->rate = lod->clock / 1e9;
    axis->zero = LATEST;
    for (uint32_t i = 0; i < lod->runs; ++i)
        if (lod->run[i].start > 0 && nanoseconds(lod->run[i].start) < axis->zero)
            axis->zero = nanoseconds(lod->run[i].start);
    for (size_t i = 0; i < trace->events.count; ++i)
        axis->zero = trace->events.data[i].start < axis->zero ? trace->events.data[i].start : axis->zero;
    for (size_t i = 0; i < trace->series.count; ++i)
        if (trace->series.data[i].points.count && trace->series.data[i].points.data[0].time < axis->zero)
            axis->zero = trace->series.data[i].points.data[0].time;
    for (uint32_t i = 0; i < lod->runs; ++i) {
        const struct lod_run *run = &lod->run[i];
        if (!is_recorded(run))
            continue;
        const struct stretch *before = axis->runs.count ? &axis->runs.data[axis->runs.count - 1] : NULL;
        struct stretch one = { .start = nanoseconds(run->start), .end = nanoseconds(run->end) };
        if (before && one.start < before->end) /* the clock was set back */
            one.start = before->end;
        one.end = one.end > one.start ? one.end : one.start + 1;
        one.at = ceil(axis_at(axis, one.start));
        one.length = run->to - run->from;
        *vec_push(&axis->runs) = one;
    }
}

/* Where the report's runs are on the axis. */
static void place_runs(struct host_trace *trace, const struct axis *axis, const struct lod *lod)
{
    size_t recorded = 0;
    trace->shift = mem_zero(lod->runs + 1, sizeof(*trace->shift));
    trace->length = mem_zero(lod->runs + 1, sizeof(*trace->length));
    for (uint32_t i = 0; i < lod->runs; ++i) {
        const struct lod_run *run = &lod->run[i];
        double at = 0;
        if (is_recorded(run)) {
            const struct stretch *stretch = &axis->runs.data[recorded++];
            at = stretch->at;
            trace->length[i] = stretch->length;
        } else if (run->start > 0) {
            at = ceil(axis_at(axis, nanoseconds(run->start)));
            trace->length[i] = fmax(0, axis_at(axis, nanoseconds(run->end)) - at);
        }
        trace->shift[i] = at - run->from;
        trace->to = fmax(trace->to, at + trace->length[i]);
    }
}

static int by_place(const void *left, const void *right)
{
    const struct host_event *a = left, *b = right;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

static void place_host(struct host_trace *trace, const struct axis *axis)
{
    for (size_t i = 0; i < trace->events.count; ++i) {
        struct host_event *event = &trace->events.data[i];
        event->from = axis_at(axis, event->start);
        event->to = axis_at(axis, event->end);
        trace->to = fmax(trace->to, event->to);
    }
    if (trace->events.count)
        qsort(trace->events.data, trace->events.count, sizeof(*trace->events.data), by_place);
    for (size_t i = 0; i < trace->events.count; ++i) {
        struct host_thread *thread = &trace->threads.data[trace->events.data[i].thread];
        if (!thread->count++)
            thread->first = i;
        thread->depth = trace->events.data[i].depth > thread->depth ? trace->events.data[i].depth : thread->depth;
    }
    for (size_t i = 0; i < trace->series.count; ++i)
        for (size_t k = 0; k < trace->series.data[i].points.count; ++k) {
            struct host_point *point = &trace->series.data[i].points.data[k];
            point->at = axis_at(axis, point->time);
            trace->to = fmax(trace->to, point->at);
        }
}

struct host_trace *host_trace_read(const struct lod *lod, const char *directory)
{
    struct host_trace *trace = MEM_NEW(struct host_trace);
    struct str above = { 0 };
    int64_t first = LATEST, last = -1;
    for (uint32_t i = 0; i < lod->runs; ++i)
        if (lod->run[i].start > 0) {
            int64_t start = nanoseconds(lod->run[i].start), end = nanoseconds(lod->run[i].end);
            first = start < first ? start : first;
            last = end > last ? end : last;
        }
    if (last < 0 || !(lod->clock > 0))
        return trace;
    read_directory(trace, directory, first, last);
    str_format(&above, "%s/..", directory);
    read_directory(trace, above.text, first, last);
    str_free(&above);
    if (!trace->processes.count)
        return trace;
    struct axis axis = { 0 };
    make_axis(&axis, trace, lod);
    place_runs(trace, &axis, lod);
    place_host(trace, &axis);
    vec_free(&axis.runs);
    return trace;
}

void host_trace_free(struct host_trace *trace)
{
    if (!trace)
        return;
    struct reading all = { .trace = trace };
    take_back(&all, 0);
    vec_free(&trace->processes);
    vec_free(&trace->threads);
    vec_free(&trace->events);
    vec_free(&trace->graphs);
    vec_free(&trace->series);
    intern_free(&trace->labels);
    free(trace->shift);
    free(trace->length);
    free(trace->note);
    free(trace);
}
