/* SPDX-License-Identifier: Apache-2.0 */
/* The propagation rule of each constraint, on bounds of its variables. Arithmetic is that of unbounded integers: an
 * upper bound above 2^64 - 1 has no effect, a lower bound above it makes the domain empty. */
#include "popsolver/rules.h"

#include <assert.h>

#define EVERYTHING UINT64_MAX

/* Saturating sum and product, for upper bounds. */
static uint64_t add_up(uint64_t a, uint64_t b)
{
    return a > EVERYTHING - b ? EVERYTHING : a + b;
}

/* Division dominates the run time: small numbers are divided in 32 bits, and rules divide only when a product shows
 * that a bound changes. */
static bool small(uint64_t a, uint64_t b)
{
    return (a | b) <= UINT32_MAX;
}

static bool overflows(uint64_t a, uint64_t b)
{
    return !small(a, b) && a && b > EVERYTHING / a;
}

static uint64_t multiply_up(uint64_t a, uint64_t b)
{
    return overflows(a, b) ? EVERYTHING : a * b;
}

static uint64_t divide(uint64_t a, uint64_t b)
{
    assert(b);
    return small(a, b) ? (uint32_t)a / (uint32_t)b : a / b;
}

/* Sum and product for lower bounds: false on overflow. */
static bool add_low(uint64_t a, uint64_t b, uint64_t *sum)
{
    *sum = a + b;
    return a <= EVERYTHING - b;
}

static bool multiply_low(uint64_t a, uint64_t b, uint64_t *product)
{
    *product = a * b;
    return !overflows(a, b);
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    const uint64_t quotient = divide(a, b);
    return quotient + (quotient * b != a);
}

/* Tightens the bounds of a factor: result / other. */
static bool divide_factor(struct solver *s, uint32_t factor, uint32_t other, uint32_t result)
{
    const struct domain f = s->domains[factor], o = s->domains[other], r = s->domains[result];
    if (multiply_up(f.min, o.max) < r.min && o.max && !raise_min(s, factor, divide_up(r.min, o.max)))
        return false;
    const bool fits = !overflows(f.max, o.min) && f.max * o.min <= r.max;
    return fits || lower_max(s, factor, divide(r.max, o.min));
}

static bool product(struct solver *s, uint32_t result, uint32_t a, uint32_t b)
{
    const struct domain x = s->domains[a], y = s->domains[b];
    uint64_t low;
    return multiply_low(x.min, y.min, &low) && raise_min(s, result, low) &&
           lower_max(s, result, multiply_up(x.max, y.max)) && divide_factor(s, a, b, result) &&
           divide_factor(s, b, a, result);
}

/* The sum of the maxima may exceed 64 bits although the result cannot: wraps counts the overflows. */
static bool sum(struct solver *s, uint32_t result, const uint32_t *operands, uint32_t count)
{
    uint64_t low = 0, high = 0;
    uint32_t wraps = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const struct domain d = s->domains[operands[i]];
        if (!add_low(low, d.min, &low))
            return false;
        high += d.max;
        wraps += high < d.max;
    }
    if (!raise_min(s, result, low) || !lower_max(s, result, wraps ? EVERYTHING : high))
        return false;
    const struct domain r = s->domains[result];
    for (uint32_t i = 0; i < count; ++i) {
        const struct domain d = s->domains[operands[i]];
        /* An operand that occurs twice may have a smaller domain than was summed, which makes these bounds weaker
         * but not wrong. */
        const uint64_t others_min = low > d.min ? low - d.min : 0, others_max = high - d.max;
        const bool others_wrap = wraps > (high < d.max);
        if (r.max < others_min || !lower_max(s, operands[i], r.max - others_min))
            return false;
        if (!others_wrap && r.min > others_max && !raise_min(s, operands[i], r.min - others_max))
            return false;
    }
    return true;
}

static bool max(struct solver *s, uint32_t result, const uint32_t *operands, uint32_t count)
{
    uint64_t low = 0, high = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const struct domain d = s->domains[operands[i]];
        low = d.min > low ? d.min : low;
        high = d.max > high ? d.max : high;
    }
    if (!raise_min(s, result, low) || !lower_max(s, result, high))
        return false;
    const struct domain r = s->domains[result];
    uint32_t reach = 0, last = 0; /* number of operands that can equal the result, and the last of them */
    for (uint32_t i = 0; i < count; ++i) {
        if (!lower_max(s, operands[i], r.max))
            return false;
        if (s->domains[operands[i]].max >= r.min) {
            last = operands[i];
            ++reach;
        }
    }
    return reach != 1 || raise_min(s, last, r.min);
}

static bool min(struct solver *s, uint32_t result, const uint32_t *operands, uint32_t count)
{
    uint64_t low = EVERYTHING, high = EVERYTHING;
    for (uint32_t i = 0; i < count; ++i) {
        const struct domain d = s->domains[operands[i]];
        low = d.min < low ? d.min : low;
        high = d.max < high ? d.max : high;
    }
    if (!raise_min(s, result, low) || !lower_max(s, result, high))
        return false;
    const struct domain r = s->domains[result];
    uint32_t reach = 0, last = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (!raise_min(s, operands[i], r.min))
            return false;
        if (s->domains[operands[i]].min <= r.max) {
            last = operands[i];
            ++reach;
        }
    }
    return reach != 1 || lower_max(s, last, r.max);
}

/* q * right <= left < (q + 1) * right */
static bool floordiv(struct solver *s, uint32_t quotient, uint32_t left, uint32_t right)
{
    if (!raise_min(s, right, 1))
        return false;
    const struct domain l = s->domains[left], r = s->domains[right];
    if (!raise_min(s, quotient, divide(l.min, r.max)) || !lower_max(s, quotient, divide(l.max, r.min)))
        return false;
    const struct domain q = s->domains[quotient];
    uint64_t low;
    if (!multiply_low(q.min, r.min, &low) || !raise_min(s, left, low) ||
        !lower_max(s, left, add_up(multiply_up(q.max, r.max), r.max - 1)))
        return false;
    if (q.min && !lower_max(s, right, divide(l.max, q.min)))
        return false;
    return q.max == EVERYTHING || raise_min(s, right, divide(l.min, q.max + 1) + 1);
}

/* (q - 1) * right < left <= q * right */
static bool ceildiv(struct solver *s, uint32_t quotient, uint32_t left, uint32_t right)
{
    if (!raise_min(s, right, 1))
        return false;
    const struct domain l = s->domains[left], r = s->domains[right];
    if (!raise_min(s, quotient, divide_up(l.min, r.max)) || !lower_max(s, quotient, divide_up(l.max, r.min)))
        return false;
    const struct domain q = s->domains[quotient];
    if (!lower_max(s, left, multiply_up(q.max, r.max)) || (q.max && !raise_min(s, right, divide_up(l.min, q.max))))
        return false;
    uint64_t low;
    if (q.min && (!multiply_low(q.min - 1, r.min, &low) || !add_low(low, 1, &low) || !raise_min(s, left, low)))
        return false;
    return q.min < 2 || lower_max(s, right, divide(l.max - 1, q.min - 1));
}

static bool less(struct solver *s, uint32_t left, uint32_t right)
{
    uint64_t above;
    if (left == right || !add_low(s->domains[left].min, 1, &above) || !raise_min(s, right, above))
        return false;
    return lower_max(s, left, s->domains[right].max - 1); /* not 0: its min is at least 1 */
}

static bool less_or_equal(struct solver *s, uint32_t left, uint32_t right)
{
    return raise_min(s, right, s->domains[left].min) && lower_max(s, left, s->domains[right].max);
}

/* A function is called when its operands are decided. A monotone function is also called before, with the operands'
 * minima: its value, if any, is a lower bound of the result. */
static bool call(struct solver *s, const struct constraint *constraint, const uint32_t *operands)
{
    bool decided = true;
    for (uint32_t i = 0; i < constraint->count; ++i) {
        const struct domain d = s->domains[operands[i]];
        decided = decided && d.min == d.max;
        s->arguments[i] = d.min;
    }
    if (!decided && constraint->kind == CALL)
        return true;
    ++s->statistics->call;
    uint64_t result = 0;
    switch (constraint->function(s->arguments, constraint->count, &result, constraint->user)) {
    case POPSOLVER_VALUE:
        return raise_min(s, constraint->result, result) && (!decided || lower_max(s, constraint->result, result));
    case POPSOLVER_STOP:
        s->stopped = true;
        return false;
    case POPSOLVER_NONE:
        break;
    }
    return !decided;
}

bool propagate_constraint(struct solver *s, const struct constraint *constraint)
{
    assert(constraint->result < s->model->variables &&
           constraint->first + constraint->count <= s->model->operand_count);
    const uint32_t *operands = s->model->operands + constraint->first;
    const uint32_t result = constraint->result;
    popsolver_statistics *count = s->statistics;
    switch (constraint->kind) {
    case PRODUCT:
        ++count->product;
        return product(s, result, operands[0], operands[1]);
    case SUM:
        ++count->sum;
        return sum(s, result, operands, constraint->count);
    case MAX:
        ++count->max;
        return max(s, result, operands, constraint->count);
    case MIN:
        ++count->min;
        return min(s, result, operands, constraint->count);
    case FLOORDIV:
        ++count->floordiv;
        return floordiv(s, result, operands[0], operands[1]);
    case CEILDIV:
        ++count->ceildiv;
        return ceildiv(s, result, operands[0], operands[1]);
    case LESS:
        ++count->less;
        return less(s, result, operands[0]);
    case LESS_OR_EQUAL:
        ++count->less_or_equal;
        return less_or_equal(s, result, operands[0]);
    case EQUAL:
        ++count->equal;
        return less_or_equal(s, result, operands[0]) && less_or_equal(s, operands[0], result);
    case CALL:
    case CALL_MONOTONE:
        return call(s, constraint, operands);
    case KINDS:
        break;
    }
    return true;
}
