/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of runs and executed steps, for bindings.c. */
#ifndef PVA_EXECUTION_H
#define PVA_EXECUTION_H

#include "pva/model.h"

uint64_t run_step_count(pva_object);
pva_object run_step_at(pva_object, uint64_t);
pva_object ipu_step_at(pva_object, uint64_t);
uint64_t step_set_count(pva_object);
pva_object step_set_at(pva_object, uint64_t);
void ipu_step(pva_object, const struct binding *, struct value *);
void range_end(pva_object, const struct binding *, struct value *);
void ipu_tile_balance(pva_object, struct value *);
void ipu_active_balance(pva_object, struct value *);
void block_program(pva_object, struct value *);
void block_is(pva_object, const struct binding *, struct value *);
void step_cycles(pva_object, uint64_t *, uint64_t);
/* The number of tiles; 0 where the report has cycles of IPUs alone. */
uint64_t step_tiles_length(pva_object);
void step_from(pva_object, uint64_t *, uint64_t);
void step_to(pva_object, uint64_t *, uint64_t);

#endif
