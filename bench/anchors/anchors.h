/* SPDX-License-Identifier: Apache-2.0 */
/* Published figures of the original's IPU Model beside what this one says (reference/ipu-model.md has where each was found). */
#ifndef BENCH_ANCHORS_H
#define BENCH_ANCHORS_H

#include <poplar/poplar.h>

/* A heading of the table. */
void anchor_part(const char *title);
/* A row: ours may differ from the published figure by so many percent; 0: not at all.  why: what differs and for which reason, or NULL; it is
 * printed where there is a difference. */
void anchor(const char *figure, double published, double ours, double percent, const char *why);
/* For figures that are printed with a digit behind the point. */
void anchor_tenth(const char *figure, double published, double ours);
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

#endif
