/* SPDX-License-Identifier: Apache-2.0 */
/* Text of results: of the passes that make the model. */
#ifndef COMPILER_DUMP_DUMP_MODEL_H
#define COMPILER_DUMP_DUMP_MODEL_H

#include "compiler/dump/dump_graph.h"

dump_function dump_schedule, dump_exchange, dump_steps, dump_live, dump_place;

#endif
