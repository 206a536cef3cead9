/* SPDX-License-Identifier: Apache-2.0 */
/* Activation functions and their gradients. HALF or FLOAT, any shape; the softmax family is computed along the last
 * dimension.
 *
 * With scaling, SOFTMAX_SCALED gives 62,000 times the probabilities, which keeps small ones representable in half, and
 * *scaling is set to that factor (1 for the other functions).  Without scaling it equals SOFTMAX_STABLE.  An element
 * type other than HALF and FLOAT is a type_error, recorded in the graph with the caller's line. */
#ifndef POPNN_NON_LINEARITY_H
#define POPNN_NON_LINEARITY_H

#include <poplar/graph.h>
#include <poplar/program.h>

/* Activation functions. */
typedef enum popnn_non_linearity_type {
    POPNN_SIGMOID = 0,
    POPNN_HARD_SIGMOID, /* 0.2 x + 0.5, clamped to [0, 1] */
    POPNN_RELU,
    POPNN_TANH,
    POPNN_GELU,     /* with tanh: x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) */
    POPNN_GELU_ERF, /* x / 2 (1 + erf(x / sqrt 2)) */
    POPNN_SWISH,    /* x sigmoid(x) */
    POPNN_SOFTMAX,
    POPNN_SOFTMAX_STABLE, /* the row's maximum is subtracted first */
    POPNN_SOFTMAX_SCALED,
    POPNN_NON_LINEARITY_TYPES
} popnn_non_linearity_type;

POP_BEGIN_DECLS

/* "SIGMOID"; NULL for an invalid value. */
POP_API const char *popnn_non_linearity_type_name(popnn_non_linearity_type type);
/* Accepts "SIGMOID" and "sigmoid"; false for an unknown name. */
POP_API bool popnn_non_linearity_type_by_name(const char *name, popnn_non_linearity_type *type);

#define popnn_non_linearity(...) popnn_non_linearity_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence; returns f(t) as a new tensor with t's layout. */
POP_API pop_tensor popnn_non_linearity_at(pop_where where, pop_graph *graph, popnn_non_linearity_type type,
                                          pop_tensor t, pop_program sequence, const char *name);
#define popnn_non_linearity_scaled(...) popnn_non_linearity_scaled_at(POP_HERE, __VA_ARGS__)
/* Returns f(t), as popnn_non_linearity; *scaling (may be NULL) receives the factor of f(t): 1 except for
 * POPNN_SOFTMAX_SCALED. */
POP_API pop_tensor popnn_non_linearity_scaled_at(pop_where where, pop_graph *graph, popnn_non_linearity_type type,
                                                 pop_tensor t, float *scaling, pop_program sequence, const char *name);
#define popnn_non_linearity_in_place(...) popnn_non_linearity_in_place_at(POP_HERE, __VA_ARGS__)
/* Replaces t by f(t); an element that occurs several times in t is computed once. */
POP_API void popnn_non_linearity_in_place_at(pop_where where, pop_graph *graph, popnn_non_linearity_type type,
                                             pop_tensor t, pop_program sequence, const char *name);
/* Replaces t by f(t); *scaling (may be NULL) receives the factor of f(t), as popnn_non_linearity_scaled. */
#define popnn_non_linearity_in_place_scaled(...) popnn_non_linearity_in_place_scaled_at(POP_HERE, __VA_ARGS__)
POP_API void popnn_non_linearity_in_place_scaled_at(pop_where where, pop_graph *graph, popnn_non_linearity_type type,
                                                    pop_tensor t, float *scaling, pop_program sequence,
                                                    const char *name);
#define popnn_non_linearity_in_place_in(...) popnn_non_linearity_in_place_in_at(POP_HERE, __VA_ARGS__)
/* Replaces t by f(t) in a compute set, which the caller executes; the softmax family needs several compute sets and is
 * a poplar_error here. */
POP_API void popnn_non_linearity_in_place_in_at(pop_where where, pop_graph *graph, popnn_non_linearity_type type,
                                                pop_tensor t, pop_compute_set set);

#define popnn_non_linearity_input_gradient(...) popnn_non_linearity_input_gradient_at(POP_HERE, __VA_ARGS__)
/* Returns the gradient of the input, with out_gradient's layout, from the gradient of the output. act has the same
 * shape and type: it is f(input) or, for GELU, GELU_ERF and SWISH, the input. */
POP_API pop_tensor popnn_non_linearity_input_gradient_at(pop_where where, pop_graph *graph,
                                                         popnn_non_linearity_type type, pop_tensor act,
                                                         pop_tensor out_gradient, pop_program sequence,
                                                         const char *name);
#define popnn_non_linearity_input_gradient_in(...) popnn_non_linearity_input_gradient_in_at(POP_HERE, __VA_ARGS__)
/* The gradient of the input in a compute set, which the caller executes; not for the softmax family. */
POP_API pop_tensor popnn_non_linearity_input_gradient_in_at(pop_where where, pop_graph *graph,
                                                            popnn_non_linearity_type type, pop_tensor act,
                                                            pop_tensor out_gradient, pop_compute_set set,
                                                            const char *name);

POP_END_DECLS

/* popnn_sigmoid(graph, t, sequence, name) and so on return a new tensor; popnn_sigmoid_in_place(...) modifies t. */
#define popnn_sigmoid(graph, ...)                 popnn_non_linearity(graph, POPNN_SIGMOID, __VA_ARGS__)
#define popnn_sigmoid_in_place(graph, ...)        popnn_non_linearity_in_place(graph, POPNN_SIGMOID, __VA_ARGS__)
#define popnn_relu(graph, ...)                    popnn_non_linearity(graph, POPNN_RELU, __VA_ARGS__)
#define popnn_relu_in_place(graph, ...)           popnn_non_linearity_in_place(graph, POPNN_RELU, __VA_ARGS__)
#define popnn_tanh(graph, ...)                    popnn_non_linearity(graph, POPNN_TANH, __VA_ARGS__)
#define popnn_tanh_in_place(graph, ...)           popnn_non_linearity_in_place(graph, POPNN_TANH, __VA_ARGS__)
#define popnn_gelu(graph, ...)                    popnn_non_linearity(graph, POPNN_GELU, __VA_ARGS__)
#define popnn_gelu_in_place(graph, ...)           popnn_non_linearity_in_place(graph, POPNN_GELU, __VA_ARGS__)
#define popnn_swish(graph, ...)                   popnn_non_linearity(graph, POPNN_SWISH, __VA_ARGS__)
#define popnn_swish_in_place(graph, ...)          popnn_non_linearity_in_place(graph, POPNN_SWISH, __VA_ARGS__)
#define popnn_gelu_erf(graph, ...)                popnn_non_linearity(graph, POPNN_GELU_ERF, __VA_ARGS__)
#define popnn_gelu_erf_in_place(graph, ...)       popnn_non_linearity_in_place(graph, POPNN_GELU_ERF, __VA_ARGS__)
#define popnn_softmax(graph, ...)                 popnn_non_linearity(graph, POPNN_SOFTMAX, __VA_ARGS__)
#define popnn_softmax_in_place(graph, ...)        popnn_non_linearity_in_place(graph, POPNN_SOFTMAX, __VA_ARGS__)
#define popnn_softmax_stable(graph, ...)          popnn_non_linearity(graph, POPNN_SOFTMAX_STABLE, __VA_ARGS__)
#define popnn_softmax_stable_in_place(graph, ...) popnn_non_linearity_in_place(graph, POPNN_SOFTMAX_STABLE, __VA_ARGS__)
/* popnn_scaled_softmax_stable(graph, t, &scaling, sequence, name). */
#define popnn_scaled_softmax_stable(graph, ...) popnn_non_linearity_scaled(graph, POPNN_SOFTMAX_SCALED, __VA_ARGS__)
#define popnn_scaled_softmax_stable_in_place(graph, ...)                                                               \
    popnn_non_linearity_in_place_scaled(graph, POPNN_SOFTMAX_SCALED, __VA_ARGS__)

#endif
