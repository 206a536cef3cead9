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
    int partials;                         /* without effect */
    const char *constraints;
    unsigned splits[3]; /* of planConstraints: x, y, z; 0: planned */
};

/* Which options a call takes. */
enum sparse_option_set { SPARSE_OF_FULLY_CONNECTED, SPARSE_OF_MAT_MUL, SPARSE_OF_STATIC };

/* The call's options; false after an error of the graph. */
bool sparse_options_parse(const struct call *call, enum sparse_option_set set, struct sparse_options *options);

#endif
