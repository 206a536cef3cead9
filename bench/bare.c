/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled once for each level, BARE_LEVEL, with popc's flags. */
#define JOIN(a, b)       JOIN_(a, b)
#define JOIN_(a, b)      a##b
#define BenchDot_compute JOIN(dot_, BARE_LEVEL)
#define BenchAdd_compute JOIN(add_, BARE_LEVEL)
#include "codelets.c"

#include "bare.h"

_Static_assert(sizeof(struct bare_dot) == sizeof(BenchDot), "the state is what popc makes of it");

bool JOIN(bare_dot_, BARE_LEVEL)(void *state)
{
    return BenchDot_compute(state);
}
