/* SPDX-License-Identifier: Apache-2.0 */
/* What to mend first: where cycles and bytes could be won, and how many.  Each kind of loss says what mending it would
 * leave:
 *
 *   imbalance    a compute set takes as long as its slowest tile.  Spread over all tiles it would take what all its
 *                vertices take together divided by the tiles, but no less than one of its vertices does, of which six
 *                share a tile.
 *   threads      its slowest tile has fewer vertices than workers: cut for all six, the compute set would take what
 *                its vertices execute, an instruction a cycle, and 60 cycles for six more beginnings and ends.
 *   exchange     an exchange and the sync before it would be gone if the data lay where it is used; so would a Sync
 *                program.  What bounds the superstep, sync or data, is said.
 *   stream       a copy from or to the host that is executed several times in a run could be one copy: what its syncs
 *                and its set-up take would be paid once in each run.
 *   rearrange    copies on tiles before and after a compute set would be gone if tensors had the layout that its
 *                vertices want.  With the exchanges on the same side of it they are one entry, of the larger's kind.
 *   memory       a tile that needs more than it has, or more than nine tenths of it: the bytes beyond the average
 *                tile.  The line is that of the variable which takes most of the tile.
 *
 * Entries of equal kind, name and line are one.
 *
 * What a step takes is by how much it moves the time of the last tile. */
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
extern const char *const advice_texts[ADVICE_KINDS]; /* what to do, in a sentence without a full stop */

struct advice {
    enum advice_kind kind;
    double cycles, bytes;   /* that mending it wins */
    uint64_t program, tile; /* UINT64_MAX: none */
    uint64_t variable;      /* of the graph, that takes most of the tile; UINT64_MAX: none */
    uint64_t times;         /* how often it is executed; UINT64_MAX: not known */
    bool urgent;            /* the program does not fit */
    char *name, *detail;
    char *file; /* of the user's source; NULL: not known, or not asked for */
    uint64_t line;
};
struct advices {
    VEC(struct advice) list; /* the most cycles first; what is urgent before */
    enum advice_kind kind;   /* that is being looked for */
};

/* Adds what is found of a kind; the list is ordered by advices_order. */
pop_status advices_find(struct advices *all, pva_file *file, enum advice_kind kind, pop_error *error);
void advices_order(struct advices *all, pva_file *file);
void advices_free(struct advices *all);
/* Fills file and line: those of the outermost debug context of its program, or of its variable, that has them. */
void advice_find_line(pva_file *file, struct advice *advice);

#endif
