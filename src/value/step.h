/* SPDX-License-Identifier: Apache-2.0 */
/* An executed step of a profile: one form for all that have steps (the engine's profile, reports). */
#ifndef VALUE_STEP_H
#define VALUE_STEP_H

#include <poplar/profile.h>

/* Cycles are the timeline's; sums are over tiles.  What a type does not have is not looked at. */
struct profile_step {
    const char *type, *name;
    const char *detail; /* of syncs "Internal" or "External", of StreamCopyMid what it moves; NULL or "": none */
    uint64_t program;   /* entry of the graph profile's programs */
    uint64_t index;     /* compute set, or exchange among those of its kind */
    uint64_t cycles, from, to, overlapped;
    uint64_t active_tiles, tiles; /* with cycles; of the target */
    double sum, active;           /* cycles, and those in which a thread runs */
    uint64_t data;
    double data_balance;
};
/* A map with the fields of its type (docs/profiling.md, The execution profile). */
pop_profile_value profile_step_value(const struct profile_step *step);

#endif
