/* SPDX-License-Identifier: Apache-2.0 */
/* popsolver: a small solver of finite-domain constraints.  A model has variables, each a whole number of 64 bits with a
 * least and a greatest value, and constraints between them; popsolver_minimize finds values that satisfy all, with the
 * least objectives. Poplibs' planners describe their choices with it: how often each dimension is split, and what a
 * split costs.
 *
 * popsolver_model is an owner (create, destroy).  Variables and solutions are small values whose storage belongs to the
 * model; zero is null.  Names and lists are copied.  A failing call leaves the model unchanged, records the first error
 * with the caller's line and returns null; later calls do nothing until popsolver_model_take_error clears it.  A
 * constraint that cannot be satisfied is no error: the model has no solution then.  One model, one thread; different
 * models know nothing of each other.
 *
 * Arithmetic is that of whole numbers: a sum or product beyond 2^64 - 1 is beyond every domain, and satisfies nothing;
 * nothing wraps.
 *
 * Errors are libpoplar's (pop_error, pop_status), as those of the other libraries, so that planners hand them on to a
 * graph as they are.  It uses nothing else of libpoplar. */
#ifndef POPSOLVER_POPSOLVER_H
#define POPSOLVER_POPSOLVER_H

#include <poplar/error.h>

typedef struct popsolver_model popsolver_model; /* owner */

typedef struct popsolver_variable {
    uint32_t id;
} popsolver_variable; /* id is 1-based; 0 is null */

/* Variables, borrowed for the call: POPSOLVER_VARIABLES(a, b, c); {0} is none. */
typedef struct popsolver_variables {
    size_t count;
    const popsolver_variable *list;
} popsolver_variables;
#define POPSOLVER_VARIABLES(...)                                                                                       \
    ((popsolver_variables){ sizeof((const popsolver_variable[]){ __VA_ARGS__ }) / sizeof(popsolver_variable),          \
                            (const popsolver_variable[]){ __VA_ARGS__ } })

/* What a function of popsolver_call says. */
typedef enum popsolver_answer {
    POPSOLVER_NONE = 0, /* no value: these operands are no solution */
    POPSOLVER_VALUE,    /* *result was set */
    POPSOLVER_STOP      /* ends the search: the outcome is POPSOLVER_STOPPED */
} popsolver_answer;

/* A function of whole numbers.  Equal operands must give equal answers: how often and in which order it is called is
 * the solver's affair. It must not change the model. */
typedef popsolver_answer (*popsolver_function)(const uint64_t *operands, size_t count, uint64_t *result, void *user);

typedef enum popsolver_outcome {
    POPSOLVER_FAILED = 0, /* the model has an error (popsolver_model_error) */
    POPSOLVER_INFEASIBLE, /* no values satisfy the constraints */
    POPSOLVER_STOPPED,    /* a function ended the search */
    POPSOLVER_SOLVED
} popsolver_outcome;

/* Values of all variables that the model had; they live as long as the model.  Without a solution there are none. */
typedef struct popsolver_solution {
    popsolver_outcome outcome;
    size_t count;
    const uint64_t *values; /* of variable v: values[v.id - 1] */
} popsolver_solution;

/* What a search did: how often the constraints of each kind were propagated, choices made, solutions that were better
 * than those before. */
typedef struct popsolver_statistics {
    uint64_t product, sum, max, min, floordiv, ceildiv, less, less_or_equal, equal, call;
    uint64_t choices, improvements;
} popsolver_statistics;

POP_BEGIN_DECLS

/* ---- the model ---- */
POP_API popsolver_model *popsolver_model_create(void);        /* never NULL */
POP_API void popsolver_model_destroy(popsolver_model *model); /* takes NULL */
/* The first error since the last take; NULL when there is none.  Borrowed until the next call on the model. */
POP_API const pop_error *popsolver_model_error(const popsolver_model *model);
/* Moves the error out and clears it; POP_OK when there was none.  error may be NULL. */
POP_API pop_status popsolver_model_take_error(popsolver_model *model, pop_error *error);

/* ---- variables ---- */
/* A variable with values from min to max, both included; without any when min > max, and then the model has no
 * solution.  name may be NULL here and below; it is for errors and logs. */
#define popsolver_add_variable(...) popsolver_add_variable_at(POP_HERE, __VA_ARGS__)
POP_API popsolver_variable popsolver_add_variable_at(pop_where where, popsolver_model *model, uint64_t min,
                                                     uint64_t max, const char *name);
#define popsolver_add_constant(...) popsolver_add_constant_at(POP_HERE, __VA_ARGS__)
POP_API popsolver_variable popsolver_add_constant_at(pop_where where, popsolver_model *model, uint64_t value,
                                                     const char *name);
/* Takes values below min and above max away from a variable: what less and less_or_equal are for a constant. */
#define popsolver_restrict(...) popsolver_restrict_at(POP_HERE, __VA_ARGS__)
POP_API void popsolver_restrict_at(pop_where where, popsolver_model *model, popsolver_variable variable, uint64_t min,
                                   uint64_t max);

POP_API size_t popsolver_model_num_variables(const popsolver_model *model); /* those included that constraints made */
/* The values that a variable may have by its declaration and popsolver_restrict; false, and nothing written, for a null
 * variable. */
POP_API bool popsolver_domain(const popsolver_model *model, popsolver_variable variable, uint64_t *min, uint64_t *max);
POP_API const char *popsolver_name(const popsolver_model *model,
                                   popsolver_variable variable); /* borrowed; "" when it has none */

/* ---- values made of others: each returns a variable ---- */
#define popsolver_product(...) popsolver_product_at(POP_HERE, __VA_ARGS__)
/* Of none it is 1; of one, that variable itself.  Neighbours are multiplied first, and what they give must be below
 * 2^64, too. */
POP_API popsolver_variable popsolver_product_at(pop_where where, popsolver_model *model, popsolver_variables variables,
                                                const char *name);
#define popsolver_sum(...) popsolver_sum_at(POP_HERE, __VA_ARGS__)
/* Of none it is 0. */
POP_API popsolver_variable popsolver_sum_at(pop_where where, popsolver_model *model, popsolver_variables variables,
                                            const char *name);
#define popsolver_max(...) popsolver_max_at(POP_HERE, __VA_ARGS__)
POP_API popsolver_variable popsolver_max_at(pop_where where, popsolver_model *model, popsolver_variables variables,
                                            const char *name);
#define popsolver_min(...) popsolver_min_at(POP_HERE, __VA_ARGS__)
POP_API popsolver_variable popsolver_min_at(pop_where where, popsolver_model *model, popsolver_variables variables,
                                            const char *name);
#define popsolver_sub(...) popsolver_sub_at(POP_HERE, __VA_ARGS__)
/* left - right, which holds left to be at least right. */
POP_API popsolver_variable popsolver_sub_at(pop_where where, popsolver_model *model, popsolver_variable left,
                                            popsolver_variable right, const char *name);
/* left / right rounded down, rounded up, and the rest of the first; all hold right to be at least 1. */
#define popsolver_floordiv(...) popsolver_floordiv_at(POP_HERE, __VA_ARGS__)
POP_API popsolver_variable popsolver_floordiv_at(pop_where where, popsolver_model *model, popsolver_variable left,
                                                 popsolver_variable right, const char *name);
#define popsolver_ceildiv(...) popsolver_ceildiv_at(POP_HERE, __VA_ARGS__)
POP_API popsolver_variable popsolver_ceildiv_at(pop_where where, popsolver_model *model, popsolver_variable left,
                                                popsolver_variable right, const char *name);
#define popsolver_mod(...) popsolver_mod_at(POP_HERE, __VA_ARGS__)
POP_API popsolver_variable popsolver_mod_at(pop_where where, popsolver_model *model, popsolver_variable left,
                                            popsolver_variable right, const char *name);
/* ceildiv with the least right that gives its quotient: of 10 split into parts, 4 parts (of 3) are allowed, and 6 or 7
 * (of 2) are not, since 5 would do.  Holds left to be at least 1. */
#define popsolver_ceildiv_constrain_divisor(...) popsolver_ceildiv_constrain_divisor_at(POP_HERE, __VA_ARGS__)
POP_API popsolver_variable popsolver_ceildiv_constrain_divisor_at(pop_where where, popsolver_model *model,
                                                                  popsolver_variable left, popsolver_variable right,
                                                                  const char *name);
/* function of the variables' values; called when all of them are decided, and only with values that the other
 * constraints still allow. user is borrowed until the model is destroyed. */
#define popsolver_call(...) popsolver_call_at(POP_HERE, __VA_ARGS__)
POP_API popsolver_variable popsolver_call_at(pop_where where, popsolver_model *model, popsolver_variables variables,
                                             popsolver_function function, void *user, const char *name);
/* The same for a function that does not decrease when an operand grows, as costs mostly are of sizes.  It is called
 * with the least operands long before they are decided, and what it says is the least that the result can be, which can
 * cut the search short by far.  So it must bear any operands of their domains; where it has no value nothing is
 * concluded until they are decided. */
#define popsolver_call_monotone(...) popsolver_call_monotone_at(POP_HERE, __VA_ARGS__)
POP_API popsolver_variable popsolver_call_monotone_at(pop_where where, popsolver_model *model,
                                                      popsolver_variables variables, popsolver_function function,
                                                      void *user, const char *name);

/* ---- constraints ---- */
#define popsolver_less(...) popsolver_less_at(POP_HERE, __VA_ARGS__)
POP_API void popsolver_less_at(pop_where where, popsolver_model *model, popsolver_variable left,
                               popsolver_variable right);
#define popsolver_less_or_equal(...) popsolver_less_or_equal_at(POP_HERE, __VA_ARGS__)
POP_API void popsolver_less_or_equal_at(pop_where where, popsolver_model *model, popsolver_variable left,
                                        popsolver_variable right);
#define popsolver_equal(...) popsolver_equal_at(POP_HERE, __VA_ARGS__)
POP_API void popsolver_equal_at(pop_where where, popsolver_model *model, popsolver_variable left,
                                popsolver_variable right);
/* left is a multiple of right: right is a factor of left.  0 is a multiple of every number, and the only one of 0. */
#define popsolver_factor_of(...) popsolver_factor_of_at(POP_HERE, __VA_ARGS__)
POP_API void popsolver_factor_of_at(pop_where where, popsolver_model *model, popsolver_variable left,
                                    popsolver_variable right);

/* ---- solving ---- */
/* The values with the least first objective, among them those with the least second, and so on; of several, those that
 * the search meets first.  Without objectives the first solution of all.  The search is deterministic: it decides the
 * variable with the fewest values left, operands of calls before others, the first made among equals, and tries smaller
 * values first.  It changes nothing in the model, which can be constrained further and minimised again.  Its time can
 * be exponential; domains help that are as narrow as is known, bounds of results as well as of choices.  Contradictions
 * that can only be seen by counting (a < b and b < a) are counted out, so wide domains without need are no good idea.
 */
#define popsolver_minimize(...) popsolver_minimize_at(POP_HERE, __VA_ARGS__)
POP_API popsolver_solution popsolver_minimize_at(pop_where where, popsolver_model *model,
                                                 popsolver_variables objectives);
/* The value of a variable; 0 when there is no solution, or the variable was made after it. */
POP_API uint64_t popsolver_value(popsolver_solution solution, popsolver_variable variable);
/* Of the last popsolver_minimize. */
POP_API popsolver_statistics popsolver_model_statistics(const popsolver_model *model);

POP_END_DECLS
#endif
