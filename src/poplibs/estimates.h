/* SPDX-License-Identifier: Apache-2.0 */
/* Registers the estimators of vertices that exist for several types, for the same set of types as their codelets
 * (vertex_types.h). */
#ifndef POPLIBS_ESTIMATES_H
#define POPLIBS_ESTIMATES_H

#include "poplibs/release.h"
#include "poplibs/support.h"
#include "poplibs/vertex_types.h"

enum { POPLIBS_NUM_VERTEX_TYPES = 12 };
extern const struct poplibs_vertex_type {
    unsigned bit;
    pop_type type;
} poplibs_vertex_types[POPLIBS_NUM_VERTEX_TYPES];

/* A family of vertex types, "popops::Fill<%s>", where %s stands for each type of a set. The estimator's user is the
 * type (poplibs_type_of_user). */
struct poplibs_estimate {
    const char *name;
    pop_perf_estimator estimator;
};
void poplibs_register_estimates(pop_graph *graph, unsigned types, const struct poplibs_estimate *families,
                                size_t count);

#endif
