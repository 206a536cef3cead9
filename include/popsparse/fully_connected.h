/* SPDX-License-Identifier: Apache-2.0 */
/* Fully connected layers with sparse weights.  For each group the weights are a sparse {output channels, input
 * channels} matrix W; the pattern of its values can be another in each run.
 *
 *   forward                      {batch, groups x in}  -> {batch, groups x out}   output = input W'
 *   gradient of the activations  {batch, groups x out} -> {batch, groups x in}    output = input W
 *   gradient of the weights      both                  -> one number for each value of W
 *
 * Data are HALF or FLOAT.  Params and options of all calls of a layer, and of its partitioner, must
 * be the same: the plan follows from them.
 *
 * Options: "availableMemoryProportion" (0.6), "metaInfoBucketOversizeProportion" (0.3: how much larger buckets are than
 * an even pattern needs), "doGradAPass", "doGradWPass" ("false": which passes the plan is for besides the first),
 * "planConstraints" (JSON, {"partition": {"x": n, "y": n, "z": n}}: parts of the rows, columns and batch),
 * "partitioner.optimiseForSpeed" ("true"), "partitioner.forceBucketSpills" ("false"), "partialsType" ("float"; "half"
 * for half values in blocks; otherwise sums are in float all the same, with a warning).  Without effect, with a
 * warning: "sharedBuckets" (all passes use the same buckets), "enableStructuredRearrangements" (an operand in another
 * layout is copied once), "partitioner.useActualWorkerSplitCosts" (a pattern is not divided between workers).
 *
 * Errors: poplar_error for parameters, shapes, and weights of another operation; type_error; invalid_option. */
#ifndef POPSPARSE_FULLY_CONNECTED_H
#define POPSPARSE_FULLY_CONNECTED_H

#include <poplar/graph.h>
#include <poplar/program.h>
#include <popsparse/fully_connected_params.h>
#include <popsparse/planning_cache.h>
#include <popsparse/sparse_tensor.h>

POP_BEGIN_DECLS

#define popsparse_dynamic_create_fully_connected_weights(...)                                                          \
    popsparse_dynamic_create_fully_connected_weights_at(POP_HERE, __VA_ARGS__)
/* New variables for the weights, mapped as planned.  Nothing is in them until the host writes what its partitioner
 * makes. */
POP_API popsparse_dynamic_sparse_tensor popsparse_dynamic_create_fully_connected_weights_at(
    pop_where where, pop_graph *graph, pop_type input_type, const popsparse_dynamic_fully_connected_params *params,
    const char *name, pop_options options, popsparse_planning_cache *cache);
#define popsparse_dynamic_create_fully_connected_input(...)                                                            \
    popsparse_dynamic_create_fully_connected_input_at(POP_HERE, __VA_ARGS__)
/* A new variable {batch, groups x in} with the layout that the plan needs; inputs with another are copied. */
POP_API pop_tensor popsparse_dynamic_create_fully_connected_input_at(
    pop_where where, pop_graph *graph, pop_type input_type, const popsparse_dynamic_fully_connected_params *params,
    const char *name, pop_options options, popsparse_planning_cache *cache);

#define popsparse_dynamic_fully_connected_fwd(...) popsparse_dynamic_fully_connected_fwd_at(POP_HERE, __VA_ARGS__)
/* Adds the forward pass to a sequence: the result is a new {batch, groups x out}. */
POP_API pop_tensor popsparse_dynamic_fully_connected_fwd_at(pop_where where, pop_graph *graph,
                                                            popsparse_dynamic_sparse_tensor weights,
                                                            pop_tensor activations,
                                                            const popsparse_dynamic_fully_connected_params *params,
                                                            pop_program sequence, const char *name, pop_options options,
                                                            popsparse_planning_cache *cache);
#define popsparse_dynamic_fully_connected_grad_a(...) popsparse_dynamic_fully_connected_grad_a_at(POP_HERE, __VA_ARGS__)
/* Adds the gradient of the activations to a sequence: a new {batch, groups x in}.  Needs option doGradAPass. */
POP_API pop_tensor popsparse_dynamic_fully_connected_grad_a_at(pop_where where, pop_graph *graph,
                                                               popsparse_dynamic_sparse_tensor weights,
                                                               pop_tensor gradients,
                                                               const popsparse_dynamic_fully_connected_params *params,
                                                               pop_program sequence, const char *name,
                                                               pop_options options, popsparse_planning_cache *cache);
#define popsparse_dynamic_fully_connected_sparse_grad_w(...)                                                           \
    popsparse_dynamic_fully_connected_sparse_grad_w_at(POP_HERE, __VA_ARGS__)
/* Adds the gradient of the weights to a sequence: a new tensor of nz_values' size and order, 0 in unused elements.
 * An update of the weights is an element-wise operation on the two.  meta_info is the weights'.  Needs option
 * doGradWPass. */
POP_API pop_tensor popsparse_dynamic_fully_connected_sparse_grad_w_at(
    pop_where where, pop_graph *graph, pop_tensor meta_info, pop_tensor gradients, pop_tensor activations,
    const popsparse_dynamic_fully_connected_params *params, pop_program sequence, const char *name, pop_options options,
    popsparse_planning_cache *cache);

/* Into how many parts, one after the other, a dense gradient of the weights is to be computed. */
typedef struct popsparse_dynamic_serial_splits {
    unsigned groups, input_channels, output_channels; /* parts of each; they divide its size */
} popsparse_dynamic_serial_splits;
#define popsparse_dynamic_fully_connected_dense_grad_w_serial_splits(...)                                              \
    popsparse_dynamic_fully_connected_dense_grad_w_serial_splits_at(POP_HERE, __VA_ARGS__)
/* The fewest parts with which the product of activations and gradients, {groups, in, out}, keeps to
 * availableMemoryProportion of the memory of all tiles. */
POP_API popsparse_dynamic_serial_splits popsparse_dynamic_fully_connected_dense_grad_w_serial_splits_at(
    pop_where where, pop_graph *graph, pop_type input_type, const popsparse_dynamic_fully_connected_params *params,
    pop_options options, popsparse_planning_cache *cache);

POP_END_DECLS
#endif
