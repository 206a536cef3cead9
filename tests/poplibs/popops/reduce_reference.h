/* SPDX-License-Identifier: Apache-2.0 */
/* For tests: reductions in double precision. */
#ifndef TESTS_POPLIBS_POPOPS_REDUCE_REFERENCE_H
#define TESTS_POPLIBS_POPOPS_REDUCE_REFERENCE_H

#include "poplibs/numeric.h"

#include <popops/reduce.h>

struct wanted {
    double *values;
    size_t count;
};

static inline double start_of(popops_operation op)
{
    return op == POPOPS_MUL || op == POPOPS_LOGICAL_AND ? 1
           : op == POPOPS_MIN                           ? INFINITY
           : op == POPOPS_MAX || op == POPOPS_LOG_ADD   ? -INFINITY
                                                        : 0;
}
static inline double join(popops_operation op, double a, double x)
{
    switch (op) {
    case POPOPS_ADD:
        return a + x;
    case POPOPS_MUL:
        return a * x;
    case POPOPS_MIN:
        return x < a ? x : a;
    case POPOPS_MAX:
        return x > a ? x : a;
    case POPOPS_LOGICAL_AND:
        return a != 0 && x != 0;
    case POPOPS_LOGICAL_OR:
        return a != 0 || x != 0;
    case POPOPS_SQUARE_ADD:
        return a + x * x;
    case POPOPS_LOG_ADD:
        return a == -INFINITY ? x : fmax(a, x) + log1p(exp(-fabs(a - x)));
    }
    return 0;
}

/* values has the tensor's shape, row-major. */
static inline struct wanted reference(const double *values, pop_shape shape, pop_dims dims, popops_operation op)
{
    bool reduced[16] = { false };
    size_t count = 1, elements = 1;
    for (size_t i = 0; i < dims.count; ++i)
        reduced[dims.list[i]] = true;
    for (size_t d = 0; d < shape.rank; ++d) {
        count *= reduced[d] ? 1 : shape.dims[d];
        elements *= shape.dims[d];
    }
    struct wanted wanted = { malloc(count * sizeof(double) + 1), count };
    for (size_t i = 0; i < count; ++i)
        wanted.values[i] = start_of(op);
    for (size_t i = 0; i < elements; ++i) {
        size_t k = 0, scale = 1, rest = i;
        for (size_t d = shape.rank; d-- > 0; rest /= shape.dims[d])
            if (!reduced[d]) {
                k += rest % shape.dims[d] * scale;
                scale *= shape.dims[d];
            }
        wanted.values[k] = join(op, wanted.values[k], values[i]);
    }
    return wanted;
}

enum { TYPES = 5 };
static const pop_type types[TYPES] = { POP_HALF, POP_FLOAT, POP_INT, POP_UNSIGNED_INT, POP_BOOL };
static inline bool takes(popops_operation op, pop_type type)
{
    bool logical = op == POPOPS_LOGICAL_AND || op == POPOPS_LOGICAL_OR;
    return logical ? type == POP_BOOL : type != POP_BOOL && (op != POPOPS_LOG_ADD || pop_type_is_floating_point(type));
}

#endif
