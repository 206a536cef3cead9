/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of memory and liveness, for bindings.c. */
#ifndef PVA_MEMORY_H
#define PVA_MEMORY_H

#include "pva/model.h"

void category_name(pva_object, struct value *);
void category_total(pva_object, struct value *);
void overlap_apart(pva_object, struct value *);
void overlap_shared(pva_object, struct value *);
void tile_vertices(pva_object, struct keys *);
void tile_vertex_code(pva_object, struct value *);
void live_bytes(pva_object, struct value *);
void live_variables(pva_object, struct keys *);
void live_variable_size(pva_object, struct value *);
void memory_free(pva_file *);

#endif
