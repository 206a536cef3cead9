/* SPDX-License-Identifier: Apache-2.0 */
/* Options of norm calls that have no groups: programs give all calls of a norm the same options. */
#ifndef POPLIBS_NORM_OPTIONS_H
#define POPLIBS_NORM_OPTIONS_H

#include "poplibs/options.h"

static inline bool poplibs_take_plain_norm_options(pop_where where, pop_graph *graph, const char *api,
                                                   pop_options options)
{
    union none {
        bool strided;
        double widest; /* the largest type that the parser writes */
    } none;
    static const struct poplibs_option table[] = {
#define PLAIN_NORM_OPTION(...) POPLIBS_ROW(union none, __VA_ARGS__)
#include "poplibs/options.def"
    };
    return poplibs_ready(graph) &&
           poplibs_parse_options(where, graph, api, options, table, sizeof(table) / sizeof(table[0]), &none);
}

#endif
