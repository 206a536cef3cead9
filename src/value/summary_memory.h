/* SPDX-License-Identifier: Apache-2.0 */
/* The summary's memory. */
#ifndef VALUE_SUMMARY_MEMORY_H
#define VALUE_SUMMARY_MEMORY_H

#include "value/summary.h"

void summary_memory(struct summary *s);

#endif
