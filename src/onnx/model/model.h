/* SPDX-License-Identifier: Apache-2.0 */
/* A model as this library keeps it: flat arrays of values, nodes and graphs, made from a file by reader.c.
 *
 * A value is a number: each name of each graph has its own, and a name that an inner graph takes from an outer one has
 * the outer one's number, so that building needs no names.  Nodes are in an order in which each comes after what it
 * reads.  Everything belongs to the model's arena. */
#ifndef ONNX_MODEL_MODEL_H
#define ONNX_MODEL_MODEL_H

#include "onnx/model/arena.h"

#include <poplar/error.h>
#include <poplar/program.h>
#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <tremula/onnx.h>

enum { ONNX_NO_VALUE = 0 }; /* an optional input or output that is left out */

typedef struct onnx_graph onnx_graph;

typedef enum onnx_attribute_kind {
    ONNX_ATTRIBUTE_OTHER,
    ONNX_ATTRIBUTE_INTS, /* one or more */
    ONNX_ATTRIBUTE_FLOATS,
    ONNX_ATTRIBUTE_TEXT,
    ONNX_ATTRIBUTE_TEXTS,
    ONNX_ATTRIBUTE_TENSOR,
    ONNX_ATTRIBUTE_GRAPH
} onnx_attribute_kind;

typedef struct onnx_attribute {
    const char *name;
    onnx_attribute_kind kind;
    size_t count;
    union {
        const int64_t *ints;
        const float *floats;
        const char *text;
        const char *const *texts;
        const tremula_onnx_tensor *tensor;
        const onnx_graph *graph;
    } as;
} onnx_attribute;

struct onnx_operator;
typedef struct onnx_node {
    const char *name, *op, *domain;
    size_t number; /* in the file, from 1 on */
    size_t num_inputs, num_outputs, num_attributes;
    const uint32_t *inputs, *outputs; /* values */
    const onnx_attribute *attributes;
    const struct onnx_operator *row; /* NULL: not supported */
} onnx_node;

typedef struct onnx_initialiser {
    uint32_t value;
    tremula_onnx_tensor tensor;
} onnx_initialiser;

struct onnx_graph {
    const char *name;
    size_t num_nodes, num_inputs, num_outputs, num_initialisers;
    onnx_node *nodes;
    const uint32_t *inputs, *outputs; /* values; inputs without those that have an initialiser */
    const tremula_onnx_value *input_info, *output_info;
    const onnx_initialiser *initialisers;
};

/* An extent that values decide while a program runs (build/rows.c). */
typedef struct onnx_rows {
    size_t most, batches, next; /* the batch whose extent is found next */
    size_t *found;              /* by batch */
} onnx_rows;

/* A step of the program that the host computes (build/host.c). */
typedef struct onnx_host_step {
    const char *handle;
    pop_host_callback function;
    void *user;
    struct onnx_host_step *next;
} onnx_host_step;

/* What is known of an input or output besides the file. */
typedef struct onnx_port {
    tremula_onnx_tensor tensor; /* bound contents, or the shape after building */
    bool bound, needs_value, shaped;
    const char *handle;
    pop_type host_type;
    const onnx_rows *rows; /* of dimension row_dim, or NULL */
    size_t row_dim;
} onnx_port;

typedef struct onnx_dimension {
    const char *name;
    size_t value;
    struct onnx_dimension *next;
} onnx_dimension;

struct tremula_onnx_model {
    onnx_arena arena;
    const char *path, *producer;
    int64_t opset;
    size_t num_values;
    const char **value_names; /* by value */
    const onnx_node **givers; /* the node that gives a value, or NULL */
    onnx_graph graph;
    onnx_port *inputs, *outputs;
    onnx_dimension *dimensions;
    onnx_arena built; /* what the last build made */
    tremula_onnx_node_cost *costs;
    size_t num_costs;
    onnx_host_step *host_steps;
    size_t num_host_steps;
};

/* order.c: the order of a graph's nodes. */

/* Puts each node after those whose values it, or a graph within it, reads, and otherwise keeps the file's order.  False
 * with an error that names a node of a cycle. */
bool onnx_order_nodes(tremula_onnx_model *model, onnx_graph *graph, pop_error *error);

/* fail.c: error records with formatted texts. */

/* Fills an error record, which may be NULL; returns status. */
pop_status onnx_fail(pop_error *error, pop_status status, const char *format, ...) POP_PRINTF(3, 4);

/* nesting.c: the depth of messages within messages in a protobuf file, which a parser that recurses must know
 * beforehand. */

/* Whether no message is deeper than limit.  Damage in the file counts as an end: the parser reports it. */
bool onnx_nesting_within(const ProtobufCMessageDescriptor *type, const uint8_t *data, size_t size, unsigned limit);

#endif
