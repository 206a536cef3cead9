/* SPDX-License-Identifier: Apache-2.0 */
/* The summary's liveness. */
#ifndef VALUE_SUMMARY_LIVENESS_H
#define VALUE_SUMMARY_LIVENESS_H

#include "value/summary.h"

void summary_liveness(struct summary *s);

#endif
