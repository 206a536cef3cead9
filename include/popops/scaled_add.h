/* SPDX-License-Identifier: Apache-2.0 */
/* Scaled addition of tensors in place, as weight updates use it.
 *
 * a and b have the same shape; the tiles of a do the work.  a must be parallel writeable.  HALF and FLOAT may be mixed;
 * results are rounded once to a's type.  b of another type is cast to a's, which is HALF, FLOAT, INT or
 * UNSIGNED_INT.  A factor that is a tensor has one element, HALF or FLOAT (for integers: the type of a).
 *
 * Options: "optimizeForSpeed" (false): vertices that require their operands in different memory elements;
 * "scaleFloatToHalfTolerance" (1e-6): a constant factor of HALF tensors is used as half if its relative error is then
 * not above this tolerance. */
#ifndef POPOPS_SCALED_ADD_H
#define POPOPS_SCALED_ADD_H

#include <poplar/graph.h>
#include <poplar/program.h>

/* The formula of popops_scaled_add_both. */
typedef enum popops_scaled_add_specialisation {
    POPOPS_SCALED_ADD_DEFAULT = 0,
    POPOPS_X_MINUS_AX_PLUS_BY /* a = a - scale_a * a + scale_b * b */
} popops_scaled_add_specialisation;

POP_BEGIN_DECLS

/* a += scale * b; scale is a tensor or a constant. */
#define popops_scaled_add_to(...) popops_scaled_add_to_at(POP_HERE, __VA_ARGS__)
POP_API void popops_scaled_add_to_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor b, pop_tensor scale,
                                     pop_program sequence, const char *name, pop_options options);
#define popops_scaled_add_to_constant(...) popops_scaled_add_to_constant_at(POP_HERE, __VA_ARGS__)
/* a += scale * b with a constant factor. */
POP_API void popops_scaled_add_to_constant_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor b,
                                              double scale, pop_program sequence, const char *name,
                                              pop_options options);
/* a -= scale * b. */
#define popops_scaled_subtract_from(...) popops_scaled_subtract_from_at(POP_HERE, __VA_ARGS__)
POP_API void popops_scaled_subtract_from_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor b,
                                            pop_tensor scale, pop_program sequence, const char *name,
                                            pop_options options);
#define popops_scaled_subtract_from_constant(...) popops_scaled_subtract_from_constant_at(POP_HERE, __VA_ARGS__)
/* a -= scale * b with a constant factor. */
POP_API void popops_scaled_subtract_from_constant_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor b,
                                                     double scale, pop_program sequence, const char *name,
                                                     pop_options options);
/* a = scale_a * a + scale_b * b, or the formula of another specialisation; floating-point types only.  b is cast to a's
 * type first.  With constants, a scale_a of 1 is the same as popops_scaled_add_to. */
#define popops_scaled_add_both(...) popops_scaled_add_both_at(POP_HERE, __VA_ARGS__)
POP_API void popops_scaled_add_both_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor scale_a,
                                       pop_tensor b, pop_tensor scale_b, pop_program sequence,
                                       popops_scaled_add_specialisation specialisation, const char *name,
                                       pop_options options);
#define popops_scaled_add_both_constant(...) popops_scaled_add_both_constant_at(POP_HERE, __VA_ARGS__)
/* a = scale_a * a + scale_b * b with constant factors. */
POP_API void popops_scaled_add_both_constant_at(pop_where where, pop_graph *graph, pop_tensor a, double scale_a,
                                                pop_tensor b, double scale_b, pop_program sequence,
                                                popops_scaled_add_specialisation specialisation, const char *name,
                                                pop_options options);
/* a = scale_a * a - scale_b * b. */
#define popops_scaled_subtract_both(...) popops_scaled_subtract_both_at(POP_HERE, __VA_ARGS__)
POP_API void popops_scaled_subtract_both_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor scale_a,
                                            pop_tensor b, pop_tensor scale_b, pop_program sequence, const char *name,
                                            pop_options options);
#define popops_scaled_subtract_both_constant(...) popops_scaled_subtract_both_constant_at(POP_HERE, __VA_ARGS__)
/* a = scale_a * a - scale_b * b with constant factors. */
POP_API void popops_scaled_subtract_both_constant_at(pop_where where, pop_graph *graph, pop_tensor a, double scale_a,
                                                     pop_tensor b, double scale_b, pop_program sequence,
                                                     const char *name, pop_options options);

POP_END_DECLS
#endif
