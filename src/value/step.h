/* SPDX-License-Identifier: Apache-2.0 */
/* An executed step of a profile, shared by the engine's profile and by reports. */
#ifndef VALUE_STEP_H
#define VALUE_STEP_H

#include <poplar/profile.h>

/* Cycles are on the timeline's clock; sums are over tiles. Fields that a type does not use are ignored. */
struct profile_step {
    const char *type, *name;
    const char *detail; /* for syncs "Internal" or "External", for StreamCopyMid what it copies; NULL or "": none */
    uint64_t program;   /* index into the graph profile's programs */
    uint64_t index;     /* index of the compute set, or of the exchange among those of its kind */
    uint64_t cycles, from, to, overlapped;
    uint64_t active_tiles, tiles; /* tiles that ran at least one cycle; tiles of the target */
    double sum, active;           /* cycles over all tiles, and those in which a thread runs */
    uint64_t data;
    double data_balance;
};
/* A map with the fields of its type (docs/reports/profiling.md, The execution profile). */
pop_profile_value profile_step_value(const struct profile_step *step);

#endif
