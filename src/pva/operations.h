/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of debug contexts and operations, for bindings.c. */
#ifndef PVA_OPERATIONS_H
#define PVA_OPERATIONS_H

#include "pva/model.h"

uint64_t debug_count(pva_object);
pva_object debug_at(pva_object, uint64_t);
pva_object debug_by_id(pva_file *file, uint64_t id);
void context_id(pva_object, struct value *);
void context_text(pva_object, const struct binding *, struct value *);
void context_json(pva_object, struct value *);
uint64_t context_parents(pva_object);
pva_object context_parent(pva_object, uint64_t);
uint64_t operation_count(pva_object);
pva_object operation_at(pva_object, uint64_t);
void operation_context(pva_object, struct value *);
void operation_name(pva_object, struct value *);
void operation_programs(pva_object, struct keys *);
void operation_vars(pva_object, struct keys *);
void operation_replaced(pva_object, struct keys *);
void operation_first(pva_object, struct value *);
void operation_last(pva_object, struct value *);

#endif
