/* SPDX-License-Identifier: Apache-2.0 */
/* libpvti: trace points of a program, written to a file that pva_open_trace reads and SQL can query
 * (docs/reference/trace-files.md).
 *
 *     pvti_channel *channel = pvti_channel_create("MyProgram");
 *     pvti_begin(channel, "load", NULL);
 *     ...
 *     pvti_end(channel, "load");
 *
 * Nothing is recorded unless the environment asks for it: PVTI_OPTIONS='{"enable":"true", "directory":"reports"}'. Then
 * the process writes one file, named after the time and its id (Tue_Nov_24_11:59:17_2020_GMT_4532.pvti), which is
 * created at the first event and completed when the process exits or calls pvti_close.  What a killed process had
 * written until then can be read.
 *
 * All functions can be called by several threads at once.  They cannot fail: what is wrong with the options or the file
 * is said once, on standard error, and tracing ends.  Texts are copied. */
#ifndef PVTI_PVTI_H
#define PVTI_PVTI_H

#include <poplar/visibility.h>

/* A group of trace points that is switched on and off together.  Channels live as long as the process; two of one name
 * are one. */
typedef struct pvti_channel pvti_channel;
/* A chart of series of numbers over time, and a chart of histograms over time.  They live as long as the process. */
typedef struct pvti_graph pvti_graph;
typedef struct pvti_heatmap pvti_heatmap;

POP_BEGIN_DECLS

/* Whether PVTI_OPTIONS enables tracing, and it has not failed. */
POP_API bool pvti_enabled(void);

/* Enabled to begin with, unless the option "channels" lists other names. */
POP_API pvti_channel *pvti_channel_create(const char *name);
POP_API const char *pvti_channel_name(const pvti_channel *channel);
POP_API void pvti_channel_enable(pvti_channel *channel, bool enable);
POP_API bool pvti_channel_enabled(const pvti_channel *channel);
/* The channel of number index, in the order of creation, or NULL. */
POP_API pvti_channel *pvti_channel_at(size_t index);

/* Begins an event of the calling thread; events that begin within it are its children.  metadata is JSON, or NULL;
 * other text is kept as a JSON string. */
POP_API void pvti_begin(pvti_channel *channel, const char *label, const char *metadata);
/* Ends the calling thread's last open event of that channel and label; nothing happens when there is none. */
POP_API void pvti_end(pvti_channel *channel, const char *label);
/* An event without duration. */
POP_API void pvti_event(pvti_channel *channel, const char *label, const char *metadata);
/* Names the calling thread. */
POP_API void pvti_thread_name(const char *name);

POP_API pvti_graph *pvti_graph_create(const char *name, const char *unit);
/* Returns the series' number in its graph. */
POP_API unsigned pvti_graph_add_series(pvti_graph *graph, const char *name);
/* Adds a number at the present time. */
POP_API void pvti_graph_add(pvti_graph *graph, unsigned series, double value);

/* A histogram with bins between neighbouring edges, which ascend; count edges make count - 1 bins, and numbers outside
 * are in the first or the last. */
POP_API pvti_heatmap *pvti_heatmap_create(const char *name, const double *edges, size_t count, const char *unit);
/* Adds a histogram of some numbers at the present time. */
POP_API void pvti_heatmap_add(pvti_heatmap *heatmap, const double *values, size_t count);

/* The path of the trace file, or "" before the first event and without tracing.  Valid until the trace is closed. */
POP_API const char *pvti_trace_filename(void);
/* Completes the file.  A later event begins another one. */
POP_API void pvti_close(void);

POP_END_DECLS
#endif
