/* SPDX-License-Identifier: Apache-2.0 */
/* Options of sparse operations (poplibs/options.def: SPARSE_OPTION). */
#ifndef POPSPARSE_PLAN_OPTIONS_H
#define POPSPARSE_PLAN_OPTIONS_H

#include "poplibs/call.h"

struct sparse_options {
    double proportion, oversize;
    bool grad_a, grad_w;
    bool for_speed, spills;
    bool shared, rearrange, worker_costs; /* without effect */
    bool verbose;                         /* plans are logged at level info */
    int partials;                         /* as asked for: SPARSE_FLOAT_SUMS, SPARSE_HALF_SUMS */
    pop_type sums;                        /* of partial results, as the operation can have them (request.h) */
    const char *constraints;              /* borrowed while options are read */
    unsigned splits[3];                   /* that a plan must have: x, y, z; 0: planned */
};
enum { SPARSE_FLOAT_SUMS, SPARSE_HALF_SUMS };

/* Which options a call takes. */
enum sparse_option_set { SPARSE_OF_FULLY_CONNECTED, SPARSE_OF_MAT_MUL, SPARSE_OF_STATIC };

/* The call's options; transposed: of a static product with the dense matrix on the left. False after an error of the
 * graph. */
bool sparse_options_parse(const struct call *call, enum sparse_option_set set, bool transposed,
                          struct sparse_options *options);
/* Those of an operation that has none, as if none were given. */
struct sparse_options sparse_options_default(void);

#endif
