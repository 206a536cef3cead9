/* SPDX-License-Identifier: Apache-2.0 */
#include "poplibs/estimates.h"

const struct poplibs_vertex_type poplibs_vertex_types[POPLIBS_NUM_VERTEX_TYPES] = {
    { POPLIBS_HALF, POP_HALF },         { POPLIBS_FLOAT, POP_FLOAT },
    { POPLIBS_INT, POP_INT },           { POPLIBS_UNSIGNED, POP_UNSIGNED_INT },
    { POPLIBS_SHORT, POP_SHORT },       { POPLIBS_USHORT, POP_UNSIGNED_SHORT },
    { POPLIBS_BOOL, POP_BOOL },         { POPLIBS_CHAR, POP_CHAR },
    { POPLIBS_SCHAR, POP_SIGNED_CHAR }, { POPLIBS_UCHAR, POP_UNSIGNED_CHAR },
    { POPLIBS_LONGLONG, POP_LONGLONG }, { POPLIBS_ULONGLONG, POP_UNSIGNED_LONGLONG },
};
void poplibs_register_estimates(pop_graph *graph, unsigned types, const struct poplibs_estimate *families, size_t count)
{
    char name[160];
    for (size_t i = 0; i < count * POPLIBS_NUM_VERTEX_TYPES; ++i) {
        const struct poplibs_estimate *family = &families[i / POPLIBS_NUM_VERTEX_TYPES];
        const struct poplibs_vertex_type *entry = &poplibs_vertex_types[i % POPLIBS_NUM_VERTEX_TYPES];
        if (!(types & entry->bit))
            continue;
        snprintf(name, sizeof(name), family->name, pop_type_name(entry->type));
        pop_graph_register_perf_estimator_at((pop_where){ 0 }, graph, name, family->estimator,
                                             poplibs_as_user(entry->type));
    }
}
