/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of what compiling found. */
#ifndef REPORT_COMPILATION_H
#define REPORT_COMPILATION_H

#include "report/writing.h"

/* The target, the graph, memory, vertices, exchanges. */
void report_write_compilation(struct report *report);

#endif
