/* SPDX-License-Identifier: Apache-2.0 */
/* A report's trace in memory, at two levels of detail: a row for each step, and a bucket for each BUCKET_STEPS steps
 * and IPU that sums them up.  It is read from the report once and kept in profile.pop_cache beside it (lod_cache.c).
 *
 * When a step begins and ends on an IPU: as docs/reference/report-files.md says, over the tiles that take any cycles.
 * Once made, nothing of it but its note changes; it is freed with its report. */
#ifndef ANALYSER_LOD_H
#define ANALYSER_LOD_H

#include "request.h"

struct report_use;

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
    int64_t from, to;     /* of active tiles */
    uint64_t cycles, sum; /* of the tile that takes longest; over tiles */
    uint64_t in, out;     /* bytes */
    uint64_t active;      /* tiles that take any; 0: the step is not seen on the IPU */
};
/* So many steps on an IPU, summed up. */
struct bucket {
    double from, to;     /* from > to: nothing is seen */
    double reach, begin; /* the largest `to` up to here; the smallest `from` from here on */
    double cycles[KINDS], sum[KINDS];
    double in[DATA_KINDS], out[DATA_KINDS]; /* of kinds KIND_GLOBAL_EXCHANGE, KIND_COPY_HOST ... KIND_COPY_MIXED */
    double live;                            /* the most that is live at a step */
    uint32_t count[KINDS];
    uint32_t common; /* the deepest node of names above all of its steps; NO_NODE: they are of several runs */
};

/* Names as a tree: parts between slashes; leaves are programs' own (a name's last part and a kind). */
struct node {
    uint32_t parent, depth; /* of node 0, the root, 0 */
    char *label;
    uint8_t kind; /* of a leaf; KINDS: none */
};
struct lod_program {
    uint32_t leaf;
    uint8_t kind;
    double live; /* bytes, with what is always live; 0: not known */
};
struct lod_run {
    char *name;
    uint64_t first, steps;
    double from, to, start, end; /* cycles; microseconds since 1970 */
};
struct lod_block {
    double from, to;             /* -1: not known */
    double shown_from, shown_to; /* where it is drawn: blocks.h */
    uint64_t number;             /* in the report */
    uint32_t tile, program, run;
    uint8_t kind, row; /* row: how many blocks of the tile it lies in */
    uint32_t lost;
};

struct lod {
    unsigned ipus, tiles_per_ipu;
    uint64_t steps, patterns, drifts, buckets; /* buckets: of each IPU */
    /* of steps */
    uint32_t *program, *pattern, *drift;
    int64_t *base;
    struct figure *figures; /* [pattern][ipu] */
    int64_t *shifts;        /* [drift][ipu] */
    struct bucket *bucket;  /* [ipu][bucket] */
    double from, to;        /* of all lanes and runs */
    /* read from the report each time */
    uint32_t programs, nodes, runs, depth; /* depth: the deepest leaf's */
    struct lod_program *of_program;
    struct node *node;
    struct lod_run *run;
    uint64_t blocks;
    struct lod_block *block; /* by tile, then by where they begin to be drawn */
    double always_live;
    bool from_cache;
    char *note; /* why there is no cache; NULL.  Read by lod_note: it can come after the trace is in use */
    struct lod_saving *saving; /* begun, for the thread that made the trace to end; NULL */
};

/* The trace of the report that report= names, read or made when it is asked for the first time.  NULL with an error. */
const struct lod *lod_of(const struct request *request, pop_error *error);
void lod_free(struct lod *lod);
/* Why the trace of a report has no cache (malloc'ed), or NULL. */
char *lod_note(const struct request *request);
/* Makes the trace of a report before anybody asks for it; the cache is written when calls can already use the trace. */
void lod_prepare(struct report_use *use);

static inline const struct figure *lod_figure(const struct lod *lod, uint64_t step, unsigned ipu)
{
    return &lod->figures[(uint64_t)lod->pattern[step] * lod->ipus + ipu];
}
/* The cycle from which a step's pattern counts on an IPU. */
static inline uint64_t lod_base(const struct lod *lod, uint64_t step, unsigned ipu)
{
    return (uint64_t)lod->base[step] + (uint64_t)lod->shifts[(uint64_t)lod->drift[step] * lod->ipus + ipu];
}
/* Whether a step is seen on an IPU, and from when to when. */
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
/* The run of a step: the last that begins with it or before. */
uint32_t lod_run_of(const struct lod *lod, uint64_t step);
/* The first bucket of an IPU that reaches beyond a cycle; buckets when none does.  Those from it on whose begin is
 * before the end of a window can hold steps of the window. */
uint64_t lod_first_bucket(const struct lod *lod, unsigned ipu, double cycle);
/* Index of a kind in in[] and out[]; -1 for others. */
int lod_data_kind(unsigned kind);
/* The labels of a node and those above it, with slashes; malloc'ed. */
char *node_path(const struct node *nodes, uint32_t node);
/* A program's name as it was given, from its nodes; malloc'ed. */
char *lod_name(const struct lod *lod, uint32_t node);

/* lod_read.c: from the report at `path`, which `file` has open.  progress is called with steps read and to be read (of
 * the caller's part: parts are read side by side). */
typedef void lod_progress(void *context, uint64_t done, uint64_t total);
pop_status lod_read_names(struct lod *lod, pva_file *file, pop_error *error);
pop_status lod_read_steps(struct lod *lod, pva_file *file, const char *path, lod_progress *progress, void *context,
                          pop_error *error);
void lod_make_buckets(struct lod *lod);

/* lod_cache.c: beside the report.  Loading fails silently when there is none, or it is stale or damaged.  Saving has
 * two parts, of which the second takes long; both say why it is not possible (malloc'ed), or NULL. */
struct lod_saving;
bool lod_load(struct lod *lod, const char *report);
struct lod_saving *lod_save_begin(const struct lod *lod, const char *report, char **why);
char *lod_save_end(struct lod_saving *saving, const struct lod *lod);

#endif
