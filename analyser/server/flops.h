/* SPDX-License-Identifier: Apache-2.0 */
/* Floating-point operations of compute sets, which the compiler adds up from the estimates of vertices, and what the
 * machine could do in the same time. */
#ifndef ANALYSER_FLOPS_H
#define ANALYSER_FLOPS_H

#include "answer.h"

/* Each cycle, of all tiles of a replica: operations of products of halves and of floats (a multiply-add counts two),
 * and bytes that tiles receive.  0: the architecture is not known. */
struct machine_peak {
    double of_half, of_float, exchange_bytes;
};
struct machine_peak flops_peak(pva_file *file);
/* {half, float, exchange}; a new reference. */
json_t *flops_peak_json(pva_file *file);

/* Whether the report has operations of compute sets: reports of earlier versions do not. */
bool flops_recorded(pva_file *file);
/* The executed operations of all runs and of each, {flops, vertices, uncounted, peak, runs: [{id, flops}]}: uncounted
 * of the vertices have no estimate of their own.  json_null without records; NULL, with *error set, on failure. */
json_t *flops_json(pva_file *file, pop_error *error);

/* The query "compute_set, flops, vertices without a count" of a report that has them. */
extern const char flops_by_set_sql[];

#endif
