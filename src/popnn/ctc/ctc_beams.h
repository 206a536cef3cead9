/* SPDX-License-Identifier: Apache-2.0 */
/* Worker cycles for one step of a beam search, counted from the loops of ctc_infer_vertices.c. */
#ifndef POPNN_CTC_CTC_BEAMS_H
#define POPNN_CTC_CTC_BEAMS_H

#include <stdint.h>

/* Extends each beam by each class, and inserts into a sorted list of `beams` entries. */
static inline uint64_t ctc_extend_cycles(uint64_t beams, uint64_t classes)
{
    return 40 + beams * (10 * classes + 6 * beams);
}
/* Merges the lists of all partitions of the classes with the beams themselves, with two log-additions per beam. */
static inline uint64_t ctc_select_cycles(uint64_t beams, uint64_t parts)
{
    return 60 + beams * (12 * parts + 10 * beams + 44);
}
/* Follows the chain of a path's symbols backwards, step by step. */
static inline uint64_t ctc_label_cycles(uint64_t paths, uint64_t steps)
{
    return 30 + paths * (12 + 8 * steps);
}

#endif
