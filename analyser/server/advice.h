/* SPDX-License-Identifier: Apache-2.0 */
/* Advice on what to improve first: estimates of the cycles and bytes that could be saved, by the kind of loss:
 *
 * - imbalance: a compute set takes as long as its slowest tile.  Spread evenly, each tile would have as many of its
 *   vertices, to within one, of which six share a tile; it takes at least as long as one of them.
 * - threads: the slowest tile has fewer vertices than workers, or tiles take about as long but workers do not.  Split
 * for all six, the compute set would take one cycle for each instruction of its vertices, plus 60 cycles to start and
 * end six more vertices.
 * - exchange: an exchange and the sync before it are unnecessary if the data is on the tiles that use it; so is a Sync
 *   program.  The detail names what bounds the superstep: sync or data.
 * - stream: a copy from or to the host that is executed several times in a run could be a single copy: its syncs and
 * its set-up would be executed once in each run.
 * - rearrange: copies on tiles before and after a compute set are unnecessary if tensors have the layout that its
 *   vertices require.  They and the exchanges on the same side are one entry, of the larger's kind.
 * - memory: a tile that needs more memory than it has, or more than nine tenths of it: the bytes above the average
 * tile. The line is that of the variable with the most bytes on the tile.
 *
 * Entries of equal kind, name and line are merged.  The cost of a step is the time by which it delays the end of the
 * last tile. */
#ifndef ANALYSER_ADVICE_H
#define ANALYSER_ADVICE_H

#include "base/vec.h"

#include <pva/pva.h>

enum advice_kind {
    ADVICE_MEMORY,
    ADVICE_IMBALANCE,
    ADVICE_THREADS,
    ADVICE_EXCHANGE,
    ADVICE_STREAM,
    ADVICE_REARRANGE,
    ADVICE_KINDS
};
extern const char *const advice_names[ADVICE_KINDS]; /* "memory" */
extern const char *const advice_texts[ADVICE_KINDS]; /* the advice, a sentence without a full stop */

struct advice {
    enum advice_kind kind;
    double cycles, bytes;   /* estimated saving */
    uint64_t program, tile; /* UINT64_MAX: none */
    uint64_t variable;      /* the graph's variable with the most bytes on the tile; UINT64_MAX: none */
    uint64_t times;         /* number of executions; UINT64_MAX: unknown */
    bool urgent;            /* the program does not fit in memory */
    char *name, *detail;
    char *file; /* in the user's source; NULL: unknown, or not looked up */
    uint64_t line;
};
struct advices {
    VEC(struct advice) list; /* urgent entries first, then by decreasing cycles */
    enum advice_kind kind;   /* the kind that is being searched for */
};

/* Appends the entries of a kind; advices_order sorts the list. */
pop_status advices_find(struct advices *all, pva_file *file, enum advice_kind kind, pop_error *error);
/* The cycles by which compute sets delay the end of the last tile. */
pop_status advice_compute_cycles(pva_file *file, double *cycles, pop_error *error);
void advices_order(struct advices *all, pva_file *file);
void advices_free(struct advices *all);
/* Sets file and line from the outermost debug context, of its program or its variable, that has them. */
void advice_find_line(pva_file *file, struct advice *advice);

#endif
