/* SPDX-License-Identifier: Apache-2.0 */
/* Published figures of the original's IPU Model compared with this one's (docs/reference/ipu-model.md names the
 * sources). */
#ifndef BENCH_ANCHORS_H
#define BENCH_ANCHORS_H

#include <poplar/poplar.h>

/* The kind of figure that the rows below a heading are compared with: published, derived from published rules by an
 * inference that the row names, or another figure of this project, which must be equal.  Rows are counted by it. */
enum anchor_basis { ANCHOR_PUBLISHED, ANCHOR_IMPLIED, ANCHOR_OWN, ANCHOR_BASES };
/* A heading of the table. */
void anchor_part(const char *title, enum anchor_basis basis);
/* A row: our figure may differ from the expected one by this percentage; 0: not at all.  why: what differs and for
 * which reason, or NULL; printed if there is a difference. */
void anchor(const char *figure, double expected, double ours, double percent, const char *why);
/* For figures that are printed with one decimal digit. */
void anchor_tenth(const char *figure, double expected, double ours);
void anchor_must(pop_status status, const pop_error *error);

/* From rules only. */
void anchors_listing(void);
void anchors_exchange(void);
void anchors_compute(void);
void anchors_host(void);
/* From programs, through the public interface. */
void anchors_tutorial(void);
void anchors_empty_exchange(void);
void anchors_memory(void);
void anchors_stencils(void);
void anchors_scaling(void);

#endif
