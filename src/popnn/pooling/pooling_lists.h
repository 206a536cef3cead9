/* SPDX-License-Identifier: Apache-2.0 */
/* Work lists of pooling vertices on a modelled IPU. */
#ifndef POPNN_POOLING_POOLING_LISTS_H
#define POPNN_POOLING_POOLING_LISTS_H

#include "popnn/pooling/pooling_geometry.h"

#include "poplibs/call.h"

/* Whether work lists can describe a part: their numbers have 16 bits, and each maximum needs an element. */
bool pool_can_list(const struct pool_part *part, bool backward, bool max);
/* Sets the fields of the vertex that have the lists for a part: its rows are shared evenly by the workers. */
void pool_set_lists(const struct call *call, pop_vertex vertex, const struct pool_part *part, bool backward);

#endif
