/* SPDX-License-Identifier: Apache-2.0 */
/* The machine's rules of memory: memory that programs need besides variables.  Sources in brackets are sections of
 * docs/reference/ipu-model.md; sizes without a source are marked "inferred". */
#ifndef TARGET_MEMORY_COST_H
#define TARGET_MEMORY_COST_H

#include <poplar/target.h>

/* Worker stacks and the supervisor's; their options' defaults are 3.1's 3,168 = 6 x 512 + 96. */
static inline uint64_t memory_stack_bytes(const pop_target *target, uint64_t worker, uint64_t supervisor)
{
    return target->num_worker_contexts * worker + supervisor;
}

/* [3.1: 10,720 and 10,512 are multiples of 8]. */
enum { MEMORY_PACKET_HEADER_BYTES = 8 };
/* Packets that a tile sends to other IPUs: inferred: the longest known length of the host's packets [2.5: 800 B take
 * two].
 */
enum { MEMORY_GLOBAL_PACKET_BYTES = 512 };
static inline uint64_t memory_global_packets(uint64_t sent)
{
    return (sent + MEMORY_GLOBAL_PACKET_BYTES - 1) / MEMORY_GLOBAL_PACKET_BYTES;
}
/* Code of an exchange with the host or another IPU on a tile that takes part: inferred, six instructions around it and
 * four a packet, which gives a tile of the guide's network about 200 B [3.1: 174]. */
enum { MEMORY_EXTERNAL_CODE = 6, MEMORY_PACKET_CODE = 4 };
static inline uint64_t memory_external_code_bytes(const pop_target *target, uint64_t packets)
{
    return (MEMORY_EXTERNAL_CODE + MEMORY_PACKET_CODE * packets) * target->instruction_bytes;
}

/* Source and destination of a copy vertex [3.2: 16,668 B of copy pointers are 2,083.5 pairs of four bytes, about the
 * number of vertices]; the rest of its state is its descriptor. */
enum { MEMORY_COPY_POINTER_BYTES = 8 };

/* Instructions of control code, all inferred (the guide's network has 385 B a tile for 43 compute sets and the
 * steps around them [3.1]): for a compute set or an exchange on a tile that takes part, and for a step on all tiles.
 * START: since 2020, what a tile has besides its steps: decided by factors of 16 rows [3.1]; a program that adds two
 * tensors has 175 with its steps [3.1]. */
enum {
    MEMORY_CONTROL_START = 144,
    MEMORY_CONTROL_EXECUTE = 4,
    MEMORY_CONTROL_EXCHANGE = 2,
    MEMORY_CONTROL_SYNC = 1,
    MEMORY_CONTROL_HOST = 3,
    MEMORY_CONTROL_BRANCH = 3,
    MEMORY_CONTROL_LOOP = 4,
    MEMORY_CONTROL_CALL = 1
};

#endif
