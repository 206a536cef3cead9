/* SPDX-License-Identifier: Apache-2.0 */
/* What tiles do in a step, relative to the bases of their IPUs: patterns that many steps share, and the arrays by tile
 * that patterns refer to (docs/reference/report-files.md, Execution). */
#ifndef REPORT_PATTERNS_H
#define REPORT_PATTERNS_H

#include "report/writing.h"
#include "timeline/clock.h"

/* Who takes part in a step: all tiles, those with a part in a work, those without. */
enum pattern_sync { PATTERN_ALL = 0, PATTERN_TAKING, PATTERN_ANSWERING };
/* A pattern: arrays of starts and ends, the ends counting from each IPU's base + shift. */
struct step_pattern {
    int64_t start, end;
    uint32_t work;         /* of clock.h, whose cycles these are, or whose tiles sync; UINT32_MAX: none */
    uint8_t sync;          /* enum pattern_sync */
    bool moves;            /* data: the work is an exchange that happens now */
    const uint64_t *shift; /* by IPU; NULL: 0 */
};
/* Offsets by tile, for a pattern that nobody has met yet. */
struct pattern_offsets {
    const uint64_t *start, *end;
};
typedef struct pattern_offsets (*pattern_source)(void *user);

struct patterns;
struct patterns *patterns_create(struct report *report, struct clock *clock);
void patterns_free(struct patterns *patterns);
/* The id of a pattern; its row is written when it is new.  source: asked for offsets then. */
int64_t patterns_id(struct patterns *patterns, const struct step_pattern *pattern, pattern_source source, void *user);
/* The id of an array that has these elements, by tile: a new row. */
int64_t patterns_array(struct patterns *patterns, const uint64_t *values);
/* A new row: the array `parent`, and cycles of a work added to it. */
int64_t patterns_sum(struct patterns *patterns, int64_t parent, uint32_t work);
/* The id of bases that differ from the first IPU's. */
int64_t patterns_drift(struct patterns *patterns, const uint64_t *base);

#endif
