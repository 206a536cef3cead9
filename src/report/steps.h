/* SPDX-License-Identifier: Apache-2.0 */
/* Executed steps, as rows of a report: what a record of control flow tells, in order, with bounded memory however many
 * they are. */
#ifndef REPORT_STEPS_H
#define REPORT_STEPS_H

#include "report/writing.h"
#include "timeline/timeline.h"

/* Clocks start at 0 and go on from one record to the next. */
struct steps_writer *steps_begin(struct report *report);
/* The steps of a record, as those of a run. */
void steps_write(struct steps_writer *writer, int64_t run, const struct trace *trace);
/* The run whose records were written is over. */
void steps_run_end(struct steps_writer *writer);
/* Rows so far: the id of the next step. */
int64_t steps_count(const struct steps_writer *writer);
/* The clock of the tile that is last. */
int64_t steps_now(const struct steps_writer *writer);
/* Ends the transaction: the run and the totals are those of the rows so far. */
void steps_commit(struct steps_writer *writer);
/* Frees the writer. */
void steps_end(struct steps_writer *writer);

#endif
