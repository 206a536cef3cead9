/* SPDX-License-Identifier: Apache-2.0 */
/* Published figures of the original's IPU Model beside what this one says (docs/reference/ipu-model.md has where each
 * was found). */
#ifndef BENCH_ANCHORS_H
#define BENCH_ANCHORS_H

#include <poplar/poplar.h>

/* What the rows below a heading are compared with: figures that were published, what follows from published rules by an
 * inference that the row names, or another figure of ours, which must be the same.  Rows are counted by it. */
enum anchor_basis { ANCHOR_PUBLISHED, ANCHOR_IMPLIED, ANCHOR_OWN, ANCHOR_BASES };
/* A heading of the table. */
void anchor_part(const char *title, enum anchor_basis basis);
/* A row: ours may differ from the expected figure by so many percent; 0: not at all.  why: what differs and for which
 * reason, or NULL; it is printed where there is a difference. */
void anchor(const char *figure, double expected, double ours, double percent, const char *why);
/* For figures that are printed with a digit behind the point. */
void anchor_tenth(const char *figure, double expected, double ours);
void anchor_must(pop_status status, const pop_error *error);

/* By rules alone. */
void anchors_listing(void);
void anchors_exchange(void);
void anchors_compute(void);
void anchors_host(void);
/* By programs, through the public interface. */
void anchors_tutorial(void);
void anchors_empty_exchange(void);
void anchors_memory(void);
void anchors_stencils(void);
void anchors_scaling(void);

#endif
