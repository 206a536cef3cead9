/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions over tensors, done as one operation: popops_map compiles a vertex for the whole expression, which reads
 * each operand once.
 *
 *     pop_tensor y = popops_map(graph, "_1 * tanh(_2) + 0.5", POP_TENSORS(a, b), program, "y", POP_NO_OPTIONS);
 *
 * In the text, _1 is the first tensor and _20 the last that there can be.  There are C's operators (|| && | ^ & == != <
 * <= > >= << >> + - * / % ! ~) and every name of operators.def as a function: max(_1, 0), select(_1, _2, _1 > _2).
 * float(x) and the like are casts.  A number takes the type of what stands beside it; 1.5h is a half.  Types must agree
 * as they must in element_wise.h, shapes are broadcast together, and half is rounded after every operator.
 *
 * One operator alone uses the library's vertex.  So does each operator of an expression, one after the other, where
 * there is no compiler or the options say so: enableGenerateCodelet (true) and forceGenerateCodelet (false: one
 * operator alone is not compiled). enableVectorBroadcastOptimisations and enableExpressionOptimizations (true) are
 * taken; they change nothing here.
 *
 * Errors, recorded in the graph: parse_error for a text that is no expression, index_error for a placeholder without a
 * tensor, type_error, invalid_option, and poplar_error for shapes and outputs as in element_wise.h. */
#ifndef POPOPS_EXPR_H
#define POPOPS_EXPR_H

#include <popops/element_wise.h>

typedef enum popops_expr_kind {
    POPOPS_EXPR_PLACEHOLDER, /* op: its number, 1 to 20 */
    POPOPS_EXPR_CONST, /* value; type, or POP_TYPE_NULL: that of its neighbours, and op's, a pop_type, when these have
                          none */
    POPOPS_EXPR_CAST,  /* type */
    POPOPS_EXPR_UNARY, /* op: popops_unary_op, and so on */
    POPOPS_EXPR_BINARY,
    POPOPS_EXPR_TERNARY
} popops_expr_kind;
typedef struct popops_expr_node {
    popops_expr_kind kind;
    int op;
    pop_type type;
    popops_operand value;
} popops_expr_node;
/* A tree as the list of its nodes, each after its operands; borrowed. */
typedef struct popops_expr {
    const popops_expr_node *nodes;
    size_t count;
} popops_expr;

POP_BEGIN_DECLS

#define popops_map(...) popops_map_at(POP_HERE, __VA_ARGS__)
/* Adds the expression to a sequence and gives its result. */
POP_API pop_tensor popops_map_at(pop_where where, pop_graph *graph, const char *text, pop_tensors tensors,
                                 pop_program sequence, const char *name, pop_options options);
#define popops_map_in_place(...) popops_map_in_place_at(POP_HERE, __VA_ARGS__)
/* The result replaces the first tensor. */
POP_API void popops_map_in_place_at(pop_where where, pop_graph *graph, const char *text, pop_tensors tensors,
                                    pop_program sequence, const char *name, pop_options options);
#define popops_map_with_output(...) popops_map_with_output_at(POP_HERE, __VA_ARGS__)
POP_API void popops_map_with_output_at(pop_where where, pop_graph *graph, const char *text, pop_tensors tensors,
                                       pop_tensor out, pop_program sequence, const char *name, pop_options options);

/* The same for trees. */
#define popops_map_expr(...) popops_map_expr_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor popops_map_expr_at(pop_where where, pop_graph *graph, popops_expr expr, pop_tensors tensors,
                                      pop_program sequence, const char *name, pop_options options);
#define popops_map_expr_in_place(...) popops_map_expr_in_place_at(POP_HERE, __VA_ARGS__)
POP_API void popops_map_expr_in_place_at(pop_where where, pop_graph *graph, popops_expr expr, pop_tensors tensors,
                                         pop_program sequence, const char *name, pop_options options);
#define popops_map_expr_with_output(...) popops_map_expr_with_output_at(POP_HERE, __VA_ARGS__)
POP_API void popops_map_expr_with_output_at(pop_where where, pop_graph *graph, popops_expr expr, pop_tensors tensors,
                                            pop_tensor out, pop_program sequence, const char *name,
                                            pop_options options);
/* invalid_option unless popops_map would take these options. */
POP_API bool popops_check_map_options_at(pop_where where, pop_graph *graph, pop_options options);

POP_END_DECLS
#endif
