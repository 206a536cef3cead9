/* SPDX-License-Identifier: Apache-2.0 */
/* The vertices of reductions: X(operation, type of partials, type of outputs), for both sides of reduce_vertices.c.
 * UNSIGNED_INT is added and multiplied as INT; truth is bool, which is a macro. */
#ifndef POPOPS_REDUCE_REDUCE_TYPES_H
#define POPOPS_REDUCE_REDUCE_TYPES_H

#define REDUCE_REALS(X, op)   X(op, half, half) X(op, half, float) X(op, float, half) X(op, float, float)
#define REDUCE_ORDERED(X, op) X(op, half, half) X(op, float, float) X(op, int, int) X(op, unsigned, unsigned)
/* Those that can be scaled and update. */
#define REDUCE_SUMS(X)                                                                                                 \
    REDUCE_REALS(X, Add) X(Add, int, int) REDUCE_REALS(X, SquareAdd) X(SquareAdd, int, int) REDUCE_REALS(X, LogAdd)
#define REDUCE_OTHERS(X)                                                                                               \
    REDUCE_REALS(X, Mul)                                                                                               \
    X(Mul, int, int) REDUCE_ORDERED(X, Min) REDUCE_ORDERED(X, Max) X(And, truth, truth) X(Or, truth, truth)

/* Specialisations, by their numbers in vertex types.  Poplibs' 1 (each output one element) is a case of 0 here. */
enum {
    REDUCE_DEFAULT = 0,      /* region i of out from regions of partials whose sizes are multiples of its own */
    REDUCE_SINGLE_INPUT = 2, /* one output from one region */
    REDUCE_STRIDED =
        3, /* outputs in blocks of width, each from rows of so many elements, stride apart, of one region */
    REDUCE_CONTINUOUS = 4 /* each output from inner elements that stand together, in one or more rows of all outputs */
};

/* Names of vertex types. */
#define TEXT_half     "half"
#define TEXT_float    "float"
#define TEXT_int      "int"
#define TEXT_unsigned "unsigned int"
#define TEXT_truth    "bool"
#define NAME_OF(class, op, T, O, update, number)                                                                       \
    "popops::" class "<popops::Reduce" #op "," TEXT_##T "," TEXT_##O "," update "," number ">"

#endif
