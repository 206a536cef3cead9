/* SPDX-License-Identifier: Apache-2.0 */
/* What a call of a sparse operation does: its shape, its options and its plan. */
#ifndef POPSPARSE_PASS_REQUEST_H
#define POPSPARSE_PASS_REQUEST_H

#include "popsparse/plan/plan.h"

struct sparse_request {
    struct sparse_shape shape;
    struct sparse_options options;
    struct sparse_plan plan;
    enum sparse_option_set set;
    pop_type result; /* type of results; POP_TYPE_NULL: the operands' */
    bool transposed; /* a static product with the dense matrix on the left */
};

/* The type of results. */
static inline pop_type sparse_result_type(const struct sparse_request *request)
{
    return request->result != POP_TYPE_NULL ? request->result : request->shape.type;
}

/* What a request is made of. */
struct sparse_question {
    struct sparse_shape shape;
    double ratio; /* the parameters' nz_ratio */
    enum sparse_option_set set;
    bool transposed;
    const struct sparse_options *options; /* NULL: the call's */
    const pop_target *target;             /* NULL: the graph's */
    popsparse_planning_cache *cache;
};
/* Checks the shape, reads the options, and plans. False after an error of the call. */
bool sparse_request_make(const struct call *call, const struct sparse_question *asked, struct sparse_request *request);
/* What identifies an operation's operand, as a text that the graph keeps: kind, shape and options. */
const char *sparse_request_key(const struct call *call, const struct sparse_request *request);
/* Checks that an operand was created for the request; key NULL is allowed.  False after an error of the graph. */
bool sparse_request_check_key(const struct call *call, const struct sparse_request *request, const char *key);
/* The shape in a key; false when it is none. */
bool sparse_request_read_key(const char *key, struct sparse_shape *shape);

#endif
