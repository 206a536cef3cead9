/* SPDX-License-Identifier: Apache-2.0 */
/* Timing of tiles in a step, relative to the bases of their IPUs: patterns that many steps share, and the arrays by
 * tile that patterns refer to (docs/reference/report-files.md, Execution). */
#ifndef REPORT_PATTERNS_H
#define REPORT_PATTERNS_H

#include "report/writing.h"
#include "timeline/clock.h"

/* The tiles that take part in a step: all, those with a part in a work, or those without. */
enum pattern_sync { PATTERN_ALL = 0, PATTERN_TAKING, PATTERN_ANSWERING };
/* A pattern: arrays of starts and ends; ends are relative to each IPU's base + shift. */
struct step_pattern {
    int64_t start, end;
    uint32_t work;         /* a work of clock.h: its cycles, or its tiles for a partial sync; UINT32_MAX: none */
    uint8_t sync;          /* enum pattern_sync */
    bool moves;            /* the work is an exchange that moves data in this step */
    const uint64_t *shift; /* by IPU; NULL: 0 */
};
/* Offsets by tile of a new pattern. */
struct pattern_offsets {
    const uint64_t *start, *end;
};
typedef struct pattern_offsets (*pattern_source)(void *user);

struct patterns;
struct patterns *patterns_create(struct report *report, struct clock *clock);
void patterns_free(struct patterns *patterns);
/* The id of a pattern; a new one gets a row, for which source is called to supply the offsets. */
int64_t patterns_id(struct patterns *patterns, const struct step_pattern *pattern, pattern_source source, void *user);
/* Writes an array by tile and returns its id. With debug.computeInstrumentationLevel device or ipu there is none: the
 * id only tells patterns apart. */
int64_t patterns_array(struct patterns *patterns, const uint64_t *values);
/* Writes an array that is the sum of `parent` and the cycles of a work; returns its id. */
int64_t patterns_sum(struct patterns *patterns, int64_t parent, uint32_t work);
/* The id of bases that differ from the first IPU's base. */
int64_t patterns_drift(struct patterns *patterns, const uint64_t *base);

#endif
