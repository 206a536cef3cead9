/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds of a random test: its standard number times TREMULA_ROUNDS (scripts/check-all sets it). */
#ifndef TESTS_ROUNDS_H
#define TESTS_ROUNDS_H

#include <stdlib.h>

static inline unsigned rounds(unsigned standard)
{
    const char *factor = getenv("TREMULA_ROUNDS");
    return standard * (factor && atoi(factor) > 0 ? (unsigned)atoi(factor) : 1);
}

#endif
