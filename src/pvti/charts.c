/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of series over time, and heat maps of histograms over time. */
#include "pvti/file.h"
#include "pvti/trace.h"

#include "base/vec.h"

#include <pthread.h>

/* Charts live as long as the process; their description is written again to each file. */
struct pvti_graph {
    char *name, *unit;
    VEC(char *) series;
    unsigned trace;
    size_t written; /* number of series that the current file describes */
    int64_t id;
    struct pvti_graph *next;
};
struct pvti_heatmap {
    char *name, *unit;
    double *edges;
    size_t count;
    unsigned trace;
    int64_t id;
    struct pvti_heatmap *next;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pvti_graph *graphs; /* keeps all graphs reachable until the process ends */
static struct pvti_heatmap *heatmaps;

pvti_graph *pvti_graph_create(const char *name, const char *unit)
{
    struct pvti_graph *graph = MEM_NEW(struct pvti_graph);
    graph->name = mem_string(name);
    graph->unit = mem_string(unit);
    pthread_mutex_lock(&lock);
    graph->next = graphs;
    graphs = graph;
    pthread_mutex_unlock(&lock);
    return graph;
}

unsigned pvti_graph_add_series(pvti_graph *graph, const char *name)
{
    pthread_mutex_lock(&lock);
    *vec_push(&graph->series) = mem_string(name);
    unsigned number = (unsigned)graph->series.count - 1;
    pthread_mutex_unlock(&lock);
    return number;
}

static void write_graph(struct pvti_graph *graph)
{
    unsigned number = trace_number();
    if (graph->trace != number) {
        graph->trace = number;
        graph->id = trace_id();
        graph->written = 0;
        trace_put((struct trace_row){ .kind = ROW_GRAPH,
                                      .numbers = { graph->id },
                                      .texts = { mem_string(graph->name), mem_string(graph->unit) } });
    }
    for (; graph->written < graph->series.count; ++graph->written)
        trace_put((struct trace_row){ .kind = ROW_SERIES,
                                      .numbers = { graph->id, (int64_t)graph->written },
                                      .texts = { mem_string(graph->series.data[graph->written]) } });
}

void pvti_graph_add(pvti_graph *graph, unsigned series, double value)
{
    if (!trace_on())
        return;
    pthread_mutex_lock(&lock);
    write_graph(graph);
    trace_put((struct trace_row){ .kind = ROW_NUMBER, .numbers = { graph->id, series, trace_now() }, .real = value });
    pthread_mutex_unlock(&lock);
}

pvti_heatmap *pvti_heatmap_create(const char *name, const double *edges, size_t count, const char *unit)
{
    struct pvti_heatmap *heatmap = MEM_NEW(struct pvti_heatmap);
    heatmap->name = mem_string(name);
    heatmap->unit = mem_string(unit);
    heatmap->edges = mem_copy(edges, count * sizeof(*edges));
    heatmap->count = count;
    pthread_mutex_lock(&lock);
    heatmap->next = heatmaps;
    heatmaps = heatmap;
    pthread_mutex_unlock(&lock);
    return heatmap;
}

/* The last bin whose lower edge is not above the value; the first bin for values below all edges. */
static size_t bin_of(const struct pvti_heatmap *heatmap, double value)
{
    size_t low = 0, high = heatmap->count - 1;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (value >= heatmap->edges[middle])
            low = middle;
        else
            high = middle;
    }
    return low;
}

void pvti_heatmap_add(pvti_heatmap *heatmap, const double *values, size_t count)
{
    if (!trace_on() || heatmap->count < 2)
        return;
    size_t bins = heatmap->count - 1;
    uint32_t *quantities = mem_zero(bins, sizeof(*quantities));
    for (size_t i = 0; i < count; ++i)
        ++quantities[bin_of(heatmap, values[i])];
    pthread_mutex_lock(&lock);
    unsigned number = trace_number();
    if (heatmap->trace != number) {
        heatmap->trace = number;
        heatmap->id = trace_id();
        trace_put((struct trace_row){ .kind = ROW_HEATMAP,
                                      .numbers = { heatmap->id },
                                      .texts = { mem_string(heatmap->name), mem_string(heatmap->unit) },
                                      .blob = mem_copy(heatmap->edges, heatmap->count * sizeof(double)),
                                      .blob_size = heatmap->count * sizeof(double) });
    }
    trace_put((struct trace_row){ .kind = ROW_HISTOGRAM,
                                  .numbers = { heatmap->id, trace_now() },
                                  .blob = quantities,
                                  .blob_size = bins * sizeof(*quantities) });
    pthread_mutex_unlock(&lock);
}
