/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions over tensors, evaluated as one operation: popops_map compiles one vertex for the whole expression, which
 * reads each operand once.
 *
 *     pop_tensor y = popops_map(graph, "_1 * tanh(_2) + 0.5", POP_TENSORS(a, b), program, "y", POP_NO_OPTIONS);
 *
 * In the text, _1, _2 and so on are the tensors of the list.  The operators are those of C (|| && | ^ & == != < <= > >=
 * << >>
 * + - * / % ! ~); each name of operators.def is a function: max(_1, 0), select(_1, _2, _1 > _2); a type is a cast:
 * float(x).  A number takes the type of the operands beside it; 1.5h is a half.  Types must match as in element_wise.h,
 * shapes are broadcast together, and half is rounded after each operator.
 *
 * A single operator uses the library's vertex.  Without a compiler, or if the options say so, an expression runs as one
 * library vertex after another; of more than 20 tensors, parts are evaluated one after the other.  Options:
 * enableGenerateCodelet (true), forceGenerateCodelet (false: a single operator is not compiled).
 * enableVectorBroadcastOptimisations and enableExpressionOptimizations (true) are accepted and have no effect.
 *
 * One expression may have two types: _1 * _2, a tensor of halves and a float of one element, in either order (in place,
 * the halves first).  It is the product of element_wise.h; its option is scalarMultiplyFloatToHalfTolerance (1e-6).
 *
 * Errors, recorded in the graph: parse_error for a text that is not an expression, index_error for a placeholder
 * without a tensor, type_error, invalid_option, and poplar_error for shapes and outputs as in element_wise.h. */
#ifndef POPOPS_EXPR_H
#define POPOPS_EXPR_H

#include <popops/element_wise.h>

/* The kinds of nodes, and which members of popops_expr_node each uses. */
typedef enum popops_expr_kind {
    POPOPS_EXPR_PLACEHOLDER, /* op: the number of the tensor, from 1 on */
    POPOPS_EXPR_CONST, /* value; type, or POP_TYPE_NULL: the type of its neighbours, or, if they have none, op's, a
                          pop_type */
    POPOPS_EXPR_CAST,  /* type */
    POPOPS_EXPR_UNARY, /* op: popops_unary_op; the next two likewise */
    POPOPS_EXPR_BINARY,
    POPOPS_EXPR_TERNARY
} popops_expr_kind;
/* A node of an expression. */
typedef struct popops_expr_node {
    popops_expr_kind kind; /* kind of the node, which says what the other members mean */
    int op;                /* number of the tensor, or the operator */
    pop_type type;         /* type of a cast or a constant */
    popops_operand value;  /* value of a constant */
} popops_expr_node;
/* A tree as the list of its nodes, each after its operands; borrowed. */
typedef struct popops_expr {
    const popops_expr_node *nodes; /* the nodes; the last one is the root */
    size_t count;                  /* their number */
} popops_expr;

POP_BEGIN_DECLS

#define popops_map(...) popops_map_at(POP_HERE, __VA_ARGS__)
/* Adds the expression to a sequence and returns its result. */
POP_API pop_tensor popops_map_at(pop_where where, pop_graph *graph, const char *text, pop_tensors tensors,
                                 pop_program sequence, const char *name, pop_options options);
#define popops_map_in_place(...) popops_map_in_place_at(POP_HERE, __VA_ARGS__)
/* Adds the expression to a sequence; the result replaces the first tensor. */
POP_API void popops_map_in_place_at(pop_where where, pop_graph *graph, const char *text, pop_tensors tensors,
                                    pop_program sequence, const char *name, pop_options options);
#define popops_map_with_output(...) popops_map_with_output_at(POP_HERE, __VA_ARGS__)
/* Adds the expression to a sequence; the result is written to out. */
POP_API void popops_map_with_output_at(pop_where where, pop_graph *graph, const char *text, pop_tensors tensors,
                                       pop_tensor out, pop_program sequence, const char *name, pop_options options);

/* Adds an expression given as a tree to a sequence and returns its result. */
#define popops_map_expr(...) popops_map_expr_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popops_map_expr_at(pop_where where, pop_graph *graph, popops_expr expr, pop_tensors tensors,
                                      pop_program sequence, const char *name, pop_options options);
#define popops_map_expr_in_place(...) popops_map_expr_in_place_at(POP_HERE, __VA_ARGS__)
/* Adds an expression given as a tree; the result replaces the first tensor. */
POP_API void popops_map_expr_in_place_at(pop_where where, pop_graph *graph, popops_expr expr, pop_tensors tensors,
                                         pop_program sequence, const char *name, pop_options options);
#define popops_map_expr_with_output(...) popops_map_expr_with_output_at(POP_HERE, __VA_ARGS__)
/* Adds an expression given as a tree; the result is written to out. */
POP_API void popops_map_expr_with_output_at(pop_where where, pop_graph *graph, popops_expr expr, pop_tensors tensors,
                                            pop_tensor out, pop_program sequence, const char *name,
                                            pop_options options);
/* Several expressions over the same tensors, one after another: as separate calls, in order. results is an array for
 * `count` tensors. In place: all are evaluated from the old values, then result i is copied to tensor i (poplar_error
 * for more expressions than tensors); with outputs, there are as many as expressions. */
#define popops_map_exprs(...) popops_map_exprs_at(POP_HERE, __VA_ARGS__)
POP_API void popops_map_exprs_at(pop_where where, pop_graph *graph, const popops_expr *exprs, size_t count,
                                 pop_tensors tensors, pop_program sequence, const char *name, pop_options options,
                                 pop_tensor *results);
#define popops_map_exprs_in_place(...) popops_map_exprs_in_place_at(POP_HERE, __VA_ARGS__)
/* Adds several expressions, which are all evaluated from the old values; then result i replaces tensor i. Error,
 * poplar_error: more expressions than tensors. */
POP_API void popops_map_exprs_in_place_at(pop_where where, pop_graph *graph, const popops_expr *exprs, size_t count,
                                          pop_tensors tensors, pop_program sequence, const char *name,
                                          pop_options options);
#define popops_map_exprs_with_output(...) popops_map_exprs_with_output_at(POP_HERE, __VA_ARGS__)
/* Adds several expressions, one after another; result i is written to outs i, of which there are as many as
 * expressions. */
POP_API void popops_map_exprs_with_output_at(pop_where where, pop_graph *graph, const popops_expr *exprs, size_t count,
                                             pop_tensors tensors, pop_tensors outs, pop_program sequence,
                                             const char *name, pop_options options);
/* The source of the codelet that popops_map generates for an expression, also where it would use the library's vertex;
 * the caller frees it. NULL after an error. */
#define popops_output_generated_codelet(...) popops_output_generated_codelet_at(POP_HERE, __VA_ARGS__)
POP_API char *popops_output_generated_codelet_at(pop_where where, pop_graph *graph, popops_expr expr,
                                                 pop_tensors tensors, pop_options options);
/* Checks options of popops_map: false and invalid_option for an option or value that it does not take. */
POP_API bool popops_check_map_options_at(pop_where where, pop_graph *graph, pop_options options);

POP_END_DECLS
#endif
