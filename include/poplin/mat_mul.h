/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products.  A{m,k} B{k,n} is {m,n}; grouped forms have an additional outermost dimension: A{g,m,k} B{g,k,n} is
 * {g,m,n}.
 *
 * Both operands are HALF or both FLOAT; the result is HALF or FLOAT (A's type, if a call has no argument for it).  On a
 * CPU device sums are kept in float; on others the product is a convolution that the planner splits over the tiles
 * (poplin/planning.h).  A vector is a matrix with one row or column.
 *
 * Options: availableMemoryProportion, 0 (the smallest plan) or more (0.6); partialsType, half or float (float);
 * fullyConnectedPass, NONE, INFERENCE_FWD, TRAINING_FWD, TRAINING_BWD or TRAINING_WU (NONE); inputRHSIsPreArranged
 * (false): B is the result of poplin_pre_arrange_mat_mul_input_rhs for such a product, otherwise an error;
 * use128BitConvUnitLoad (false); enableMultiStageReduce (true); enableFastReduce (false); remapOutputTensor (true);
 * gatherOutput (false); planConstraints, JSON.  cache may be NULL: then each call searches for a plan.
 *
 * Errors, recorded in the graph: poplar_error for shapes that do not match, type_error, invalid_option. */
#ifndef POPLIN_MAT_MUL_H
#define POPLIN_MAT_MUL_H

#include <poplar/program.h>
#include <poplin/planning.h>

/* A product to be planned; the shapes are of grouped matrices. */
typedef struct poplin_mat_mul_params {
    pop_type input_type, output_type; /* types of A and B, and of the product */
    size_t a_shape[3], b_shape[3];    /* {g,m,k}, {g,k,n} */
} poplin_mat_mul_params;

/* A product for poplin_preplan_mat_muls, with the target and options for which it is planned; borrows target and
 * options. */
typedef struct poplin_mat_mul_plan_request {
    const pop_target *target;     /* for which it is planned */
    poplin_mat_mul_params params; /* the product */
    pop_options options;          /* those of the call that will use the plan */
} poplin_mat_mul_plan_request;

POP_BEGIN_DECLS

/* ---- products: the result is a new tensor, or the null tensor after an error ---- */
/* A{m,k} B{k,n}, with a result of A's type. */
#define poplin_mat_mul(...) poplin_mat_mul_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor poplin_mat_mul_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor b,
                                     pop_program sequence, const char *name, pop_options options,
                                     poplin_planning_cache *cache);
#define poplin_mat_mul_typed(...) poplin_mat_mul_typed_at(POP_HERE, __VA_ARGS__)
/* A{m,k} B{k,n}, with a result of output_type. */
POP_API pop_tensor poplin_mat_mul_typed_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor b,
                                           pop_program sequence, pop_type output_type, const char *name,
                                           pop_options options, poplin_planning_cache *cache);
#define poplin_mat_mul_grouped(...) poplin_mat_mul_grouped_at(POP_HERE, __VA_ARGS__)
/* A{g,m,k} B{g,k,n}, with a result of output_type. */
POP_API pop_tensor poplin_mat_mul_grouped_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor b,
                                             pop_program sequence, pop_type output_type, const char *name,
                                             pop_options options, poplin_planning_cache *cache);

/* A{m,k} B{k,n}, written to a tensor of the product's shape, HALF or FLOAT, mapped and without aliases. */
#define poplin_mat_mul_with_output(...) poplin_mat_mul_with_output_at(POP_HERE, __VA_ARGS__)
POP_API void poplin_mat_mul_with_output_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor b,
                                           pop_tensor out, pop_program sequence, const char *name, pop_options options,
                                           poplin_planning_cache *cache);
#define poplin_mat_mul_grouped_with_output(...) poplin_mat_mul_grouped_with_output_at(POP_HERE, __VA_ARGS__)
/* A{g,m,k} B{g,k,n}, written to a tensor of the product's shape, HALF or FLOAT, mapped and without aliases. */
POP_API void poplin_mat_mul_grouped_with_output_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor b,
                                                   pop_tensor out, pop_program sequence, const char *name,
                                                   pop_options options, poplin_planning_cache *cache);

/* c += k a b.  k is a number, or a tensor of one element, HALF or FLOAT. */
#define poplin_mat_mul_acc(...) poplin_mat_mul_acc_at(POP_HERE, __VA_ARGS__)
POP_API void poplin_mat_mul_acc_at(pop_where where, pop_graph *graph, pop_tensor c, float k, pop_tensor a, pop_tensor b,
                                   pop_program sequence, const char *name, pop_options options,
                                   poplin_planning_cache *cache);
#define poplin_mat_mul_acc_tensor(...) poplin_mat_mul_acc_tensor_at(POP_HERE, __VA_ARGS__)
/* c += k a b, where k is a tensor of one element, HALF or FLOAT. */
POP_API void poplin_mat_mul_acc_tensor_at(pop_where where, pop_graph *graph, pop_tensor c, pop_tensor k, pop_tensor a,
                                          pop_tensor b, pop_program sequence, const char *name, pop_options options,
                                          poplin_planning_cache *cache);
#define poplin_mat_mul_grouped_acc(...) poplin_mat_mul_grouped_acc_at(POP_HERE, __VA_ARGS__)
/* c += k a b for grouped matrices. */
POP_API void poplin_mat_mul_grouped_acc_at(pop_where where, pop_graph *graph, pop_tensor c, float k, pop_tensor a,
                                           pop_tensor b, pop_program sequence, const char *name, pop_options options,
                                           poplin_planning_cache *cache);
#define poplin_mat_mul_grouped_acc_tensor(...) poplin_mat_mul_grouped_acc_tensor_at(POP_HERE, __VA_ARGS__)
/* c += k a b for grouped matrices, where k is a tensor of one element. */
POP_API void poplin_mat_mul_grouped_acc_tensor_at(pop_where where, pop_graph *graph, pop_tensor c, pop_tensor k,
                                                  pop_tensor a, pop_tensor b, pop_program sequence, const char *name,
                                                  pop_options options, poplin_planning_cache *cache);

/* ---- operands with the layout of the product's plan; the shapes are those of A and B ---- */
#define poplin_create_mat_mul_input_lhs(...) poplin_create_mat_mul_input_lhs_at(POP_HERE, __VA_ARGS__)
/* The first operand, A{m,k}. */
POP_API pop_tensor poplin_create_mat_mul_input_lhs_at(pop_where where, pop_graph *graph, pop_type input_type,
                                                      pop_type output_type, pop_shape a_shape, pop_shape b_shape,
                                                      const char *name, pop_options options,
                                                      poplin_planning_cache *cache);
#define poplin_create_mat_mul_input_rhs(...) poplin_create_mat_mul_input_rhs_at(POP_HERE, __VA_ARGS__)
/* The second operand, B{k,n}. */
POP_API pop_tensor poplin_create_mat_mul_input_rhs_at(pop_where where, pop_graph *graph, pop_type input_type,
                                                      pop_type output_type, pop_shape a_shape, pop_shape b_shape,
                                                      const char *name, pop_options options,
                                                      poplin_planning_cache *cache);
#define poplin_create_mat_mul_output(...) poplin_create_mat_mul_output_at(POP_HERE, __VA_ARGS__)
/* The result {m,n}, of output_type. */
POP_API pop_tensor poplin_create_mat_mul_output_at(pop_where where, pop_graph *graph, pop_type input_type,
                                                   pop_type output_type, pop_shape a_shape, pop_shape b_shape,
                                                   const char *name, pop_options options, poplin_planning_cache *cache);
#define poplin_create_mat_mul_grouped_input_lhs(...) poplin_create_mat_mul_grouped_input_lhs_at(POP_HERE, __VA_ARGS__)
/* The first operand of a grouped product, A{g,m,k}. */
POP_API pop_tensor poplin_create_mat_mul_grouped_input_lhs_at(pop_where where, pop_graph *graph, pop_type input_type,
                                                              pop_type output_type, pop_shape a_shape,
                                                              pop_shape b_shape, const char *name, pop_options options,
                                                              poplin_planning_cache *cache);
#define poplin_create_mat_mul_grouped_input_rhs(...) poplin_create_mat_mul_grouped_input_rhs_at(POP_HERE, __VA_ARGS__)
/* The second operand of a grouped product, B{g,k,n}. */
POP_API pop_tensor poplin_create_mat_mul_grouped_input_rhs_at(pop_where where, pop_graph *graph, pop_type input_type,
                                                              pop_type output_type, pop_shape a_shape,
                                                              pop_shape b_shape, const char *name, pop_options options,
                                                              poplin_planning_cache *cache);
#define poplin_create_mat_mul_grouped_output(...) poplin_create_mat_mul_grouped_output_at(POP_HERE, __VA_ARGS__)
/* The result {g,m,n} of a grouped product, of output_type. */
POP_API pop_tensor poplin_create_mat_mul_grouped_output_at(pop_where where, pop_graph *graph, pop_type input_type,
                                                           pop_type output_type, pop_shape a_shape, pop_shape b_shape,
                                                           const char *name, pop_options options,
                                                           poplin_planning_cache *cache);

/* A copy of B with the layout of the plan of a product with an A of that shape: for loops that use the same B.  Both
 * calls take the option inputRHSIsPreArranged. */
#define poplin_pre_arrange_mat_mul_input_rhs(...) poplin_pre_arrange_mat_mul_input_rhs_at(POP_HERE, __VA_ARGS__)
POP_API pop_tensor poplin_pre_arrange_mat_mul_input_rhs_at(pop_where where, pop_graph *graph, pop_shape a_shape,
                                                           pop_tensor b, pop_program sequence, pop_type output_type,
                                                           const char *name, pop_options options,
                                                           poplin_planning_cache *cache);
#define poplin_pre_arrange_mat_mul_grouped_input_rhs(...)                                                              \
    poplin_pre_arrange_mat_mul_grouped_input_rhs_at(POP_HERE, __VA_ARGS__)
/* A copy of a grouped B with the layout of the plan; see poplin_pre_arrange_mat_mul_input_rhs. */
POP_API pop_tensor poplin_pre_arrange_mat_mul_grouped_input_rhs_at(pop_where where, pop_graph *graph, pop_shape a_shape,
                                                                   pop_tensor b, pop_program sequence,
                                                                   pop_type output_type, const char *name,
                                                                   pop_options options, poplin_planning_cache *cache);
#define poplin_transpose_grouped_matrix(...) poplin_transpose_grouped_matrix_at(POP_HERE, __VA_ARGS__)
/* The view {g,k,m} of {g,m,k}. */
POP_API pop_tensor poplin_transpose_grouped_matrix_at(pop_where where, pop_tensor a);

/* ---- plans ---- */

/* Writes the plan as lines of text.  Returns the length of the whole text; the buffer is always terminated; 0 after an
 * error of the graph. */
#define poplin_mat_mul_report_plan(...) poplin_mat_mul_report_plan_at(POP_HERE, __VA_ARGS__)
POP_API size_t poplin_mat_mul_report_plan_at(pop_where where, pop_graph *graph, pop_type input_type,
                                             pop_type output_type, pop_shape a_shape, pop_shape b_shape,
                                             pop_options options, poplin_planning_cache *cache, char *buffer,
                                             size_t size);
#define poplin_mat_mul_grouped_report_plan(...) poplin_mat_mul_grouped_report_plan_at(POP_HERE, __VA_ARGS__)
/* Writes the plan of a grouped product, as poplin_mat_mul_report_plan. */
POP_API size_t poplin_mat_mul_grouped_report_plan_at(pop_where where, pop_graph *graph, pop_type input_type,
                                                     pop_type output_type, pop_shape a_shape, pop_shape b_shape,
                                                     pop_options options, poplin_planning_cache *cache, char *buffer,
                                                     size_t size);
/* Plans products into the cache, on all processors of the host.  Fails with the first request's error. */
#define poplin_preplan_mat_muls(...) poplin_preplan_mat_muls_at(POP_HERE, __VA_ARGS__)
POP_API pop_status poplin_preplan_mat_muls_at(pop_where where, const poplin_mat_mul_plan_request *requests,
                                              size_t count, poplin_planning_cache *cache, pop_error *error);
/* The convolution that implements a product; a product without columns as one with one column. */
POP_API poplin_conv_params poplin_mat_mul_conv_params(const poplin_mat_mul_params *params);
/* The largest number of entries that the next call writes. */
enum { POPLIN_MAX_MAT_MUL_OPTIONS = 16 };
/* Converts a product's options to those of its convolution.  Writes at most capacity of them, which borrow the given
 * texts, and returns their number.  invalid_option names the wrong option. */
POP_API pop_status poplin_mat_mul_conv_options(pop_options options, pop_option *list, size_t capacity, size_t *count,
                                               pop_error *error);
/* Whether a product takes these options; otherwise the graph has an error. */
#define poplin_matmul_validate_options(...) poplin_matmul_validate_options_at(POP_HERE, __VA_ARGS__)
POP_API bool poplin_matmul_validate_options_at(pop_where where, pop_graph *graph, pop_options options);

/* A total order over all fields: less than 0, 0, or greater than 0. */
POP_API int poplin_mat_mul_params_compare(const poplin_mat_mul_params *a, const poplin_mat_mul_params *b);

POP_END_DECLS
#endif
