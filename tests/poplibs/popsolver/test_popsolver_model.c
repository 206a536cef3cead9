/* SPDX-License-Identifier: Apache-2.0 */
/* popsolver: every constraint and the min of objectives against an exhaustive search, on random small models; overflow;
 * mistakes. */
#include <popsolver/popsolver.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rounds.h"

#define TOP       UINT64_MAX
#define VARIABLES POPSOLVER_VARIABLES
typedef popsolver_variable variable;

/* ---- a random model, as the solver has it and as a list of operations for the exhaustive search ---- */

enum operation {
    PRODUCT,
    SUM,
    MAX,
    MIN,
    SUB,
    FLOORDIV,
    CEILDIV,
    CONSTRAIN_DIVISOR,
    MOD,
    CALL,
    MONOTONE,
    LESS,
    LESS_OR_EQUAL,
    EQUAL,
    FACTOR_OF,
    OPERATIONS
};

struct step {
    enum operation operation;
    unsigned count, operands[4]; /* numbers of values; two except for the first four and calls */
    unsigned result;             /* the value that it calculates, before LESS */
};

struct trial {
    popsolver_model *model;
    unsigned bases, values, steps, objectives;
    struct {
        uint64_t min, max;
        variable variable;
    } value[16]; /* bases, then results of steps; bounds of both */
    struct step step[8];
    unsigned objective[3];
};

static uint64_t seed = 1;
static unsigned below(unsigned bound)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((seed >> 33) % bound);
}

/* A function without order: no result for a seventh of the operands. */
static popsolver_answer mix(const uint64_t *operands, size_t count, uint64_t *result, void *user)
{
    uint64_t hash = 12345;
    for (size_t i = 0; i < count; ++i)
        hash = (hash ^ operands[i]) * 0x9e3779b97f4a7c15u;
    if (user)
        ++*(unsigned *)user;
    *result = (hash >> 40) % 13;
    return (hash >> 50) % 7 ? POPSOLVER_VALUE : POPSOLVER_NONE;
}

/* A monotone one, with gaps. */
static popsolver_answer grow(const uint64_t *operands, size_t count, uint64_t *result, void *user)
{
    const popsolver_answer answer = mix(operands, count, result, user);
    *result = 3;
    for (size_t i = 0; i < count; ++i)
        *result += operands[i] / 8 + (operands[i] > 4);
    return answer;
}

static bool apply(enum operation operation, const uint64_t *x, unsigned count, uint64_t *result)
{
    uint64_t r = operation == PRODUCT;
    switch (operation) {
    case PRODUCT:
        /* A zero makes the product 0 even if other factors overflow, in any order. */
        for (unsigned i = 0; i < count; ++i)
            if (!x[i])
                return *result = 0, true;
        for (unsigned i = 0; i < count; ++i)
            if (__builtin_mul_overflow(r, x[i], &r))
                return false;
        break;
    case SUM:
        for (unsigned i = 0; i < count; ++i)
            if (__builtin_add_overflow(r, x[i], &r))
                return false;
        break;
    case MAX:
        for (unsigned i = 0; i < count; ++i)
            r = x[i] > r ? x[i] : r;
        break;
    case MIN:
        r = TOP;
        for (unsigned i = 0; i < count; ++i)
            r = x[i] < r ? x[i] : r;
        break;
    case SUB:
        r = x[0] - x[1];
        if (x[0] < x[1])
            return false;
        break;
    case FLOORDIV:
    case CEILDIV:
    case CONSTRAIN_DIVISOR:
    case MOD:
        if (!x[1])
            return false;
        r = operation == MOD ? x[0] % x[1] : x[0] / x[1] + (operation != FLOORDIV && x[0] % x[1]);
        if (operation == CONSTRAIN_DIVISOR &&
            (!x[0] || (x[1] > 1 && x[0] / (x[1] - 1) + (x[0] % (x[1] - 1) != 0) == r)))
            return false;
        break;
    case CALL:
        if (mix(x, count, &r, NULL) != POPSOLVER_VALUE)
            return false;
        break;
    case MONOTONE:
        if (grow(x, count, &r, NULL) != POPSOLVER_VALUE)
            return false;
        break;
    case LESS:
        return x[0] < x[1];
    case LESS_OR_EQUAL:
        return x[0] <= x[1];
    case EQUAL:
        return x[0] == x[1];
    case FACTOR_OF:
        return x[1] ? x[0] % x[1] == 0 : !x[0];
    case OPERATIONS:
        break;
    }
    *result = r;
    return true;
}

/* Whether base values are a solution; calculates the others. */
static bool satisfies(const struct trial *trial, uint64_t *values)
{
    for (unsigned i = 0; i < trial->bases; ++i)
        if (values[i] < trial->value[i].min || values[i] > trial->value[i].max)
            return false;
    for (unsigned i = 0; i < trial->steps; ++i) {
        const struct step *step = &trial->step[i];
        uint64_t x[4], result = 0;
        for (unsigned j = 0; j < step->count; ++j)
            x[j] = values[step->operands[j]];
        if (!apply(step->operation, x, step->count, &result))
            return false;
        if (step->operation >= LESS)
            continue;
        values[step->result] = result;
        if (result < trial->value[step->result].min || result > trial->value[step->result].max)
            return false;
    }
    return true;
}

static variable post(popsolver_model *m, enum operation operation, const variable *x, unsigned count, void *user)
{
    const popsolver_variables list = { count, x };
    switch (operation) {
    case PRODUCT:
        return popsolver_product(m, list, "product");
    case SUM:
        return popsolver_sum(m, list, "sum");
    case MAX:
        return popsolver_max(m, list, NULL);
    case MIN:
        return popsolver_min(m, list, NULL);
    case SUB:
        return popsolver_sub(m, x[0], x[1], "");
    case FLOORDIV:
        return popsolver_floordiv(m, x[0], x[1], NULL);
    case CEILDIV:
        return popsolver_ceildiv(m, x[0], x[1], NULL);
    case CONSTRAIN_DIVISOR:
        return popsolver_ceildiv_constrain_divisor(m, x[0], x[1], NULL);
    case MOD:
        return popsolver_mod(m, x[0], x[1], NULL);
    case CALL:
        return popsolver_call(m, list, mix, user, "mix");
    case MONOTONE:
        return popsolver_call_monotone(m, list, grow, user, "grow");
    case LESS:
        popsolver_less(m, x[0], x[1]);
        break;
    case LESS_OR_EQUAL:
        popsolver_less_or_equal(m, x[0], x[1]);
        break;
    case EQUAL:
        popsolver_equal(m, x[0], x[1]);
        break;
    case FACTOR_OF:
        popsolver_factor_of(m, x[0], x[1]);
        break;
    case OPERATIONS:
        break;
    }
    return (variable){ 0 };
}

/* Few values, at critical points: 0, around primes, 2^32 and 2^64; sometimes none. */
static void random_domain(uint64_t *min, uint64_t *max, unsigned width)
{
    static const uint64_t places[] = { 0, 0, 0, 1, 1, 2, 5, 11, 97, 4294967291u, 4294967295u, TOP / 2, TOP - 12, TOP };
    *min = places[below(below(3) ? 7 : sizeof(places) / sizeof(places[0]))];
    *max = *min + below(width);
    if (*max < *min)
        *max = TOP;
    if (!below(60) && *min)
        *max = *min - 1;
}

static void add_step(struct trial *trial, enum operation operation, unsigned *calls)
{
    struct step *step = &trial->step[trial->steps++];
    variable x[4];
    step->operation = operation;
    step->count = operation < SUB || operation == CALL || operation == MONOTONE ? 1 + below(4) : 2;
    for (unsigned i = 0; i < step->count; ++i) {
        step->operands[i] = below(trial->values); /* the same constraint twice is allowed */
        x[i] = trial->value[step->operands[i]].variable;
    }
    const variable result = post(trial->model, operation, x, step->count, calls);
    if (operation >= LESS)
        return;
    step->result = trial->values++;
    trial->value[step->result].variable = result;
    trial->value[step->result].min = 0;
    trial->value[step->result].max = TOP;
    const bool same = operation == PRODUCT && step->count == 1; /* a variable that has bounds already */
    if (!same && !below(3)) {
        uint64_t min, max;
        random_domain(&min, &max, 20);
        trial->value[step->result].min = min;
        trial->value[step->result].max = max;
        popsolver_restrict(trial->model, result, min, max);
    }
}

static void build(struct trial *trial, enum operation first, unsigned *calls)
{
    memset(trial, 0, sizeof(*trial));
    trial->model = popsolver_model_create();
    trial->bases = trial->values = 1 + below(4);
    for (unsigned i = 0; i < trial->bases; ++i) {
        uint64_t min, max;
        random_domain(&min, &max, 9);
        trial->value[i].min = min;
        trial->value[i].max = max;
        trial->value[i].variable = popsolver_add_variable(trial->model, min, max, "base");
    }
    const unsigned steps = 1 + below(6);
    for (unsigned i = 0; i < steps; ++i)
        add_step(trial, i ? (enum operation)below(OPERATIONS) : first, calls);
    trial->objectives = below(4);
    for (unsigned i = 0; i < trial->objectives; ++i)
        trial->objective[i] = below(trial->values);
}

static int compare(const struct trial *trial, const uint64_t *a, const uint64_t *b)
{
    for (unsigned i = 0; i < trial->objectives; ++i)
        if (a[trial->objective[i]] != b[trial->objective[i]])
            return a[trial->objective[i]] < b[trial->objective[i]] ? -1 : 1;
    return 0;
}

/* The min solution by an exhaustive search; false if there is none. */
static bool try_all(const struct trial *trial, uint64_t *best)
{
    uint64_t values[16] = { 0 };
    bool found = false;
    for (unsigned i = 0; i < trial->bases; ++i) {
        if (trial->value[i].min > trial->value[i].max)
            return false;
        values[i] = trial->value[i].min;
    }
    for (unsigned i = 0; i < trial->bases;) {
        if (satisfies(trial, values) && (!found || compare(trial, values, best) < 0)) {
            memcpy(best, values, sizeof(values));
            found = true;
        }
        for (i = 0; i < trial->bases && values[i] == trial->value[i].max; ++i)
            values[i] = trial->value[i].min;
        if (i < trial->bases)
            ++values[i];
    }
    return found;
}

static void print_trial(const struct trial *trial)
{
    static const char *const names[] = { "product",       "sum",      "max",      "min",
                                         "sub",           "floordiv", "ceildiv",  "constrain divisor",
                                         "mod",           "call",     "monotone", "less",
                                         "less or equal", "equal",    "factor of" };
    for (unsigned i = 0; i < trial->values; ++i)
        fprintf(stderr, "v%u from %llu to %llu\n", i, (unsigned long long)trial->value[i].min,
                (unsigned long long)trial->value[i].max);
    for (unsigned i = 0; i < trial->steps; ++i) {
        fprintf(stderr, "v%u: %s", trial->step[i].result, names[trial->step[i].operation]);
        for (unsigned j = 0; j < trial->step[i].count; ++j)
            fprintf(stderr, " v%u", trial->step[i].operands[j]);
        fputc('\n', stderr);
    }
}

/* A failing trial prints its model. */
#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            print_trial(trial);                                                                                        \
            fail_msg("%s", #condition);                                                                                \
        }                                                                                                              \
    } while (0)

static void check_trial(const struct trial *trial)
{
    variable objectives[3];
    uint64_t best[16] = { 0 }, values[16] = { 0 };
    for (unsigned i = 0; i < trial->objectives; ++i)
        objectives[i] = trial->value[trial->objective[i]].variable;
    const popsolver_variables list = { trial->objectives, objectives };
    const popsolver_solution solution = popsolver_minimize(trial->model, list),
                             again = popsolver_minimize(trial->model, list);
    EXPECT(!popsolver_model_error(trial->model));
    EXPECT(solution.outcome == (try_all(trial, best) ? POPSOLVER_SOLVED : POPSOLVER_INFEASIBLE));
    EXPECT(again.outcome == solution.outcome && again.count == solution.count);
    if (solution.outcome != POPSOLVER_SOLVED)
        return;
    EXPECT(solution.count == popsolver_model_num_variables(trial->model));
    EXPECT(memcmp(solution.values, again.values, solution.count * sizeof(uint64_t)) == 0);
    for (unsigned i = 0; i < trial->bases; ++i)
        values[i] = popsolver_value(solution, trial->value[i].variable);
    EXPECT(satisfies(trial, values));
    for (unsigned i = 0; i < trial->values; ++i)
        EXPECT(values[i] == popsolver_value(solution, trial->value[i].variable));
    EXPECT(compare(trial, values, best) == 0);
}

/* Products of more than two are trees: a zero next to an overflow inside a tree is not the result of apply(). */
static bool has_hidden_overflow(const struct trial *trial)
{
    bool large = false, long_product = false;
    for (unsigned i = 0; i < trial->bases; ++i)
        large = large || trial->value[i].max > UINT32_MAX;
    for (unsigned i = 0; i < trial->steps; ++i)
        long_product = long_product || (trial->step[i].operation == PRODUCT && trial->step[i].count > 2);
    return large && long_product;
}

/* Every operation, alone and among others, agrees with the exhaustive search. */
static void random_models(void **state)
{
    (void)state;
    for (unsigned round = 0; round < rounds(400); ++round) {
        for (enum operation first = PRODUCT; first < OPERATIONS; ++first) {
            struct trial trial;
            unsigned calls = 0;
            build(&trial, first, &calls);
            if (!has_hidden_overflow(&trial))
                check_trial(&trial);
            popsolver_model_destroy(trial.model);
        }
    }
}

/* ---- one behaviour each ---- */

static uint64_t smallest(popsolver_model *model, variable v)
{
    const popsolver_solution solution = popsolver_minimize(model, VARIABLES(v));
    assert_int_equal(solution.outcome, POPSOLVER_SOLVED);
    return popsolver_value(solution, v);
}

static bool feasible(popsolver_model *model)
{
    const popsolver_solution solution = popsolver_minimize(model, (popsolver_variables){ 0 });
    assert_int_not_equal(solution.outcome, POPSOLVER_FAILED);
    return solution.outcome == POPSOLVER_SOLVED;
}

/* Sums and products end at 2^64 - 1: larger ones have no value, and none wraps. */
static void whole_numbers_do_not_wrap(void **state)
{
    (void)state;
    static const struct {
        uint64_t a, b;
        bool product, sum;
    } rows[] = {
        { TOP, 1, true, false },
        { TOP, 0, true, true },
        { TOP - 1, 1, true, true },
        { TOP, 2, false, false },
        { 4294967296, 4294967296, false, true },
        { 4294967295, 4294967297, true, true },
        { TOP / 3, 3, true, true },
        { TOP / 3 + 1, 3, false, true },
        { TOP / 2, TOP / 2, false, true },
        { TOP / 2 + 1, TOP / 2 + 1, false, false },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        popsolver_model *product = popsolver_model_create(), *sum = popsolver_model_create();
        popsolver_product(
            product,
            VARIABLES(popsolver_add_constant(product, rows[i].a, "a"), popsolver_add_constant(product, rows[i].b, "b")),
            "p");
        popsolver_sum(
            sum, VARIABLES(popsolver_add_constant(sum, rows[i].a, "a"), popsolver_add_constant(sum, rows[i].b, "b")),
            "s");
        assert_int_equal(feasible(product), rows[i].product);
        assert_int_equal(feasible(sum), rows[i].sum);
        popsolver_model_destroy(product);
        popsolver_model_destroy(sum);
    }
    /* The rest of wide domains is exact at both ends. */
    popsolver_model *m = popsolver_model_create();
    const variable a = popsolver_add_variable(m, 0, TOP, "a"), b = popsolver_add_variable(m, TOP - 3, TOP, "b");
    const variable difference = popsolver_sub(m, b, a, NULL), three = popsolver_add_constant(m, 3, NULL);
    popsolver_less_or_equal(m, difference, three);
    assert_true(smallest(m, a) == TOP - 6);
    const variable third = popsolver_floordiv(m, a, three, NULL), up = popsolver_ceildiv(m, a, three, NULL);
    popsolver_restrict(m, third, TOP / 3, TOP);
    assert_true(smallest(m, a) == TOP && smallest(m, up) == TOP / 3);
    popsolver_restrict(m, b, 0, TOP - 1);
    assert_false(feasible(m));
    popsolver_model_destroy(m);
}

/* Bounds that follow from others need no choice, even among 2^64 values: each row calculates c from a and b, and leaves
 * one value of each. */
static void bounds_leave_one_value(void **state)
{
    (void)state;
    static const struct {
        enum operation operation;
        uint64_t a[2], b[2], c[2], a_is, b_is;
    } rows[] = {
        { FLOORDIV, { 100, 100 }, { 0, 101 }, { 0, 0 }, 100, 101 },
        { FLOORDIV, { 100, 100 }, { 0, TOP }, { 100, TOP }, 100, 1 },
        { FLOORDIV, { 0, 300 }, { 100, 100 }, { 3, 9 }, 300, 100 },
        { FLOORDIV, { 399, TOP }, { 100, 100 }, { 0, 3 }, 399, 100 },
        { CEILDIV, { 100, 100 }, { 0, TOP }, { 100, 200 }, 100, 1 },
        { CEILDIV, { 100, 100 }, { 0, 100 }, { 0, 1 }, 100, 100 },
        { CEILDIV, { 0, 201 }, { 100, 100 }, { 3, 9 }, 201, 100 },
        { CEILDIV, { 300, TOP }, { 100, 100 }, { 0, 3 }, 300, 100 },
        { PRODUCT, { 1, TOP }, { TOP / 2 + 1, TOP }, { 0, TOP / 2 + 1 }, 1, TOP / 2 + 1 },
        { PRODUCT, { 1, TOP }, { TOP / 2 + 1, TOP / 2 + 1 }, { 0, TOP }, 1, TOP / 2 + 1 },
        { PRODUCT, { 7, 7 }, { 0, TOP }, { 77, 83 }, 7, 11 },
        { SUM, { 0, TOP }, { TOP - 1, TOP }, { TOP, TOP }, 1, TOP - 1 },
        { SUB, { 0, 9 }, { 4, TOP }, { 5, TOP }, 9, 4 },
        { MAX, { 0, 8 }, { 0, 9 }, { 9, 9 }, 0, 9 },
        { MIN, { 6, TOP }, { 5, TOP }, { 0, 5 }, 6, 5 },
        { MOD, { 17, 17 }, { 9, 9 }, { 0, TOP }, 17, 9 },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        popsolver_model *m = popsolver_model_create();
        const bool free_a = rows[i].operation == MAX || rows[i].operation == MIN || rows[i].operation == SUM;
        const uint64_t top = free_a ? rows[i].a_is : rows[i].a[1]; /* a fixed value if the rule does not restrict it */
        const variable ab[] = { popsolver_add_variable(m, free_a ? rows[i].a_is : rows[i].a[0], top, "a"),
                                popsolver_add_variable(m, rows[i].b[0], rows[i].b[1], "b") };
        popsolver_restrict(m, post(m, rows[i].operation, ab, 2, NULL), rows[i].c[0], rows[i].c[1]);
        const popsolver_solution s = popsolver_minimize(m, (popsolver_variables){ 0 });
        if (s.outcome != POPSOLVER_SOLVED || popsolver_model_statistics(m).choices ||
            popsolver_value(s, ab[0]) != rows[i].a_is || popsolver_value(s, ab[1]) != rows[i].b_is)
            fail_msg("row %zu: outcome %d, %u choices", i, (int)s.outcome,
                     (unsigned)popsolver_model_statistics(m).choices);
        popsolver_model_destroy(m);
    }
    popsolver_model *m = popsolver_model_create();
    const variable any = popsolver_add_variable(m, 0, TOP, NULL);
    popsolver_less(m, any, any);
    assert_false(feasible(m));
    popsolver_model_destroy(m);
}

static void objectives_in_order(void **state)
{
    (void)state;
    popsolver_model *m = popsolver_model_create();
    const variable a = popsolver_add_variable(m, 1, 20, "a"), b = popsolver_add_variable(m, 1, 20, "b");
    const variable area = popsolver_product(m, VARIABLES(a, b), NULL), edge = popsolver_sum(m, VARIABLES(a, b), NULL);
    const variable thirty = popsolver_add_constant(m, 30, NULL), rest = popsolver_sub(m, thirty, a, NULL);
    popsolver_less_or_equal(m, thirty, area);
    popsolver_solution s = popsolver_minimize(m, VARIABLES(edge, area, rest)); /* 5 and 6, 6 and 5; 30 either way */
    assert_int_equal(popsolver_value(s, a), 6);
    assert_int_equal(popsolver_value(s, b), 5);
    s = popsolver_minimize(m, VARIABLES(area, edge, a));
    assert_int_equal(popsolver_value(s, a), 5);
    s = popsolver_minimize(m, VARIABLES(area, edge, area, area)); /* a tie: the search found 5 first */
    assert_int_equal(popsolver_value(s, a), 5);
    s = popsolver_minimize(m, VARIABLES(a));
    assert_int_equal(popsolver_value(s, a), 2);
    assert_int_equal(popsolver_value(s, b), 15);
    assert_true(popsolver_model_statistics(m).choices > 0 && popsolver_model_statistics(m).improvements > 0);
    popsolver_model_destroy(m);
}

/* Constraints can be added after a solution, which does not change. */
static void solutions_live_as_long_as_their_model(void **state)
{
    (void)state;
    popsolver_model *m = popsolver_model_create();
    const variable a = popsolver_add_variable(m, 3, 9, "a"), five = popsolver_add_constant(m, 5, NULL);
    const popsolver_solution first = popsolver_minimize(m, VARIABLES(a));
    popsolver_less(m, five, a);
    const variable later = popsolver_add_constant(m, 1, NULL);
    const popsolver_solution second = popsolver_minimize(m, VARIABLES(a));
    popsolver_less(m, a, five);
    const popsolver_solution third = popsolver_minimize(m, VARIABLES(a));
    assert_int_equal(popsolver_value(first, a), 3);
    assert_int_equal(popsolver_value(first, later), 0);
    assert_int_equal(popsolver_value(second, a), 6);
    assert_int_equal(third.outcome, POPSOLVER_INFEASIBLE);
    assert_true(!third.values && !third.count && popsolver_value(third, a) == 0);
    popsolver_model_destroy(m);
}

struct seen {
    unsigned count, limit;
    bool decided;
};

/* a - b, which must never be called for b > a: another constraint forbids it. */
static popsolver_answer difference(const uint64_t *operands, size_t count, uint64_t *result, void *user)
{
    struct seen *seen = user;
    assert_int_equal(count, 2);
    seen->decided = seen->decided && operands[0] >= operands[1] && (operands[0] + operands[1]) % 7 == 0;
    *result = operands[0] - operands[1];
    return ++seen->count == seen->limit ? POPSOLVER_STOP : POPSOLVER_VALUE;
}

/* Functions are called with operands that satisfy all other constraints, and can end the search. */
static void calls(void **state)
{
    (void)state;
    struct seen seen = { 0, 0, true };
    popsolver_model *m = popsolver_model_create();
    const variable a = popsolver_add_variable(m, 1, 40, "a"), b = popsolver_add_variable(m, 2, 40, "b");
    const variable value = popsolver_call(m, VARIABLES(a, b), difference, &seen, "difference");
    const variable seven = popsolver_add_constant(m, 7, NULL),
                   rest = popsolver_mod(m, popsolver_sum(m, VARIABLES(a, b), NULL), seven, NULL);
    popsolver_less_or_equal(m, b, a);
    popsolver_equal(m, rest, popsolver_add_constant(m, 0, NULL));
    popsolver_less(m, popsolver_add_constant(m, 30, NULL), value);
    assert_int_equal(smallest(m, value), 31);
    assert_true(seen.decided && seen.count == popsolver_model_statistics(m).call);
    seen = (struct seen){ 0, 3, true };
    assert_int_equal(popsolver_minimize(m, VARIABLES(value)).outcome, POPSOLVER_STOPPED);
    assert_int_equal(seen.count, 3);
    assert_null(popsolver_model_error(m));
    seen.limit = 0;
    assert_int_equal(smallest(m, value), 31);
    popsolver_model_destroy(m);
}

/* A step of a plan: the work of one of several parts, and an exchange. */
static popsolver_answer work(const uint64_t *operands, size_t count, uint64_t *result, void *user)
{
    (void)count;
    (void)user;
    *result = 40 + operands[0] * operands[1] + 3 * (operands[0] + operands[1]) * operands[2];
    return POPSOLVER_VALUE;
}

static popsolver_statistics plan(bool monotone, uint64_t *cost)
{
    popsolver_model *m = popsolver_model_create();
    variable splits[3], sizes[3];
    for (unsigned i = 0; i < 3; ++i) {
        static const uint64_t whole[] = { 97, 120, 60 };
        splits[i] = popsolver_add_variable(m, 1, whole[i], NULL);
        sizes[i] = popsolver_ceildiv_constrain_divisor(m, popsolver_add_constant(m, whole[i], NULL), splits[i], NULL);
    }
    popsolver_restrict(m, popsolver_product(m, (popsolver_variables){ 3, splits }, "tiles"), 1, 304);
    const popsolver_variables list = { 3, sizes };
    *cost = smallest(m, monotone ? popsolver_call_monotone(m, list, work, NULL, NULL)
                                 : popsolver_call(m, list, work, NULL, NULL));
    const popsolver_statistics statistics = popsolver_model_statistics(m);
    popsolver_model_destroy(m);
    return statistics;
}

static void monotone_functions_cut_the_search(void **state)
{
    (void)state;
    uint64_t exact, cut;
    const popsolver_statistics all = plan(false, &exact), few = plan(true, &cut);
    assert_true(exact == cut);
    assert_true(few.choices * 4 < all.choices);
}

static popsolver_answer reentrant(const uint64_t *operands, size_t count, uint64_t *result, void *user)
{
    (void)count;
    *result = operands[0];
    popsolver_add_constant(user, 1, NULL);
    assert_int_equal(popsolver_minimize(user, (popsolver_variables){ 0 }).outcome, POPSOLVER_FAILED);
    return POPSOLVER_VALUE;
}

static void expect(popsolver_model *m, pop_status status, const char *api, const char *words)
{
    pop_error error;
    assert_non_null(popsolver_model_error(m));
    assert_int_equal(popsolver_model_take_error(m, &error), status);
    assert_string_equal(error.api, api);
    assert_non_null(strstr(error.text, words));
    assert_non_null(strstr(error.where.file, "test_popsolver_model.c"));
    assert_true(error.where.line > 0);
    assert_null(popsolver_model_error(m));
    assert_int_equal(popsolver_model_take_error(m, NULL), POP_OK);
}

/* Each mistake is one error with the user's line, the first is kept, and the model does not change. */
static void mistakes(void **state)
{
    (void)state;
    popsolver_model *m = popsolver_model_create();
    const variable a = popsolver_add_variable(m, 3, 4, "a"), null = { 0 }, foreign = { 9 };
    uint64_t low = 1, high = 1;
    assert_int_equal(popsolver_product(m, VARIABLES(a, null), NULL).id, 0);
    assert_int_equal(popsolver_max(m, (popsolver_variables){ 0 }, NULL).id, 0); /* no effect */
    assert_int_equal(popsolver_add_variable(m, 0, 1, NULL).id + popsolver_add_constant(m, 0, NULL).id, 0);
    assert_int_equal(popsolver_minimize(m, VARIABLES(a)).outcome, POPSOLVER_FAILED);
    expect(m, POP_INDEX_ERROR, "popsolver_product", "variable 2 of 2 is null");
    popsolver_max(m, (popsolver_variables){ 0 }, NULL);
    expect(m, POP_INDEX_ERROR, "popsolver_max", "at least one variable");
    popsolver_min(m, (popsolver_variables){ 0 }, NULL);
    expect(m, POP_INDEX_ERROR, "popsolver_min", "at least one variable");
    popsolver_sum(m, (popsolver_variables){ 2, NULL }, NULL);
    expect(m, POP_INDEX_ERROR, "popsolver_sum", "list of 2 variables is null");
    popsolver_sub(m, foreign, a, NULL);
    expect(m, POP_INDEX_ERROR, "popsolver_sub", "id 9, the model has variables 1 to 1");
    popsolver_floordiv(m, a, null, NULL);
    expect(m, POP_INDEX_ERROR, "popsolver_floordiv", "null");
    popsolver_ceildiv(m, a, null, NULL);
    expect(m, POP_INDEX_ERROR, "popsolver_ceildiv", "null");
    popsolver_ceildiv_constrain_divisor(m, a, null, NULL);
    expect(m, POP_INDEX_ERROR, "popsolver_ceildiv_constrain_divisor", "null");
    popsolver_mod(m, null, a, NULL);
    expect(m, POP_INDEX_ERROR, "popsolver_mod", "variable 1 of 2");
    popsolver_less(m, a, null);
    expect(m, POP_INDEX_ERROR, "popsolver_less", "null");
    popsolver_less_or_equal(m, a, null);
    expect(m, POP_INDEX_ERROR, "popsolver_less_or_equal", "null");
    popsolver_equal(m, a, null);
    expect(m, POP_INDEX_ERROR, "popsolver_equal", "null");
    popsolver_factor_of(m, null, a);
    expect(m, POP_INDEX_ERROR, "popsolver_factor_of", "null");
    popsolver_restrict(m, null, 0, 1);
    expect(m, POP_INDEX_ERROR, "popsolver_restrict", "null");
    popsolver_call(m, VARIABLES(a), NULL, NULL, NULL);
    expect(m, POP_POPLAR_ERROR, "popsolver_call", "function is null");
    popsolver_call_monotone(m, VARIABLES(a), NULL, NULL, NULL);
    expect(m, POP_POPLAR_ERROR, "popsolver_call_monotone", "function is null");
    popsolver_call(m, VARIABLES(null), mix, NULL, NULL);
    expect(m, POP_INDEX_ERROR, "popsolver_call", "null");
    assert_int_equal(popsolver_minimize(m, VARIABLES(foreign)).outcome, POPSOLVER_FAILED);
    expect(m, POP_INDEX_ERROR, "popsolver_minimize", "id 9");
    assert_int_equal(popsolver_model_num_variables(m), 1);
    assert_true(popsolver_domain(m, a, &low, &high) && low == 3 && high == 4);
    assert_false(popsolver_domain(m, null, &low, &high) || popsolver_domain(m, foreign, &low, &high));
    assert_string_equal(popsolver_name(m, a), "a");
    assert_string_equal(popsolver_name(m, foreign), "");
    popsolver_call(m, VARIABLES(a), reentrant, m, NULL);
    assert_int_equal(popsolver_minimize(m, VARIABLES(a)).outcome, POPSOLVER_FAILED);
    expect(m, POP_RUNTIME_ERROR, "popsolver_add_constant", "is being solved");
    popsolver_model_destroy(m);
}

static void null_models(void **state)
{
    (void)state;
    const variable null = { 0 };
    uint64_t low, high;
    popsolver_model_destroy(NULL);
    assert_null(popsolver_model_error(NULL));
    assert_int_equal(popsolver_model_take_error(NULL, NULL), POP_OK);
    assert_int_equal(popsolver_add_variable(NULL, 0, 1, "a").id + popsolver_product(NULL, VARIABLES(null), NULL).id, 0);
    assert_int_equal(popsolver_minimize(NULL, VARIABLES(null)).outcome, POPSOLVER_FAILED);
    assert_int_equal(popsolver_model_num_variables(NULL) + popsolver_model_statistics(NULL).choices, 0);
    assert_false(popsolver_domain(NULL, null, &low, &high));
    assert_string_equal(popsolver_name(NULL, null), "");
    popsolver_less(NULL, null, null);
}

/* Empty models and lists have their neutral values. */
static void empty_models(void **state)
{
    (void)state;
    popsolver_model *m = popsolver_model_create();
    assert_true(feasible(m));
    const variable one = popsolver_product(m, (popsolver_variables){ 0 }, NULL),
                   zero = popsolver_sum(m, (popsolver_variables){ 0 }, NULL);
    assert_int_equal(popsolver_product(m, (popsolver_variables){ 0 }, NULL).id, one.id);
    const popsolver_solution s = popsolver_minimize(m, VARIABLES(zero, one));
    assert_int_equal(popsolver_value(s, one), 1);
    assert_int_equal(popsolver_value(s, zero), 0);
    popsolver_less(m, one, zero);
    assert_false(feasible(m));
    popsolver_model_destroy(m);
}

/* Depth uses heap memory, not the stack: a chain, and a choice for each of its variables. */
static void long_chains(void **state)
{
    (void)state;
    enum { LENGTH = 1000 };
    popsolver_model *m = popsolver_model_create();
    variable *chain = malloc(LENGTH * sizeof(*chain));
    for (unsigned i = 0; i < LENGTH; ++i) {
        chain[i] = popsolver_add_variable(m, 0, 2 * LENGTH, NULL);
        if (i)
            popsolver_less(m, chain[i - 1], chain[i]);
    }
    assert_int_equal(smallest(m, chain[LENGTH - 1]), LENGTH - 1);
    popsolver_model_destroy(m);
    m = popsolver_model_create();
    for (unsigned i = 0; i < LENGTH; ++i)
        chain[i] = popsolver_add_variable(m, 0, TOP, NULL);
    assert_int_equal(smallest(m, popsolver_sum(m, (popsolver_variables){ LENGTH, chain }, NULL)), 0);
    popsolver_model_destroy(m);
    free(chain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_models),
        cmocka_unit_test(whole_numbers_do_not_wrap),
        cmocka_unit_test(bounds_leave_one_value),
        cmocka_unit_test(objectives_in_order),
        cmocka_unit_test(solutions_live_as_long_as_their_model),
        cmocka_unit_test(calls),
        cmocka_unit_test(monotone_functions_cut_the_search),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(null_models),
        cmocka_unit_test(empty_models),
        cmocka_unit_test(long_chains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
