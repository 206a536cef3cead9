/* SPDX-License-Identifier: Apache-2.0 */
/* Builds models and checks all arguments, so that the search can rely on valid data. */
#include "popsolver/model.h"
#include "popsolver/search.h"

#include "poplibs/support.h"

#include <poplar/text.h>
#include <stdarg.h>
#include <string.h>

#define NO_VARIABLE ((popsolver_variable){ 0 })

popsolver_model *popsolver_model_create(void)
{
    return poplibs_zeros(1, sizeof(popsolver_model));
}

void popsolver_model_destroy(popsolver_model *model)
{
    if (!model)
        return;
    for (size_t i = 0; i < model->variables; ++i)
        free(model->names[i]);
    for (size_t i = 0; i < model->solution_count; ++i)
        free(model->solutions[i]);
    free(model->names);
    free(model->domains);
    free(model->constraints);
    free(model->operands);
    free(model->solutions);
    free(model);
}

/* ---- errors ---- */

const pop_error *popsolver_model_error(const popsolver_model *model)
{
    return model && model->error.status != POP_OK ? &model->error : NULL;
}

pop_status popsolver_model_take_error(popsolver_model *model, pop_error *error)
{
    if (!model)
        return POP_OK;
    const pop_status status = model->error.status;
    if (status != POP_OK && error)
        *error = model->error;
    memset(&model->error, 0, sizeof(model->error));
    return status;
}

static void fail(popsolver_model *model, pop_where where, const char *api, pop_status status, const char *format, ...)
    POP_PRINTF(5, 6);
static void fail(popsolver_model *model, pop_where where, const char *api, pop_status status, const char *format, ...)
{
    pop_error *error = &model->error;
    if (error->status != POP_OK)
        return;
    error->status = status;
    error->where = where;
    snprintf(error->api, sizeof(error->api), "%s", api);
    va_list arguments;
    va_start(arguments, format);
    pop_text_vformat(error->text, sizeof(error->text), format, arguments);
    va_end(arguments);
}

/* Whether a call may proceed: the model exists, has no error, and is not being solved. */
static bool ready(popsolver_model *model, pop_where where, const char *api)
{
    if (!model || model->error.status != POP_OK)
        return false;
    if (model->solving)
        fail(model, where, api, POP_RUNTIME_ERROR,
             "the model is being solved: a function that popsolver_call was given must leave it alone");
    return !model->solving;
}

/* Whether a call may proceed, and the variables belong to the model. */
static bool valid(popsolver_model *model, pop_where where, const char *api, const popsolver_variable *list,
                  size_t count)
{
    if (!ready(model, where, api))
        return false;
    if (count && !list) {
        fail(model, where, api, POP_INDEX_ERROR, "a list of %zu variables is null", count);
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        if (!list[i].id)
            fail(model, where, api, POP_INDEX_ERROR, "variable %zu of %zu is null", i + 1, count);
        else if (list[i].id > model->variables)
            fail(model, where, api, POP_INDEX_ERROR, "variable %zu of %zu has id %u, the model has variables 1 to %zu",
                 i + 1, count, (unsigned)list[i].id, model->variables);
        if (model->error.status != POP_OK)
            return false;
    }
    return true;
}

/* ---- variables ---- */

static popsolver_variable add(popsolver_model *model, uint64_t min, uint64_t max, const char *name)
{
    model->domains =
        poplibs_grown(model->domains, &model->domains_capacity, model->variables + 1, sizeof(*model->domains));
    model->names = poplibs_grown(model->names, &model->names_capacity, model->variables + 1, sizeof(*model->names));
    char *kept = NULL;
    if (name && *name) {
        kept = poplibs_new(strlen(name) + 1, 1);
        memcpy(kept, name, strlen(name) + 1);
    }
    model->names[model->variables] = kept;
    model->domains[model->variables++] = (struct domain){ min, max };
    return (popsolver_variable){ (uint32_t)model->variables };
}

static popsolver_variable add_any(popsolver_model *model, const char *name)
{
    return add(model, 0, UINT64_MAX, name);
}

static popsolver_variable constant(popsolver_model *model, uint32_t *kept, uint64_t value)
{
    if (!*kept)
        *kept = add(model, value, value, NULL).id;
    return (popsolver_variable){ *kept };
}

popsolver_variable popsolver_add_variable_at(pop_where where, popsolver_model *model, uint64_t min, uint64_t max,
                                             const char *name)
{
    return ready(model, where, "popsolver_add_variable") ? add(model, min, max, name) : NO_VARIABLE;
}

popsolver_variable popsolver_add_constant_at(pop_where where, popsolver_model *model, uint64_t value, const char *name)
{
    return ready(model, where, "popsolver_add_constant") ? add(model, value, value, name) : NO_VARIABLE;
}

void popsolver_restrict_at(pop_where where, popsolver_model *model, popsolver_variable variable, uint64_t min,
                           uint64_t max)
{
    if (!valid(model, where, "popsolver_restrict", &variable, 1))
        return;
    struct domain *domain = &model->domains[variable.id - 1];
    if (min > domain->min)
        domain->min = min;
    if (max < domain->max)
        domain->max = max;
}

size_t popsolver_model_num_variables(const popsolver_model *model)
{
    return model ? model->variables : 0;
}

static bool known(const popsolver_model *model, popsolver_variable variable)
{
    return model && variable.id && variable.id <= model->variables;
}

bool popsolver_domain(const popsolver_model *model, popsolver_variable variable, uint64_t *min, uint64_t *max)
{
    if (!known(model, variable))
        return false;
    *min = model->domains[variable.id - 1].min;
    *max = model->domains[variable.id - 1].max;
    return true;
}

const char *popsolver_name(const popsolver_model *model, popsolver_variable variable)
{
    return known(model, variable) && model->names[variable.id - 1] ? model->names[variable.id - 1] : "";
}

/* ---- constraints ---- */

static struct constraint *post(popsolver_model *model, enum constraint_kind kind, popsolver_variable result,
                               const popsolver_variable *list, size_t count)
{
    model->constraints =
        poplibs_grown(model->constraints, &model->constraints_capacity, model->count + 1, sizeof(*model->constraints));
    model->operands = poplibs_grown(model->operands, &model->operands_capacity, model->operand_count + count,
                                    sizeof(*model->operands));
    struct constraint *constraint = &model->constraints[model->count++];
    *constraint = (struct constraint){
        .kind = kind, .result = result.id - 1, .first = (uint32_t)model->operand_count, .count = (uint32_t)count
    };
    for (size_t i = 0; i < count; ++i)
        model->operands[model->operand_count++] = list[i].id - 1;
    return constraint;
}

static void post_two(popsolver_model *model, enum constraint_kind kind, popsolver_variable result,
                     popsolver_variable left, popsolver_variable right)
{
    post(model, kind, result, (popsolver_variable[]){ left, right }, 2);
}

static popsolver_variable product_of(popsolver_model *model, popsolver_variable left, popsolver_variable right,
                                     const char *name)
{
    const popsolver_variable result = add_any(model, name);
    post_two(model, PRODUCT, result, left, right);
    return result;
}

/* Multiplies neighbours until one is left: a balanced tree. */
popsolver_variable popsolver_product_at(pop_where where, popsolver_model *model, popsolver_variables variables,
                                        const char *name)
{
    if (!valid(model, where, "popsolver_product", variables.list, variables.count))
        return NO_VARIABLE;
    if (!variables.count)
        return constant(model, &model->one, 1);
    popsolver_variable *left = poplibs_new(variables.count, sizeof(*left));
    memcpy(left, variables.list, variables.count * sizeof(*left));
    for (size_t count = variables.count; count > 1; count = (count + 1) / 2) {
        for (size_t i = 0; i + 1 < count; i += 2)
            left[i / 2] = product_of(model, left[i], left[i + 1], count == 2 ? name : NULL);
        if (count % 2)
            left[count / 2] = left[count - 1];
    }
    const popsolver_variable result = left[0];
    free(left);
    return result;
}

static popsolver_variable reduce(pop_where where, const char *api, popsolver_model *model, enum constraint_kind kind,
                                 popsolver_variables variables, const char *name)
{
    if (!valid(model, where, api, variables.list, variables.count))
        return NO_VARIABLE;
    if (!variables.count) {
        if (kind == SUM)
            return constant(model, &model->zero, 0);
        fail(model, where, api, POP_INDEX_ERROR, "the list is empty, there must be at least one variable");
        return NO_VARIABLE;
    }
    const popsolver_variable result = add_any(model, name);
    post(model, kind, result, variables.list, variables.count);
    return result;
}

popsolver_variable popsolver_sum_at(pop_where where, popsolver_model *model, popsolver_variables variables,
                                    const char *name)
{
    return reduce(where, "popsolver_sum", model, SUM, variables, name);
}

popsolver_variable popsolver_max_at(pop_where where, popsolver_model *model, popsolver_variables variables,
                                    const char *name)
{
    return reduce(where, "popsolver_max", model, MAX, variables, name);
}

popsolver_variable popsolver_min_at(pop_where where, popsolver_model *model, popsolver_variables variables,
                                    const char *name)
{
    return reduce(where, "popsolver_min", model, MIN, variables, name);
}

static bool valid_pair(pop_where where, const char *api, popsolver_model *model, popsolver_variable left,
                       popsolver_variable right)
{
    return valid(model, where, api, (popsolver_variable[]){ left, right }, 2);
}

popsolver_variable popsolver_sub_at(pop_where where, popsolver_model *model, popsolver_variable left,
                                    popsolver_variable right, const char *name)
{
    if (!valid_pair(where, "popsolver_sub", model, left, right))
        return NO_VARIABLE;
    const popsolver_variable result = add_any(model, name);
    post_two(model, SUM, left, result, right);
    return result;
}

static popsolver_variable quotient(popsolver_model *model, enum constraint_kind kind, popsolver_variable left,
                                   popsolver_variable right, const char *name)
{
    const popsolver_variable result = add_any(model, name);
    post_two(model, kind, result, left, right);
    return result;
}

popsolver_variable popsolver_floordiv_at(pop_where where, popsolver_model *model, popsolver_variable left,
                                         popsolver_variable right, const char *name)
{
    return valid_pair(where, "popsolver_floordiv", model, left, right) ? quotient(model, FLOORDIV, left, right, name)
                                                                       : NO_VARIABLE;
}

popsolver_variable popsolver_ceildiv_at(pop_where where, popsolver_model *model, popsolver_variable left,
                                        popsolver_variable right, const char *name)
{
    return valid_pair(where, "popsolver_ceildiv", model, left, right) ? quotient(model, CEILDIV, left, right, name)
                                                                      : NO_VARIABLE;
}

/* right is the smallest divisor with quotient q when right = ceil(left / q). */
popsolver_variable popsolver_ceildiv_constrain_divisor_at(pop_where where, popsolver_model *model,
                                                          popsolver_variable left, popsolver_variable right,
                                                          const char *name)
{
    if (!valid_pair(where, "popsolver_ceildiv_constrain_divisor", model, left, right))
        return NO_VARIABLE;
    const popsolver_variable result = quotient(model, CEILDIV, left, right, name);
    post_two(model, CEILDIV, right, left, result);
    return result;
}

/* left - left / right * right; the product is at most left, so it cannot overflow. */
popsolver_variable popsolver_mod_at(pop_where where, popsolver_model *model, popsolver_variable left,
                                    popsolver_variable right, const char *name)
{
    if (!valid_pair(where, "popsolver_mod", model, left, right))
        return NO_VARIABLE;
    const popsolver_variable times = quotient(model, FLOORDIV, left, right, NULL);
    const popsolver_variable whole = product_of(model, times, right, NULL);
    const popsolver_variable result = add_any(model, name);
    post_two(model, SUM, left, whole, result);
    post(model, LESS, result, &right, 1);
    return result;
}

static popsolver_variable call(pop_where where, const char *api, popsolver_model *model, enum constraint_kind kind,
                               popsolver_variables variables, popsolver_function function, void *user, const char *name)
{
    if (!valid(model, where, api, variables.list, variables.count))
        return NO_VARIABLE;
    if (!function) {
        fail(model, where, api, POP_POPLAR_ERROR, "the function is null");
        return NO_VARIABLE;
    }
    const popsolver_variable result = add_any(model, name);
    struct constraint *made = post(model, kind, result, variables.list, variables.count);
    made->function = function;
    made->user = user;
    return result;
}

popsolver_variable popsolver_call_at(pop_where where, popsolver_model *model, popsolver_variables variables,
                                     popsolver_function function, void *user, const char *name)
{
    return call(where, "popsolver_call", model, CALL, variables, function, user, name);
}

popsolver_variable popsolver_call_monotone_at(pop_where where, popsolver_model *model, popsolver_variables variables,
                                              popsolver_function function, void *user, const char *name)
{
    return call(where, "popsolver_call_monotone", model, CALL_MONOTONE, variables, function, user, name);
}

static void relate(pop_where where, const char *api, popsolver_model *model, enum constraint_kind kind,
                   popsolver_variable left, popsolver_variable right)
{
    if (valid_pair(where, api, model, left, right))
        post(model, kind, left, &right, 1);
}

void popsolver_less_at(pop_where where, popsolver_model *model, popsolver_variable left, popsolver_variable right)
{
    relate(where, "popsolver_less", model, LESS, left, right);
}

void popsolver_less_or_equal_at(pop_where where, popsolver_model *model, popsolver_variable left,
                                popsolver_variable right)
{
    relate(where, "popsolver_less_or_equal", model, LESS_OR_EQUAL, left, right);
}

void popsolver_equal_at(pop_where where, popsolver_model *model, popsolver_variable left, popsolver_variable right)
{
    relate(where, "popsolver_equal", model, EQUAL, left, right);
}

void popsolver_factor_of_at(pop_where where, popsolver_model *model, popsolver_variable left, popsolver_variable right)
{
    if (valid_pair(where, "popsolver_factor_of", model, left, right))
        post_two(model, PRODUCT, left, add_any(model, NULL), right);
}

/* ---- solving ---- */

popsolver_solution popsolver_minimize_at(pop_where where, popsolver_model *model, popsolver_variables objectives)
{
    popsolver_solution solution = { POPSOLVER_FAILED, 0, NULL };
    if (!valid(model, where, "popsolver_minimize", objectives.list, objectives.count))
        return solution;
    uint64_t *values = poplibs_new(model->variables, sizeof(*values));
    memset(&model->statistics, 0, sizeof(model->statistics));
    model->solving = true;
    solution.outcome = solve(model, objectives, values, &model->statistics);
    model->solving = false;
    if (model->error.status != POP_OK)
        solution.outcome = POPSOLVER_FAILED;
    if (solution.outcome != POPSOLVER_SOLVED) {
        free(values);
        return solution;
    }
    model->solutions = poplibs_grown(model->solutions, &model->solutions_capacity, model->solution_count + 1,
                                     sizeof(*model->solutions));
    model->solutions[model->solution_count++] = values;
    solution.count = model->variables;
    solution.values = values;
    return solution;
}

uint64_t popsolver_value(popsolver_solution solution, popsolver_variable variable)
{
    return variable.id && variable.id <= solution.count ? solution.values[variable.id - 1] : 0;
}

popsolver_statistics popsolver_model_statistics(const popsolver_model *model)
{
    return model ? model->statistics : (popsolver_statistics){ 0 };
}
