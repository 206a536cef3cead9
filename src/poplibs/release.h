/* SPDX-License-Identifier: Apache-2.0 */
/* What the estimates of vertices have in common in each release of Poplibs (docs/concepts/devices.md). */
#ifndef POPLIBS_RELEASE_H
#define POPLIBS_RELEASE_H

#include <poplar/target.h>

static inline bool poplibs_is_2021(const pop_target *target)
{
    return target->poplibs_release == POP_POPLIBS_2021;
}
/* Cycles in which the supervisor vertex of an element-wise operation starts its workers and waits for them. */
static inline uint64_t poplibs_supervisor_cycles(const pop_target *target)
{
    return poplibs_is_2021(target) ? 11 : 198;
}

#endif
