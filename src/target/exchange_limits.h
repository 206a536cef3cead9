/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of exchange limits.  A target is a value that is copied without a call, so that its list is shared: each
 * different list that a target was made with is stored once and stays for the life of the process. */
#ifndef TARGET_EXCHANGE_LIMITS_H
#define TARGET_EXCHANGE_LIMITS_H

#include <poplar/target.h>

/* Replaces a list, which may be the caller's memory, by the stored one of the same contents. */
void exchange_limits_keep(pop_exchange_limits *limits);
int exchange_limits_compare(const pop_exchange_limits *a, const pop_exchange_limits *b);
uint64_t exchange_limits_hash(const pop_exchange_limits *limits, uint64_t seed);

#endif
