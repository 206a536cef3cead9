/* SPDX-License-Identifier: Apache-2.0 */
/* The interpreter of ops. */
#ifndef ENGINE_RUN_H
#define ENGINE_RUN_H

#include "engine/state.h"

struct capture;

/* Ends the run: records the error and returns RUN_OVER. */
uint32_t run_fail(struct engine_run *run, pop_status status, const char *format, ...) POP_PRINTF(3, 4);
/* Runs a program in every replica. */
pop_status engine_run_program(pop_engine *engine, uint32_t program, const char *name, const char *api,
                              pop_error *error);
/* Runs ops until the replica pauses; capture may be NULL. */
void run_ops(struct engine_run *run, struct capture *capture);
/* Runs the op at which the replica pauses. */
void run_paused(struct engine_run *run);
/* An operand's bytes, valid until the next call. */
const unsigned char *run_operand(struct engine_run *run, uint32_t operand);

#endif
