/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of variables, and of their parts on each tile. */
#ifndef REPORT_LOWERED_H
#define REPORT_LOWERED_H

#include "report/writing.h"

/* Variables of the graph; what is where on each tile, where the options ask for it. */
void report_write_variables(struct report *report);

#endif
