/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of a report: a model step that includes syncs is split into several programs
 * (docs/reference/report-files.md, Programs). */
#ifndef REPORT_PROGRAMS_H
#define REPORT_PROGRAMS_H

#include "profile/step_parts.h"

/* Indexed by step of the model. Programs of a step have consecutive ids, in the order of its parts. */
struct program_ids {
    uint32_t *first; /* id of the step's first program; one more entry: the number of programs */
    uint8_t *parts;  /* bit i: it has part i */
    size_t steps;
};
void program_ids_make(struct program_ids *ids, const struct image *image);
void program_ids_free(struct program_ids *ids);
/* The program of a step's part, which must exist. */
uint32_t program_id(const struct program_ids *ids, uint32_t step, enum step_part part);
/* Row of exchanges that a step refers to: internal exchanges first, then global, then host. */
uint32_t exchange_id(const struct model *model, const struct model_step *step);

/* Writes the tree of programs. */
void report_write_programs(struct report *report);

#endif
