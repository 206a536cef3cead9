/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of the writer, options, the target and its tiles, for bindings.c. */
#ifndef PVA_FACTS_H
#define PVA_FACTS_H

#include "pva/model.h"

/* The index of a name in a list, or the list's length. */
size_t name_at(const char *const *, size_t, const char *);
void info_text(pva_object, const struct binding *, struct value *);
void option_text(pva_object, const struct binding *, struct value *);
void parameter_text(pva_object, const struct binding *, struct value *);
uint64_t option_count(pva_object);
pva_object option_at(pva_object, uint64_t);
uint64_t parameter_count(pva_object);
pva_object parameter_at(pva_object, uint64_t);
void target_type(pva_object, struct value *);
void target_architecture(pva_object, struct value *);
uint64_t ipu_count(pva_object);
pva_object ipu_at(pva_object, uint64_t);
uint64_t tile_count(pva_object);
pva_object tile_at(pva_object, uint64_t);
uint64_t ipu_tile_count(pva_object);
pva_object ipu_tile_at(pva_object, uint64_t);
void tile_vertex_type(pva_object, struct value *);

#endif
