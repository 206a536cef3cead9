/* SPDX-License-Identifier: Apache-2.0 */
/* The contents of an exported trace: lanes with slices, and a counter. */
#ifndef TOOLS_TRACE_H
#define TOOLS_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A step on a lane, or a run.  Times are cycles. */
struct slice {
    unsigned lane;
    uint64_t from, to;
    const char *name, *type;
    uint64_t step, cycles, active_tiles, data_in, data_out;
};

/* An output format. Lanes are declared before their slices; slices of a lane are sorted by begin and do not overlap. */
struct format {
    const char *name;
    void (*begin)(FILE *file, double hertz);
    void (*lane)(FILE *file, unsigned lane, const char *name);
    void (*slice)(FILE *file, const struct slice *slice);
    void (*counter)(FILE *file, uint64_t cycle, uint64_t bytes); /* live memory; NULL: the format has no counters */
    void (*end)(FILE *file);
};
extern const struct format format_perfetto, format_chrome, format_csv, format_json;

#endif
