/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of variables and of their parts on each tile. */
#ifndef REPORT_LOWERED_H
#define REPORT_LOWERED_H

#include "report/writing.h"

/* Writes the graph's variables and, when the options request it, the lowered variables of each tile. */
void report_write_variables(struct report *report);

#endif
