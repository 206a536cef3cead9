/* SPDX-License-Identifier: Apache-2.0 */
/* What the slicing operations share: checks of their arguments. */
#ifndef POPOPS_SLICE_SLICING_H
#define POPOPS_SLICE_SLICING_H

#include "poplibs/support.h"

enum { POPOPS_MAX_DIMS = 64 };

/* dims and sizes fit t: dims it has, each once, and sizes no larger than they are. */
bool popops_check_dims(pop_where where, pop_graph *graph, const char *api, pop_shape shape, pop_dims dims,
                       pop_shape sizes);
/* The offsets as a flat tensor of UNSIGNED_INT; null, and an error, for other types and counts. */
pop_tensor popops_offsets(pop_where where, pop_graph *graph, const char *api, pop_tensor offset, size_t count);
/* t, which has this shape and t's type; false and an error when it has not. */
bool popops_check_shape(pop_where where, pop_graph *graph, const char *api, const char *what, pop_tensor t,
                        pop_type type, pop_shape shape);
bool popops_check_writeable(pop_where where, pop_graph *graph, const char *api, pop_tensor t);

#endif
