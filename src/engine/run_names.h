/* SPDX-License-Identifier: Apache-2.0 */
/* The names of the runs that an engine's record holds, in order. */
#ifndef ENGINE_RUN_NAMES_H
#define ENGINE_RUN_NAMES_H

#include "base/intern.h"

struct run_names {
    struct intern names;
    VEC(struct {
        uint32_t name;
        uint64_t runs; /* consecutive runs with this name */
    })
    list;
};
/* name: NULL or empty for none. */
void run_names_add(struct run_names *names, const char *name);
/* The name of a run, by number; "" for none. */
const char *run_names_at(const struct run_names *names, uint64_t run);
void run_names_clear(struct run_names *names);

#endif
