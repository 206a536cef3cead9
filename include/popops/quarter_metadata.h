/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata of 8-bit floats that a program computes. */
#ifndef POPOPS_QUARTER_METADATA_H
#define POPOPS_QUARTER_METADATA_H

#include <poplar/graph.h>
#include <poplar/program.h>
#include <poplar/quarter.h>

POP_BEGIN_DECLS

#define popops_create_metadata_tensor(...) popops_create_metadata_tensor_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: a new metadata element of shape {}, on the tile of scale, gets the format and the value of scale,
 * an INT scalar of which the low 6 bits count. */
POP_API pop_tensor popops_create_metadata_tensor_at(pop_where where, pop_graph *graph, pop_quarter_format format,
                                                    pop_tensor scale, pop_program sequence, const char *name);

POP_END_DECLS
#endif
