/* SPDX-License-Identifier: Apache-2.0 */
/* Advice on what to improve first: estimates of the cycles and bytes that could be saved, by the kind of loss:
 *
 * - imbalance: a compute set takes as long as its slowest tile.  Spread evenly, each tile would have as many of its
 *   vertices, to within one, of which six share a tile; it takes at least as long as one of them.
 * - threads: the slowest tile has fewer vertices than workers, or tiles take about as long but workers do not.  Split
 * for all six, the compute set would take one cycle for each instruction of its vertices, plus 60 cycles to start and
 * end six more vertices.
 * - exchange: an exchange and the sync before it are unnecessary if the data is on the tiles that use it; so is a Sync
 *   program.  What would take as long if all tiles received it evenly is not counted.  The detail names what bounds the
 * superstep: sync or data.
 * - stream: a copy from or to the host that is executed several times in a run could be a single copy: its syncs and
 * its set-up would be executed once in each run.
 * - transfer: a copy from or to the host takes as long as its bytes at the host's rate.  Floats sent as HALF take half
 *   of it; the cast on the tiles takes cycles of its own.
 * - rearrange: copies on tiles before and after a compute set are unnecessary if tensors have the layout that its
 *   vertices require.  They and the exchanges on the same side are one entry, of the larger's kind.
 * - memory: a tile that needs more memory than it has, or more than nine tenths of it: the bytes above the average
 * tile. The line is that of the variable with the most bytes on the tile.
 *
 * Entries of equal kind, name and line are merged; of imbalance and threads of one compute set, the larger is kept.
 * The cost of a step is the time by which it delays the end of the last tile: its part of the critical path, of which
 * the account of time (account.h) is the sum. */
#ifndef ANALYSER_ADVICE_H
#define ANALYSER_ADVICE_H

#include "account.h"
#include "base/vec.h"

#include <pva/pva.h>

enum advice_kind {
    ADVICE_MEMORY,
    ADVICE_IMBALANCE,
    ADVICE_THREADS,
    ADVICE_EXCHANGE,
    ADVICE_STREAM,
    ADVICE_TRANSFER,
    ADVICE_REARRANGE,
    ADVICE_KINDS
};
extern const char *const advice_names[ADVICE_KINDS]; /* "memory" */

struct advice {
    enum advice_kind kind;
    double cycles, bytes;    /* estimated saving */
    double part[ACTIVITIES]; /* the cycles by activity in the account of time */
    uint64_t program, tile;  /* UINT64_MAX: none */
    uint64_t variable;       /* the graph's variable with the most bytes on the tile; UINT64_MAX: none */
    uint64_t times;          /* number of executions; UINT64_MAX: unknown */
    bool urgent;             /* the program does not fit in memory */
    char *name, *detail;
    char *file; /* in the user's source; NULL: unknown, or not looked up */
    uint64_t line;
};
struct advices {
    VEC(struct advice) list; /* urgent entries first, then by decreasing cycles */
    enum advice_kind kind;   /* the kind that is being searched for */
    char *moved;             /* the critical path by program as SQL; NULL until it is needed */
};

/* Appends the entries of a kind; advices_order sorts the list. */
pop_status advices_find(struct advices *all, const struct elapsed *elapsed, pva_file *file, enum advice_kind kind,
                        pop_error *error);
/* What to do, a sentence without a full stop: of a library's vertices, what its caller can do. */
const char *advice_text(const struct advice *advice);
/* The account of time divided into what entries save and what is left, which add up to all of it. */
struct advice_sum {
    double saved[ACTIVITIES], all; /* by all entries, at most the cycles of the activity */
    double shown;                  /* by the first entries */
    double left;
};
struct advice_sum advices_sum(const struct advices *all, const struct account *account, size_t rows);
void advices_order(struct advices *all, pva_file *file);
void advices_free(struct advices *all);
/* Sets file and line from the outermost debug context, of its program or its variable, that has them. */
void advice_find_line(pva_file *file, struct advice *advice);

#endif
