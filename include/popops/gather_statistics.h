/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms of tensors. */
#ifndef POPOPS_GATHER_STATISTICS_H
#define POPOPS_GATHER_STATISTICS_H

#include <poplar/graph.h>
#include <poplar/program.h>

POP_BEGIN_DECLS

#define popops_histogram(...) popops_histogram_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: counts the elements of input, of any shape, between levels.  The result is a new variable of
 * shape {levels + 1}: the counts of x < levels[0], of levels[i - 1] <= x < levels[i], and of all others, NaN included.
 * With absolute_of_input |x| is compared.  input and levels are both HALF or both FLOAT; levels is ascending, of shape
 * {n}.  The result is UNSIGNED_INT, modulo 2^32.  Option "useFloatArithmetic" (false): counts and result are FLOAT,
 * which is exact up to 2^24.  poplar_error and type_error for other tensors, invalid_option for other options. */
POP_API pop_tensor popops_histogram_at(pop_where where, pop_graph *graph, pop_tensor input, pop_tensor levels,
                                       bool absolute_of_input, pop_program sequence, const char *name,
                                       pop_options options);
#define popops_histogram_with_output(...) popops_histogram_with_output_at(POP_HERE, __VA_ARGS__)
/* Counts as popops_histogram, and writes to output, which is UNSIGNED_INT or FLOAT of shape {levels + 1}, mapped and
 * without aliases. With update_output the counts are added to its elements. Option
 * useFloatArithmeticWithUnsignedIntOutput asks for an output of UNSIGNED_INT; useFloatArithmetic is refused: the
 * output's type decides. */
POP_API void popops_histogram_with_output_at(pop_where where, pop_graph *graph, pop_tensor input, pop_tensor output,
                                             bool update_output, pop_tensor levels, bool absolute_of_input,
                                             pop_program sequence, const char *name, pop_options options);

POP_END_DECLS
#endif
