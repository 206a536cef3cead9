/* SPDX-License-Identifier: Apache-2.0 */
/* The tiles' floating-point behaviour while a compute set runs: which exceptions end a vertex, how half is rounded,
 * what it overflows to.  Programs that never set it have no registers in their image, and nothing here runs. */
#ifndef ENGINE_BEHAVE_H
#define ENGINE_BEHAVE_H

#include "image/image.h"

#include <fenv.h>

/* State of a compute set, shared by its threads and read-only while they run. */
struct behave {
    const struct image *image;
    const struct image_set *set;
    const uint32_t *flags; /* a row of IMAGE_FLAGS for each tile */
    uint64_t seed;         /* derived from all tiles' seeds */
    bool uniform;          /* all rows are equal to the first one */
    bool random;           /* some tile rounds stochastically */
    bool no_random;        /* prng.enable is off */
};

/* State of a batch of vertices on one thread. */
struct behave_thread {
    const struct behave *set; /* NULL: no registers */
    uint64_t first;           /* vertex of the set that call->states belongs to */
    fenv_t before;
    const void *seen; /* the vertex state for which the members below are valid */
    uint64_t random;
    const uint32_t *flags;
};

/* The flags of the tile of a vertex of the set. */
const uint32_t *behave_flags(const struct behave *behave, uint64_t vertex);

/* Whether programs of the image set the behaviour. */
static inline bool behave_has(const struct image *image)
{
    return image->registers.count && image->registers.data->flags;
}

struct replica;
/* Sets the registers from the options at load. */
void behave_load(struct replica *replica);
/* Before and after a set. End advances the seeds of tiles that rounded stochastically. */
void behave_begin_set(struct behave *behave, const struct replica *replica, const struct image_set *set);
void behave_end_set(const struct behave *behave, struct replica *replica);
/* Around a batch of vertices: begin enables the exceptions of the first vertex in the processor; behave_vertex switches
 * to those of another. */
void behave_begin(struct behave_thread *thread, uint64_t first);
void behave_vertex(struct behave_thread *thread, uint64_t vertex);
void behave_end(struct behave_thread *thread);
/* The function of codelet_call.narrow; call is the first member of an execute_frame. */
uint16_t behave_narrow(struct codelet_call *call, float value);

#endif
