/* SPDX-License-Identifier: Apache-2.0 */
/* What a builder of an operator sees: the node, its inputs and outputs, its attributes, the graph.
 *
 * A value is known (on the host, when the graph is built) or a tensor of the graph.  A known value that an operator
 * wants as a tensor becomes a variable with that initial value.  After a failure calls do nothing: a builder may go on,
 * and its result is what onnx_ok says. */
#ifndef ONNX_BUILD_BUILDER_H
#define ONNX_BUILD_BUILDER_H

#include "onnx/model/operator.h"

#include <poplin/planning.h>
#include <popops/element_wise.h>
#include <popops/reduce.h>

typedef struct onnx_value {
    bool given;  /* by an input, initialiser or node, so far */
    bool known;  /* host has the elements */
    bool placed; /* tensor is there */
    tremula_onnx_type type;
    tremula_onnx_tensor host; /* type and shape; data when known */
    pop_tensor tensor;
    unsigned ipu;          /* of tensor */
    pop_tensor home;       /* of an input of the model: the tensor that the stream fills, */
    unsigned home_ipu;     /* and its IPU */
    const onnx_rows *rows; /* dimension row_dim has an extent that is found when the program runs (rows.c); or NULL */
    size_t row_dim;
} onnx_value;

struct onnx_builder {
    tremula_onnx_model *model;
    onnx_arena *arena;
    onnx_value *values; /* by number */
    const onnx_node *node;
    pop_graph *root, **ipus; /* the whole graph, and that of each IPU */
    unsigned num_ipus, ipu;
    size_t batches;         /* that one run of the program takes */
    const unsigned *stages; /* the IPU of each node of the main graph; NULL: one IPU */
    pop_graph *graph;       /* of the current IPU */
    pop_graph *scratch;     /* while views are folded, else NULL */
    struct onnx_scratch *scratch_variables;
    struct onnx_stage *programs;   /* of each IPU that works on a batch of its own, or of all of them (stages.h) */
    pop_program program, arrivals; /* the node's sequence; copies from other IPUs before a node of the main graph */
    pop_where where;               /* to pass to all calls */
    const char *name;              /* of the node, for debug names */
    pop_type real;                 /* of real numbers on the device */
    pop_option poplin_options[2];
    size_t num_poplin_options;
    poplin_planning_cache *cache;
    pop_error *error;
    bool failed;
};

#define ONNX_BINARY(b, op, t, u)                                                                                       \
    popops_binary_at((b)->where, POPOPS_BINARY_##op, (b)->graph, POPOPS_OPERAND(t), POPOPS_OPERAND(u), (b)->program,   \
                     (b)->name)
#define ONNX_UNARY(b, op, t) popops_unary_at((b)->where, POPOPS_UNARY_##op, (b)->graph, t, (b)->program, (b)->name)
#define ONNX_TERNARY(b, op, t, u, v)                                                                                   \
    popops_ternary_at((b)->where, POPOPS_TERNARY_##op, (b)->graph, POPOPS_OPERAND(t), POPOPS_OPERAND(u),               \
                      POPOPS_OPERAND(v), (b)->program, (b)->name)

#endif
