/* SPDX-License-Identifier: Apache-2.0 */
/* Text of results: of passes over the graph. */
#ifndef COMPILER_DUMP_DUMP_GRAPH_H
#define COMPILER_DUMP_DUMP_GRAPH_H

#include "base/str.h"
#include "compiler/common/passes.h"

/* Appends a pass's result as lines, in deterministic order. */
typedef void dump_function(const struct compiler *c, const struct pass_results *r, struct str *out);
dump_function dump_use, dump_check, dump_sets, dump_order, dump_storage, dump_blocks, dump_outline;

#endif
