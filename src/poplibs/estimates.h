/* SPDX-License-Identifier: Apache-2.0 */
/* Registers the estimators of vertices that exist for several types, for the same set of types as their codelets
 * (vertex_types.h). */
#ifndef POPLIBS_ESTIMATES_H
#define POPLIBS_ESTIMATES_H

#include "poplibs/release.h"
#include "poplibs/support.h"
#include "poplibs/vertex_types.h"

static const struct poplibs_vertex_type {
    unsigned bit;
    pop_type type;
} poplibs_vertex_types[] = {
    { POPLIBS_HALF, POP_HALF },         { POPLIBS_FLOAT, POP_FLOAT },
    { POPLIBS_INT, POP_INT },           { POPLIBS_UNSIGNED, POP_UNSIGNED_INT },
    { POPLIBS_SHORT, POP_SHORT },       { POPLIBS_USHORT, POP_UNSIGNED_SHORT },
    { POPLIBS_BOOL, POP_BOOL },         { POPLIBS_CHAR, POP_CHAR },
    { POPLIBS_SCHAR, POP_SIGNED_CHAR }, { POPLIBS_UCHAR, POP_UNSIGNED_CHAR },
    { POPLIBS_LONGLONG, POP_LONGLONG }, { POPLIBS_ULONGLONG, POP_UNSIGNED_LONGLONG },
};
enum { POPLIBS_NUM_VERTEX_TYPES = sizeof(poplibs_vertex_types) / sizeof(poplibs_vertex_types[0]) };

/* A family of vertex types, "popops::Fill<%s>", where %s stands for each type of a set. The estimator's user is the
 * type (poplibs_type_of_user). */
struct poplibs_estimate {
    const char *name;
    pop_perf_estimator estimator;
};
static inline void poplibs_register_estimates(pop_graph *graph, unsigned types, const struct poplibs_estimate *families,
                                              size_t count)
{
    char name[160];
    for (size_t i = 0; i < count * POPLIBS_NUM_VERTEX_TYPES; ++i) {
        const struct poplibs_estimate *family = &families[i / POPLIBS_NUM_VERTEX_TYPES];
        const struct poplibs_vertex_type *entry = &poplibs_vertex_types[i % POPLIBS_NUM_VERTEX_TYPES];
        if (!(types & entry->bit))
            continue;
        snprintf(name, sizeof(name), family->name, pop_type_name(entry->type));
        pop_graph_register_perf_estimator(graph, name, family->estimator, poplibs_as_user(entry->type));
    }
}

#endif
