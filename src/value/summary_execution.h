/* SPDX-License-Identifier: Apache-2.0 */
/* The summary's execution. */
#ifndef VALUE_SUMMARY_EXECUTION_H
#define VALUE_SUMMARY_EXECUTION_H

#include "value/summary.h"

void summary_execution(struct summary *s);

/* Counts and cycles by vertex type, one row each: the lists of sections 'Cycles by vertex type' and 'By vertex type'.
 */
struct type_cycles {
    uint64_t *instances, *cycles; /* by vertex type */
    size_t count;
};
void type_cycles_print(struct summary *s, const struct type_cycles *types, int indent);

#endif
