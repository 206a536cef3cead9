/* SPDX-License-Identifier: Apache-2.0 */
/* Text of results: of the passes that make what the host runs. */
#ifndef COMPILER_DUMP_DUMP_IMAGE_H
#define COMPILER_DUMP_DUMP_IMAGE_H

#include "compiler/dump/dump_graph.h"

dump_function dump_lower, dump_vertices, dump_emit;

#endif
