/* SPDX-License-Identifier: Apache-2.0 */
/* The data of a model. Variables are numbered from 0 internally; a popsolver_variable is one more. */
#ifndef POPSOLVER_MODEL_H
#define POPSOLVER_MODEL_H

#include <popsolver/popsolver.h>

/* Values from min to max; empty when min > max. */
struct domain {
    uint64_t min, max;
};

/* result = function of the operands; the last three relate left (result) and right (the only operand). */
enum constraint_kind {
    PRODUCT,
    SUM,
    MAX,
    MIN,
    FLOORDIV,
    CEILDIV,
    CALL,
    CALL_MONOTONE,
    LESS,
    LESS_OR_EQUAL,
    EQUAL,
    KINDS
};

struct constraint {
    enum constraint_kind kind;
    uint32_t result;
    uint32_t first, count;       /* range in the model's operands; a product or quotient has two */
    popsolver_function function; /* of a call */
    void *user;
};

struct popsolver_model {
    struct domain *domains;
    char **names; /* NULL for none */
    size_t variables, domains_capacity, names_capacity;
    struct constraint *constraints;
    size_t count, constraints_capacity;
    uint32_t *operands;
    size_t operand_count, operands_capacity;
    uint64_t **solutions; /* all solutions given to callers */
    size_t solution_count, solutions_capacity;
    uint32_t zero, one; /* ids of constants that were created; 0 for not yet */
    popsolver_statistics statistics;
    bool solving;
    pop_error error;
};

#endif
