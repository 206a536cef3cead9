/* SPDX-License-Identifier: Apache-2.0 */
/* Several IPUs: whole nodes to each, in order, and what passes from one to the next.
 *
 * A single batch passes the IPUs one after the other.  With several, IPU s works on batch t - s in round t: all work at
 * once, and at the end of a round hand on what the next one needs.  A value that is used several IPUs later passes all
 * those between, so that it arrives with its batch. */
#ifndef ONNX_BUILD_STAGES_H
#define ONNX_BUILD_STAGES_H

#include "onnx/build/builder.h"

/* What one IPU does in a round, in this order; hand_on needs all nodes of the round to have run. */
struct onnx_stage {
    pop_program inputs, nodes, hand_on, outputs;
};

/* What is built from now on is on this IPU; no effect with one IPU. */
void onnx_enter_ipu(onnx_builder *b, unsigned ipu);
/* Divides the nodes by what they hold, and makes the IPUs' graphs: costs are those of a build on one IPU. */
void onnx_divide_nodes(onnx_builder *b, const tremula_onnx_node_cost *costs, size_t count);
/* Frees the IPUs' graphs. */
void onnx_end_stages(onnx_builder *b);
/* Brings a tensor of an earlier IPU to the current one. */
void onnx_bring(onnx_builder *b, onnx_value *value);
/* Programs of the current IPU for streams and nodes. */
pop_program onnx_inputs_program(const onnx_builder *b);
pop_program onnx_nodes_program(const onnx_builder *b);
pop_program onnx_outputs_program(const onnx_builder *b);
/* Makes the programs, before anything is built; and one that runs all of them for all batches. */
void onnx_begin_programs(onnx_builder *b);
pop_program onnx_end_programs(onnx_builder *b);

#endif
