/* SPDX-License-Identifier: Apache-2.0 */
/* Activation functions and their gradients.  HALF or FLOAT, any shape; the softmax family works along the last
 * dimension.
 *
 * With scaling, SOFTMAX_SCALED gives 62,000 times the probabilities, so that small ones are not lost in half: *scaling
 * is set to that factor (1 for the others).  Without, it is SOFTMAX_STABLE.  An error is recorded in the graph with the
 * caller's line: type_error for other element types. */
#ifndef POPNN_NON_LINEARITY_H
#define POPNN_NON_LINEARITY_H

#include <poplar/graph.h>
#include <poplar/program.h>

typedef enum popnn_non_linearity_type {
    POPNN_SIGMOID = 0,
    POPNN_HARD_SIGMOID, /* 0.2 x + 0.5 between 0 and 1 */
    POPNN_RELU,
    POPNN_TANH,
    POPNN_GELU,  /* with tanh: x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) */
    POPNN_SWISH, /* x sigmoid(x) */
    POPNN_SOFTMAX,
    POPNN_SOFTMAX_STABLE, /* the largest of the row is subtracted first */
    POPNN_SOFTMAX_SCALED,
    POPNN_GELU_ERF, /* x / 2 (1 + erf(x / sqrt 2)) */
    POPNN_NON_LINEARITY_TYPES
} popnn_non_linearity_type;

POP_BEGIN_DECLS

/* "SIGMOID"; NULL for a number that is none. */
POP_API const char *popnn_non_linearity_type_name(popnn_non_linearity_type type);
/* "SIGMOID", "sigmoid"; false for a name that is none. */
POP_API bool popnn_non_linearity_type_by_name(const char *name, popnn_non_linearity_type *type);

#define popnn_non_linearity(...) popnn_non_linearity_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: a new tensor, laid out as t, gets f(t). */
POP_API pop_tensor popnn_non_linearity_at(pop_where where, pop_graph *graph, popnn_non_linearity_type type,
                                          pop_tensor t, pop_program sequence, const char *name);
#define popnn_non_linearity_scaled(...) popnn_non_linearity_scaled_at(POP_HERE, __VA_ARGS__)
/* The same; *scaling (may be NULL) gets what f(t) was multiplied with: 1 but for POPNN_SOFTMAX_SCALED. */
POP_API pop_tensor popnn_non_linearity_scaled_at(pop_where where, pop_graph *graph, popnn_non_linearity_type type,
                                                 pop_tensor t, float *scaling, pop_program sequence, const char *name);
#define popnn_non_linearity_in_place(...) popnn_non_linearity_in_place_at(POP_HERE, __VA_ARGS__)
/* t becomes f(t); an element that several places of t share is computed once. */
POP_API void popnn_non_linearity_in_place_at(pop_where where, pop_graph *graph, popnn_non_linearity_type type,
                                             pop_tensor t, pop_program sequence, const char *name);
#define popnn_non_linearity_in_place_scaled(...) popnn_non_linearity_in_place_scaled_at(POP_HERE, __VA_ARGS__)
POP_API void popnn_non_linearity_in_place_scaled_at(pop_where where, pop_graph *graph, popnn_non_linearity_type type,
                                                    pop_tensor t, float *scaling, pop_program sequence,
                                                    const char *name);
#define popnn_non_linearity_in_place_in(...) popnn_non_linearity_in_place_in_at(POP_HERE, __VA_ARGS__)
/* The same in a compute set; the softmax family needs several, and is a poplar_error here. */
POP_API void popnn_non_linearity_in_place_in_at(pop_where where, pop_graph *graph, popnn_non_linearity_type type,
                                                pop_tensor t, pop_compute_set set);

#define popnn_non_linearity_input_gradient(...) popnn_non_linearity_input_gradient_at(POP_HERE, __VA_ARGS__)
/* The gradient of the input, laid out as out_gradient, from that of the output, whose shape and type act has too.  act
 * is f(input), but the input itself for GELU, GELU_ERF and SWISH. */
POP_API pop_tensor popnn_non_linearity_input_gradient_at(pop_where where, pop_graph *graph,
                                                         popnn_non_linearity_type type, pop_tensor act,
                                                         pop_tensor out_gradient, pop_program sequence,
                                                         const char *name);
#define popnn_non_linearity_input_gradient_in(...) popnn_non_linearity_input_gradient_in_at(POP_HERE, __VA_ARGS__)
/* The same in a compute set; not for the softmax family. */
POP_API pop_tensor popnn_non_linearity_input_gradient_in_at(pop_where where, pop_graph *graph,
                                                            popnn_non_linearity_type type, pop_tensor act,
                                                            pop_tensor out_gradient, pop_compute_set set,
                                                            const char *name);

POP_END_DECLS

/* popnn_sigmoid(graph, t, sequence, name) and so on: a new tensor; popnn_sigmoid_in_place(...): t itself. */
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
