/* SPDX-License-Identifier: Apache-2.0 */
/* libpvti: trace points of a program, written to a file that pva_open_trace reads and SQL can query
 * (docs/reference/trace-files.md).
 *
 *     pvti_channel *channel = pvti_channel_create("MyProgram");
 *     pvti_begin(channel, "load", NULL);
 *     ...
 *     pvti_end(channel, "load");
 *
 * Nothing is recorded unless the environment enables it: PVTI_OPTIONS='{"enable":"true", "directory":"reports"}'. Then
 * the process writes one file, named after the time and its id (Tue_Nov_24_11:59:17_2020_GMT_4532.pvti). The file is
 * created at the first event and completed when the process exits or calls pvti_close.  When the process is killed, the
 * events written before remain readable.
 *
 * All functions are thread-safe.  They cannot fail: an error in the options or the file is reported once, on standard
 * error, and ends tracing.  Texts are copied. */
#ifndef PVTI_PVTI_H
#define PVTI_PVTI_H

#include <poplar/visibility.h>

/* A group of trace points that are switched on and off together. Channels live as long as the process; creating a
 * second channel with the same name returns the first. */
typedef struct pvti_channel pvti_channel;
/* A chart of series of numbers over time, and a chart of histograms over time.  They live as long as the process. */
typedef struct pvti_graph pvti_graph;
/* A chart of histograms over time; it lives as long as the process. */
typedef struct pvti_heatmap pvti_heatmap;

POP_BEGIN_DECLS

/* Whether PVTI_OPTIONS enables tracing and tracing has not failed. */
POP_API bool pvti_enabled(void);

/* Returns the channel with this name. It is enabled initially, unless the option "channels" lists other names. */
POP_API pvti_channel *pvti_channel_create(const char *name);
POP_API const char *pvti_channel_name(const pvti_channel *channel);   /* The channel's name. */
POP_API void pvti_channel_enable(pvti_channel *channel, bool enable); /* Switches a channel on or off. */
POP_API bool pvti_channel_enabled(const pvti_channel *channel);       /* Whether events of the channel are recorded. */
/* The channel with an index, in the order of creation, or NULL. */
POP_API pvti_channel *pvti_channel_at(size_t index);

/* Begins an event of the calling thread; events that begin before it ends are its children. metadata is JSON, or
 * NULL; other text is stored as a JSON string. */
POP_API void pvti_begin(pvti_channel *channel, const char *label, const char *metadata);
/* Ends the calling thread's last open event of that channel and label; no effect when there is none. */
POP_API void pvti_end(pvti_channel *channel, const char *label);
/* Records an event without duration. */
POP_API void pvti_event(pvti_channel *channel, const char *label, const char *metadata);
/* Names the calling thread. */
POP_API void pvti_thread_name(const char *name);

/* Creates a chart of numbers over time in a unit ("MB"), without series. */
POP_API pvti_graph *pvti_graph_create(const char *name, const char *unit);
/* Adds a series and returns its index in the graph. */
POP_API unsigned pvti_graph_add_series(pvti_graph *graph, const char *name);
/* Adds a value at the current time. */
POP_API void pvti_graph_add(pvti_graph *graph, unsigned series, double value);

/* Creates a histogram with bins between neighbouring edges, in ascending order: count edges make count - 1 bins, and
 * values out of range go to the first or the last. */
POP_API pvti_heatmap *pvti_heatmap_create(const char *name, const double *edges, size_t count, const char *unit);
/* Adds a histogram of `count` values at the current time. */
POP_API void pvti_heatmap_add(pvti_heatmap *heatmap, const double *values, size_t count);

/* The path of the trace file, or "" before the first event or when tracing is off. Valid until the trace is closed. */
POP_API const char *pvti_trace_filename(void);
/* Completes the file. A later event begins a new one. */
POP_API void pvti_close(void);

POP_END_DECLS
#endif
