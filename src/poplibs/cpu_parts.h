/* SPDX-License-Identifier: Apache-2.0 */
/* How work on a CPU device is split into vertices, which its threads share. */
#ifndef POPLIBS_CPU_PARTS_H
#define POPLIBS_CPU_PARTS_H

#include "poplibs/support.h"

#include <poputil/util.h>

/* Maximum number of parts: the same on every machine, so that results do not depend on it. */
enum { POPLIBS_CPU_PARTS = 64 };
/* The number of parts of n units, each of which has at least min. */
static inline size_t poplibs_cpu_parts(size_t n, size_t min)
{
    return poplibs_max(1, poplibs_min(POPLIBS_CPU_PARTS, n / min));
}
/* Part i of them, in units. */
static inline pop_interval poplibs_cpu_part(size_t n, size_t parts, size_t i)
{
    return (pop_interval){ n * i / parts, n * (i + 1) / parts };
}
/* Splits regions of a CPU device, in units of grain elements and from min elements on. */
static inline void poplibs_split_on_cpu(const pop_interval_lists *regions, unsigned grain, size_t min,
                                        poputil_partitions *parts)
{
    poputil_split_regions_lists(regions, grain, POPLIBS_CPU_PARTS, (unsigned)min, POPUTIL_NO_LIMIT, POPUTIL_NO_LIMIT,
                                parts);
}
/* Splits a tile's regions among its workers, in units of grain elements and from min elements on; on a CPU device among
 * its parts, in units of POPLIBS_CPU_GRAIN. */
enum { POPLIBS_CPU_GRAIN = 4096 };
static inline void poplibs_split_tile(const pop_target *target, const pop_interval_lists *regions, unsigned grain,
                                      unsigned min, poputil_partitions *parts)
{
    if (target->type == POP_TARGET_CPU)
        poplibs_split_on_cpu(regions, POPLIBS_CPU_GRAIN, min, parts);
    else
        poputil_split_regions_lists(regions, grain, target->num_worker_contexts, min, POPUTIL_NO_LIMIT,
                                    POPUTIL_NO_LIMIT, parts);
}

#endif
