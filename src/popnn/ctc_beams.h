/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of a worker for one step of a beam search: counted from the loops of ctc_infer_vertices.c. */
#ifndef POPNN_CTC_BEAMS_H
#define POPNN_CTC_BEAMS_H

#include <stdint.h>

/* Every beam with every class, and a sorted list of as many as there are beams. */
static inline uint64_t ctc_extend_cycles(uint64_t beams, uint64_t classes)
{
    return 40 + beams * (10 * classes + 6 * beams);
}
/* The lists of all partitions of the classes and the beams themselves, each of which has two log-additions. */
static inline uint64_t ctc_select_cycles(uint64_t beams, uint64_t parts)
{
    return 60 + beams * (12 * parts + 10 * beams + 44);
}
/* A path's symbols, step by step backwards. */
static inline uint64_t ctc_label_cycles(uint64_t paths, uint64_t steps)
{
    return 30 + paths * (12 + 8 * steps);
}

#endif
