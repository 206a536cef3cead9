/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of live memory at each step. */
#ifndef REPORT_LIVENESS_H
#define REPORT_LIVENESS_H

#include "report/writing.h"

/* Writes live memory at each step, by name and by tile. */
void report_write_liveness(struct report *report);

#endif
