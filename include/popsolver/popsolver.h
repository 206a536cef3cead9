/* SPDX-License-Identifier: Apache-2.0 */
/* popsolver: a small finite-domain constraint solver. A model has variables, each a 64-bit unsigned integer with a
 * minimum and a maximum, and constraints between them; popsolver_minimize finds values that satisfy all constraints and
 * minimise the objectives. Poplibs' planners describe their choices with it: the number of splits of each dimension,
 * and the cost of a split.
 *
 * The caller owns a popsolver_model (create, destroy).  Variables and solutions are small values whose storage belongs
 * to the model; zero is null.  Names and lists are copied.  A failing call leaves the model unchanged, records the
 * first error with the caller's line and returns null; later calls do nothing until popsolver_model_take_error clears
 * it.  A constraint that cannot be satisfied is not an error: the model has no solution then.  A model may be used by
 * one thread at a time; different models are independent.
 *
 * Arithmetic is that of unbounded integers: a sum or product above 2^64 - 1 is outside of every domain and satisfies
 * nothing; nothing wraps around.
 *
 * Errors are libpoplar's (pop_error, pop_status), like those of the other libraries, so that planners can pass them on
 * to a graph.  Nothing else of libpoplar is used. */
#ifndef POPSOLVER_POPSOLVER_H
#define POPSOLVER_POPSOLVER_H

#include <poplar/error.h>

typedef struct popsolver_model popsolver_model; /* owner */

/* A variable of a model. A value: the model owns the variable. */
typedef struct popsolver_variable {
    uint32_t id;      /* 1-based; 0: null */
} popsolver_variable; /* id is 1-based; 0 is null */

/* Variables, borrowed for the call: POPSOLVER_VARIABLES(a, b, c); {0} is empty. */
typedef struct popsolver_variables {
    size_t count;                   /* number of variables */
    const popsolver_variable *list; /* the variables */
} popsolver_variables;
/* A list of variables, for an argument or an initialiser: POPSOLVER_VARIABLES(a, b). */
#define POPSOLVER_VARIABLES(...)                                                                                       \
    ((popsolver_variables){ sizeof((const popsolver_variable[]){ __VA_ARGS__ }) / sizeof(popsolver_variable),          \
                            (const popsolver_variable[]){ __VA_ARGS__ } })

/* The result of a popsolver_function. */
typedef enum popsolver_answer {
    POPSOLVER_NONE = 0, /* no value: these operands are not a solution */
    POPSOLVER_VALUE,    /* *result was set */
    POPSOLVER_STOP      /* ends the search: the outcome is POPSOLVER_STOPPED */
} popsolver_answer;

/* A function of integers. Equal operands must give equal results; the number and order of calls is unspecified. It
 * must not change the model. */
typedef popsolver_answer (*popsolver_function)(const uint64_t *operands, size_t count, uint64_t *result, void *user);

/* How a search ended. */
typedef enum popsolver_outcome {
    POPSOLVER_FAILED = 0, /* the model has an error (popsolver_model_error) */
    POPSOLVER_INFEASIBLE, /* no values satisfy the constraints */
    POPSOLVER_STOPPED,    /* a function ended the search */
    POPSOLVER_SOLVED
} popsolver_outcome;

/* Values of the variables that the model had at the time; valid as long as the model. Empty without a solution. */
typedef struct popsolver_solution {
    popsolver_outcome outcome; /* how the search ended */
    size_t count;              /* number of values */
    const uint64_t *values;    /* of variable v: values[v.id - 1] */
} popsolver_solution;

/* Statistics of a search: propagations by kind of constraint, choices, and solutions that improved on the best. */
typedef struct popsolver_statistics {
    /* propagations by each kind of constraint */
    uint64_t product, sum, max, min, floordiv, ceildiv, less, less_or_equal, equal, call;
    uint64_t choices, improvements; /* choices; solutions that improved on the best */
} popsolver_statistics;

POP_BEGIN_DECLS

/* ---- the model ---- */
POP_API popsolver_model *popsolver_model_create(void);        /* never NULL */
POP_API void popsolver_model_destroy(popsolver_model *model); /* NULL is allowed */
/* The first error since the last popsolver_model_take_error; NULL when there is none. Borrowed until the next call
 * on the model. */
POP_API const pop_error *popsolver_model_error(const popsolver_model *model);
/* Moves the error out and clears it; POP_OK when there was none. error may be NULL. */
POP_API pop_status popsolver_model_take_error(popsolver_model *model, pop_error *error);

/* ---- variables ---- */
/* Adds a variable with values from min to max, both included; when min > max the model has no solution. name may be
 * NULL here and below; it is for errors and logs. */
#define popsolver_add_variable(...) popsolver_add_variable_at(POP_HERE, __VA_ARGS__)
POP_API popsolver_variable popsolver_add_variable_at(pop_where where, popsolver_model *model, uint64_t min,
                                                     uint64_t max, const char *name);
/* A variable with one value. */
#define popsolver_add_constant(...) popsolver_add_constant_at(POP_HERE, __VA_ARGS__)
POP_API popsolver_variable popsolver_add_constant_at(pop_where where, popsolver_model *model, uint64_t value,
                                                     const char *name);
/* Removes values below min and above max: the same as less_or_equal with constants. */
#define popsolver_restrict(...) popsolver_restrict_at(POP_HERE, __VA_ARGS__)
POP_API void popsolver_restrict_at(pop_where where, popsolver_model *model, popsolver_variable variable, uint64_t min,
                                   uint64_t max);

POP_API size_t popsolver_model_num_variables(const popsolver_model *model); /* including implicit ones */
/* The declared domain of a variable, after popsolver_restrict; false, with nothing written, for a null variable. */
POP_API bool popsolver_domain(const popsolver_model *model, popsolver_variable variable, uint64_t *min, uint64_t *max);
POP_API const char *popsolver_name(const popsolver_model *model,
                                   popsolver_variable variable); /* borrowed; "" when it has none */

/* ---- derived variables: each call returns a variable ---- */
#define popsolver_product(...) popsolver_product_at(POP_HERE, __VA_ARGS__)
/* The product of no variables is 1; of one it is that variable. Neighbours are multiplied first, and the
 * intermediate products must be below 2^64, too. */
POP_API popsolver_variable popsolver_product_at(pop_where where, popsolver_model *model, popsolver_variables variables,
                                                const char *name);
#define popsolver_sum(...) popsolver_sum_at(POP_HERE, __VA_ARGS__)
/* The sum of no variables is 0. */
POP_API popsolver_variable popsolver_sum_at(pop_where where, popsolver_model *model, popsolver_variables variables,
                                            const char *name);
/* The largest of the variables, at least one. */
#define popsolver_max(...) popsolver_max_at(POP_HERE, __VA_ARGS__)
POP_API popsolver_variable popsolver_max_at(pop_where where, popsolver_model *model, popsolver_variables variables,
                                            const char *name);
/* The smallest of the variables, at least one. */
#define popsolver_min(...) popsolver_min_at(POP_HERE, __VA_ARGS__)
POP_API popsolver_variable popsolver_min_at(pop_where where, popsolver_model *model, popsolver_variables variables,
                                            const char *name);
#define popsolver_sub(...) popsolver_sub_at(POP_HERE, __VA_ARGS__)
/* left - right; requires left >= right. */
POP_API popsolver_variable popsolver_sub_at(pop_where where, popsolver_model *model, popsolver_variable left,
                                            popsolver_variable right, const char *name);
/* left / right rounded down, rounded up, and the remainder of the first; all require right >= 1. */
#define popsolver_floordiv(...) popsolver_floordiv_at(POP_HERE, __VA_ARGS__)
POP_API popsolver_variable popsolver_floordiv_at(pop_where where, popsolver_model *model, popsolver_variable left,
                                                 popsolver_variable right, const char *name);
/* left / right, rounded up; requires right >= 1. */
#define popsolver_ceildiv(...) popsolver_ceildiv_at(POP_HERE, __VA_ARGS__)
POP_API popsolver_variable popsolver_ceildiv_at(pop_where where, popsolver_model *model, popsolver_variable left,
                                                popsolver_variable right, const char *name);
/* The remainder of left / right; requires right >= 1. */
#define popsolver_mod(...) popsolver_mod_at(POP_HERE, __VA_ARGS__)
POP_API popsolver_variable popsolver_mod_at(pop_where where, popsolver_model *model, popsolver_variable left,
                                            popsolver_variable right, const char *name);
/* ceildiv with the smallest right that gives its quotient: for splitting 10 into parts, 4 parts (of 3) are allowed,
 * and 6 or 7 (of 2) are not, because 5 would do. Requires left >= 1. */
#define popsolver_ceildiv_constrain_divisor(...) popsolver_ceildiv_constrain_divisor_at(POP_HERE, __VA_ARGS__)
POP_API popsolver_variable popsolver_ceildiv_constrain_divisor_at(pop_where where, popsolver_model *model,
                                                                  popsolver_variable left, popsolver_variable right,
                                                                  const char *name);
/* function of the variables' values; called when all of them are decided, and only with values that the other
 * constraints allow. user is borrowed until the model is destroyed. */
#define popsolver_call(...) popsolver_call_at(POP_HERE, __VA_ARGS__)
POP_API popsolver_variable popsolver_call_at(pop_where where, popsolver_model *model, popsolver_variables variables,
                                             popsolver_function function, void *user, const char *name);
/* A monotone function of the variables' values: one which does not decrease when an operand increases, as most cost
 * functions of sizes. It is called with the operands' minima before they are decided, and its value is then a lower
 * bound of the result, which can shorten the search considerably. The function must therefore accept any operands in
 * their domains; when it has no value, nothing is derived until the operands are decided. */
#define popsolver_call_monotone(...) popsolver_call_monotone_at(POP_HERE, __VA_ARGS__)
POP_API popsolver_variable popsolver_call_monotone_at(pop_where where, popsolver_model *model,
                                                      popsolver_variables variables, popsolver_function function,
                                                      void *user, const char *name);

/* ---- constraints ---- */
/* Demands left < right. */
#define popsolver_less(...) popsolver_less_at(POP_HERE, __VA_ARGS__)
POP_API void popsolver_less_at(pop_where where, popsolver_model *model, popsolver_variable left,
                               popsolver_variable right);
/* Demands left <= right. */
#define popsolver_less_or_equal(...) popsolver_less_or_equal_at(POP_HERE, __VA_ARGS__)
POP_API void popsolver_less_or_equal_at(pop_where where, popsolver_model *model, popsolver_variable left,
                                        popsolver_variable right);
/* Demands left = right. */
#define popsolver_equal(...) popsolver_equal_at(POP_HERE, __VA_ARGS__)
POP_API void popsolver_equal_at(pop_where where, popsolver_model *model, popsolver_variable left,
                                popsolver_variable right);
/* left is a multiple of right: right is a factor of left. 0 is a multiple of every number, and the only multiple of
 * 0. */
#define popsolver_factor_of(...) popsolver_factor_of_at(POP_HERE, __VA_ARGS__)
POP_API void popsolver_factor_of_at(pop_where where, popsolver_model *model, popsolver_variable left,
                                    popsolver_variable right);

/* ---- solving ---- */
/* Finds the solution with the smallest first objective, then the smallest second one, and so on; among equal
 * solutions the first that the search finds. Without objectives it is the first solution. The search is
 * deterministic: it decides the variable with the smallest domain, operands of calls before others, the first
 * created among equals, and tries smaller values first. The model is not changed and can be constrained further and
 * minimised again. The time can be exponential; declare domains, also of results, as narrow as possible.
 * Contradictions between bounds (a < b and b < a) are found only by counting through the domains, so wide domains
 * are slow there. */
#define popsolver_minimize(...) popsolver_minimize_at(POP_HERE, __VA_ARGS__)
POP_API popsolver_solution popsolver_minimize_at(pop_where where, popsolver_model *model,
                                                 popsolver_variables objectives);
/* The value of a variable; 0 when there is no solution, or the variable was added later. */
POP_API uint64_t popsolver_value(popsolver_solution solution, popsolver_variable variable);
/* Statistics of the last popsolver_minimize. */
POP_API popsolver_statistics popsolver_model_statistics(const popsolver_model *model);

POP_END_DECLS
#endif
