/* SPDX-License-Identifier: Apache-2.0 */
/* Options of norm calls that have no groups: programs give all calls of a norm the same options. */
#ifndef POPLIBS_NORM_OPTIONS_H
#define POPLIBS_NORM_OPTIONS_H

#include "poplibs/options.h"

bool call_takes_plain_norm_options(const struct call *call);
/* For functions that do not take their call yet. */
bool poplibs_plain_norm_options_of(pop_log_library library, pop_where where, pop_graph *graph, const char *api,
                                   pop_options options);
#define poplibs_take_plain_norm_options(...) poplibs_plain_norm_options_of(POPLIBS_LIBRARY, __VA_ARGS__)

#endif
