/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of compilation results. */
#ifndef REPORT_COMPILATION_H
#define REPORT_COMPILATION_H

#include "report/writing.h"

/* Writes the target, the graph, memory, vertices and exchanges. */
void report_write_compilation(struct report *report);

#endif
