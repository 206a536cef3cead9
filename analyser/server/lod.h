/* SPDX-License-Identifier: Apache-2.0 */
/* A report's trace in memory, at two levels of detail: a row for each step, and for each IPU a bucket that summarises
 * each BUCKET_STEPS steps. It is read from the report once and cached in profile.pop_cache in the same directory
 * (lod_cache.c).
 *
 * The begin and end of a step on an IPU follow docs/reference/report-files.md: over the tiles that take any cycles. The
 * trace is immutable, except for its note; it is freed with its report. */
#ifndef ANALYSER_LOD_H
#define ANALYSER_LOD_H

#include "request.h"

enum step_kind {
#define KIND(NAME, label, type, detail, class) KIND_##NAME,
#include "trace_kinds.def"
#undef KIND
    KINDS
};
enum kind_class { CLASS_WORK, CLASS_WAIT, CLASS_IDLE };
struct kind {
    const char *label, *type, *detail;
    enum kind_class class;
};
extern const struct kind kinds[KINDS];

enum { BUCKET_STEPS = 256, DATA_KINDS = 4, DEEPEST = 24 };
#define NO_NODE UINT32_MAX

/* A pattern on an IPU, relative to the IPU's base. */
struct figure {
    int64_t from, to;     /* over active tiles */
    uint64_t cycles, sum; /* cycles of the slowest tile; sum over tiles */
    uint64_t in, out;     /* bytes */
    uint64_t active;      /* number of tiles that take any cycles; 0: the step is not visible on the IPU */
};
/* The summary of BUCKET_STEPS steps on an IPU. */
struct bucket {
    double from, to;     /* from > to: nothing is visible */
    double reach, begin; /* maximum of `to` up to this bucket; minimum of `from` from it on */
    double cycles[KINDS], sum[KINDS];
    double in[DATA_KINDS], out[DATA_KINDS]; /* of kinds KIND_GLOBAL_EXCHANGE, KIND_COPY_HOST ... KIND_COPY_MIXED */
    double live;                            /* the maximum of live bytes at a step */
    uint32_t count[KINDS];
    uint32_t common; /* the deepest common ancestor of its steps' names; NO_NODE: the steps belong to several runs */
};

/* Names as a tree of their components between slashes; leaves belong to programs (a name's last component and a
 * kind). */
struct node {
    uint32_t parent, depth; /* both 0 for node 0, the root */
    char *label;
    uint8_t kind; /* of a leaf; KINDS for inner nodes */
};
struct lod_program {
    uint32_t leaf;
    uint8_t kind;
    double live; /* live bytes, including always-live ones; 0: unknown */
};
struct lod_run {
    char *name;
    uint64_t first, steps;
    double from, to, start, end; /* cycles; microseconds since 1970 */
};
struct lod_block {
    double from, to;             /* -1: unknown */
    double shown_from, shown_to; /* where it is drawn (blocks.h) */
    uint64_t number;             /* id in the report */
    uint32_t tile, program, run;
    uint8_t kind, row; /* row: number of the tile's blocks that enclose it */
    uint32_t lost;
};

struct lod {
    unsigned ipus, tiles_per_ipu;
    uint64_t steps, patterns, drifts, buckets; /* buckets: for each IPU */
    /* by step */
    uint32_t *program, *pattern, *drift;
    int64_t *base;
    struct figure *figures; /* [pattern][ipu] */
    int64_t *shifts;        /* [drift][ipu] */
    struct bucket *bucket;  /* [ipu][bucket] */
    double from, to;        /* over all lanes and runs */
    double clock;           /* Hz */
    const double *shift;    /* by run: what its cycles have been moved by (host_trace.h); NULL: nothing */
    /* not cached, but read from the report each time */
    uint32_t programs, nodes, runs, depth; /* depth: that of the deepest leaf */
    struct lod_program *of_program;
    struct node *node;
    struct lod_run *run;
    uint64_t blocks;
    struct lod_block *block; /* sorted by tile, then by drawn begin */
    double always_live;
    bool from_cache;
    char *note; /* why there is no cache, or NULL. Read it with lod_note: it may be set while the trace is in use */
    struct lod_saving *saving; /* a save that the making thread has begun and completes later; NULL: none */
};

/* The trace of the report that report= selects, read or made at the first request. NULL with an error. */
const struct lod *lod_of(const struct request *request, pop_error *error);
/* The trace of a report by index. */
const struct lod *lod_at(const struct request *request, unsigned index, pop_error *error);
void lod_free(struct lod *lod);
/* Why the trace of a report has no cache (malloc'ed), or NULL. */
char *lod_note(const struct request *request);
/* Makes the trace of a report ahead of requests; the cache is written when requests can use the trace already. */
void lod_prepare(struct report_use *use);

static inline const struct figure *lod_figure(const struct lod *lod, uint64_t step, unsigned ipu)
{
    return &lod->figures[(uint64_t)lod->pattern[step] * lod->ipus + ipu];
}
/* The base cycle of a step's pattern on an IPU. */
static inline uint64_t lod_base(const struct lod *lod, uint64_t step, unsigned ipu)
{
    return (uint64_t)lod->base[step] + (uint64_t)lod->shifts[(uint64_t)lod->drift[step] * lod->ipus + ipu];
}
/* Whether a step is visible on an IPU, and its interval. */
static inline bool lod_extent(const struct lod *lod, uint64_t step, unsigned ipu, double *from, double *to)
{
    const struct figure *figure = lod_figure(lod, step, ipu);
    uint64_t base = lod_base(lod, step, ipu);
    *from = (double)(int64_t)(base + (uint64_t)figure->from);
    *to = (double)(int64_t)(base + (uint64_t)figure->to);
    if (*to < *from)
        *to = *from;
    return figure->active != 0;
}
static inline uint8_t lod_kind(const struct lod *lod, uint64_t step)
{
    return lod->of_program[lod->program[step]].kind;
}
static inline const struct bucket *lod_bucket(const struct lod *lod, unsigned ipu, uint64_t index)
{
    return &lod->bucket[ipu * lod->buckets + index];
}
/* The run of a step: the last run that begins at or before it. */
uint32_t lod_run_of(const struct lod *lod, uint64_t step);
/* The first bucket of an IPU that extends beyond a cycle; `buckets` when there is none. Among it and its successors,
 * those that begin before the end of a window can have steps of the window. */
uint64_t lod_first_bucket(const struct lod *lod, unsigned ipu, double cycle);
/* What the cycles of a step have been moved by. */
static inline int64_t lod_shift(const struct lod *lod, uint64_t step)
{
    return lod->shift && lod->runs ? (int64_t)lod->shift[lod_run_of(lod, step)] : 0;
}
/* Index of a kind in in[] and out[]; -1 for others. */
int lod_data_kind(unsigned kind);
/* The labels of a node and its ancestors, joined by slashes; malloc'ed. */
char *node_path(const struct node *nodes, uint32_t node);
/* A program's original name, rebuilt from its nodes; malloc'ed. */
char *lod_name(const struct lod *lod, uint32_t node);

/* lod_read.c: reads the report at `path`, which `file` has open. progress is called with the numbers of steps read
 * and to read (of the caller's part: parts are read in parallel). */
typedef void lod_progress(void *context, uint64_t done, uint64_t total);
pop_status lod_read_names(struct lod *lod, pva_file *file, pop_error *error);
pop_status lod_read_steps(struct lod *lod, pva_file *file, const char *path, lod_progress *progress, void *context,
                          pop_error *error);
void lod_make_buckets(struct lod *lod);

/* lod_cache.c: the cache file. Loading fails silently when it is missing, stale or damaged. Saving has two steps, of
 * which the second is slow; each returns the reason of a failure (malloc'ed), or NULL. */
struct lod_saving;
bool lod_load(struct lod *lod, const char *report);
struct lod_saving *lod_save_begin(const struct lod *lod, const char *report, char **why);
char *lod_save_end(struct lod_saving *saving, const struct lod *lod);

#endif
