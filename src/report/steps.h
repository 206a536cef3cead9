/* SPDX-License-Identifier: Apache-2.0 */
/* Executed steps as rows of a report, generated in order from a trace of control flow, with bounded memory for any
 * number of steps. */
#ifndef REPORT_STEPS_H
#define REPORT_STEPS_H

#include "report/writing.h"
#include "timeline/timeline.h"

/* Starts with clocks at 0; they advance over all traces. */
struct steps_writer *steps_begin(struct report *report);
/* Writes the steps of a trace as steps of a run. */
void steps_write(struct steps_writer *writer, int64_t run, const struct trace *trace);
/* Ends the run whose traces were written. */
void steps_run_end(struct steps_writer *writer);
/* The number of rows so far, which is the id of the next step. */
int64_t steps_count(const struct steps_writer *writer);
/* The clock of the tile with the latest time. */
int64_t steps_now(const struct steps_writer *writer);
/* Commits the transaction, with the run and totals of the rows so far. */
void steps_commit(struct steps_writer *writer);
/* Frees the writer. */
void steps_end(struct steps_writer *writer);

#endif
