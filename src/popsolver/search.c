/* SPDX-License-Identifier: Apache-2.0 */
/* Branch and bound. A search decides one variable at a time: it halves the variable's domain, explores the lower
 * half first, and backtracks when that fails; so values are tried in ascending order, and whole ranges are excluded
 * at once. Changes and choices are kept in two lists, without recursion. */
#include "popsolver/search.h"
#include "popsolver/rules.h"

#include "poplibs/support.h"

#include <assert.h>
#include <string.h>

#define NONE UINT32_MAX

static bool is_call(const struct constraint *constraint)
{
    return constraint->kind == CALL || constraint->kind == CALL_MONOTONE;
}

/* ---- queues ---- */

static void push(struct queue *queue, uint32_t constraint)
{
    assert(queue->count < queue->capacity);
    uint32_t at = queue->head + queue->count++;
    queue->ring[at < queue->capacity ? at : at - queue->capacity] = constraint;
}

static uint32_t pop(struct queue *queue)
{
    assert(queue->count);
    const uint32_t constraint = queue->ring[queue->head];
    queue->head = queue->head + 1 < queue->capacity ? queue->head + 1 : 0;
    --queue->count;
    return constraint;
}

void enqueue(struct solver *s, uint32_t constraint)
{
    assert(constraint <= s->model->count);
    if (s->queued[constraint])
        return;
    s->queued[constraint] = true;
    push(constraint < s->model->count && is_call(&s->model->constraints[constraint]) ? &s->calls : &s->queue,
         constraint);
}

static void enqueue_all(struct solver *s)
{
    for (size_t i = 0; i < s->model->count; ++i)
        enqueue(s, (uint32_t)i);
}

static void empty(struct solver *s, struct queue *queue)
{
    while (queue->count)
        s->queued[pop(queue)] = false;
}

/* ---- domains ---- */

static void wake(struct solver *s, const struct watchers *watchers, uint32_t variable)
{
    for (uint32_t i = watchers->start[variable]; i < watchers->start[variable + 1]; ++i)
        enqueue(s, watchers->list[i]);
}

static void change(struct solver *s, uint32_t variable, struct domain after)
{
    assert(after.min <= after.max && after.min >= s->domains[variable].min && after.max <= s->domains[variable].max);
    if (s->stamps[variable] != s->stamp) {
        s->stamps[variable] = s->stamp;
        s->changes = poplibs_grown(s->changes, &s->changes_capacity, s->change_count + 1, sizeof(*s->changes));
        s->changes[s->change_count++] = (struct change){ variable, s->domains[variable] };
    }
    s->domains[variable] = after;
    wake(s, &s->watchers, variable);
    if (after.min == after.max)
        wake(s, &s->call_watchers, variable);
}

bool raise_min(struct solver *s, uint32_t variable, uint64_t min)
{
    const struct domain d = s->domains[variable];
    if (min > d.max)
        return false;
    if (min > d.min)
        change(s, variable, (struct domain){ min, d.max });
    return true;
}

bool lower_max(struct solver *s, uint32_t variable, uint64_t max)
{
    const struct domain d = s->domains[variable];
    if (max < d.min)
        return false;
    if (max < d.max)
        change(s, variable, (struct domain){ d.min, max });
    return true;
}

static void take_back(struct solver *s, size_t mark)
{
    assert(mark <= s->change_count);
    while (s->change_count > mark) {
        const struct change *last = &s->changes[--s->change_count];
        s->domains[last->variable] = last->before;
    }
    ++s->stamp;
}

/* ---- propagation ---- */

/* Requires a lexicographically smaller solution than the best: while the previous objectives must equal the best,
 * the next is at most its best, and the last is smaller. */
static bool improve(struct solver *s)
{
    if (!s->found)
        return true;
    for (size_t i = 0; i < s->objectives.count; ++i) {
        const uint32_t variable = s->objectives.list[i].id - 1;
        const uint64_t best = s->best[i];
        if (i + 1 == s->objectives.count)
            return best && lower_max(s, variable, best - 1);
        if (!lower_max(s, variable, best))
            return false;
        if (s->domains[variable].min < best)
            return true;
    }
    return false;
}

/* Bounds may converge in steps of one (a = a / a - 1 with 2^64 values), which would take too long where a call's
 * value or the choice of another variable would end it; so the number of iterations is limited. When all variables
 * are decided, propagation always ends. */
bool propagate(struct solver *s)
{
    size_t patience = 1000 + 100 * s->model->count;
    while (s->queue.count || s->calls.count) {
        if (!patience && !s->calls.count) {
            s->cut = true;
            return true;
        }
        patience -= patience > 0;
        const uint32_t constraint = pop(s->queue.count && patience ? &s->queue
                                        : s->calls.count           ? &s->calls
                                                                   : &s->queue);
        s->queued[constraint] = false;
        if (!(constraint < s->model->count ? propagate_constraint(s, &s->model->constraints[constraint])
                                           : improve(s))) {
            empty(s, &s->queue);
            empty(s, &s->calls);
            return false;
        }
    }
    return true;
}

/* ---- choices ---- */

/* Chooses the undecided variable with the smallest domain, operands of calls before others, the first among equals. */
static uint32_t choose(const struct solver *s)
{
    uint32_t best = NONE;
    uint64_t min = UINT64_MAX;
    bool operand = false;
    for (uint32_t i = 0; i < s->model->variables; ++i) {
        const uint64_t width = s->domains[i].max - s->domains[i].min;
        if (!width || s->is_operand[i] < operand)
            continue;
        if (best == NONE || s->is_operand[i] > operand || width < min) {
            best = i;
            min = width;
            operand = s->is_operand[i];
        }
    }
    return best;
}

/* Explores the lower half of a variable's domain; the upper half stays open. When a wide variable is newly chosen,
 * explores only its minimum: usually that is feasible, and halving would need up to 64 choices. */
static bool halve(struct solver *s, uint32_t variable, bool chosen)
{
    const struct domain d = s->domains[variable];
    assert(d.min < d.max);
    const uint64_t middle = chosen && d.max - d.min > UINT16_MAX ? d.min : d.min + (d.max - d.min) / 2;
    s->choices = poplibs_grown(s->choices, &s->choices_capacity, s->choice_count + 1, sizeof(*s->choices));
    s->choices[s->choice_count++] = (struct choice){ variable, middle + 1, s->change_count };
    ++s->stamp;
    ++s->statistics->choices;
    return lower_max(s, variable, middle) && propagate(s);
}

/* Backtracks to the last open half and returns its variable; false when there is none. */
static bool go_back(struct solver *s, uint32_t *variable)
{
    while (!s->stopped && s->choice_count) {
        const struct choice last = s->choices[--s->choice_count];
        take_back(s, last.mark);
        *variable = last.variable;
        enqueue(s, (uint32_t)s->model->count);
        if (s->cut) /* the queues at that time are unknown */
            enqueue_all(s);
        if (raise_min(s, last.variable, last.lower) && propagate(s))
            return true;
    }
    return false;
}

static void keep(struct solver *s, uint64_t *values)
{
    for (size_t i = 0; i < s->model->variables; ++i) {
        assert(s->domains[i].min == s->domains[i].max);
        values[i] = s->domains[i].min;
    }
    for (size_t i = 0; i < s->objectives.count; ++i)
        s->best[i] = values[s->objectives.list[i].id - 1];
    s->found = true;
    ++s->statistics->improvements;
}

static popsolver_outcome search(struct solver *s, uint64_t *values)
{
    for (uint32_t i = 0; i < s->model->variables; ++i)
        if (s->domains[i].min > s->domains[i].max)
            return POPSOLVER_INFEASIBLE;
    enqueue_all(s);
    bool alive = propagate(s);
    for (uint32_t variable = NONE; alive;) {
        const bool decided = variable == NONE || s->domains[variable].min == s->domains[variable].max;
        if (decided)
            variable = choose(s);
        if (variable == NONE && s->queue.count + s->calls.count) {
            alive = propagate(s) || go_back(s, &variable);
        } else if (variable == NONE) {
            keep(s, values);
            alive = s->objectives.count && go_back(s, &variable);
        } else {
            alive = halve(s, variable, decided) || go_back(s, &variable);
        }
    }
    return s->stopped ? POPSOLVER_STOPPED : s->found ? POPSOLVER_SOLVED : POPSOLVER_INFEASIBLE;
}

/* ---- solver state ---- */

/* Counts a constraint of a variable, or appends it to the variable's list. */
static void note(struct watchers *watchers, bool list, uint32_t variable, size_t constraint)
{
    if (list)
        watchers->list[watchers->start[variable + 1]++] = (uint32_t)constraint;
    else
        ++watchers->start[variable + 2];
}

/* Lists for each variable the constraints that contain it, except calls by their result. Two passes: the first
 * counts in start[v + 2], so that after summation start[v + 1] is the beginning of v's list; the second appends and
 * leaves its end there. */
static void watch(struct solver *s, struct watchers *watchers, bool calls)
{
    const popsolver_model *model = s->model;
    const size_t objectives = calls ? 0 : s->objectives.count;
    watchers->start = poplibs_zeros(model->variables + 2, sizeof(*watchers->start));
    watchers->list = poplibs_new(model->operand_count + model->count + objectives, sizeof(*watchers->list));
    for (int list = 0; list < 2; ++list) {
        for (size_t i = 0; i < model->count; ++i) {
            const struct constraint *c = &model->constraints[i];
            if ((c->kind == CALL) != calls)
                continue;
            for (uint32_t j = 0; j < c->count; ++j)
                note(watchers, list, model->operands[c->first + j], i);
            if (c->kind != CALL && c->kind != CALL_MONOTONE)
                note(watchers, list, c->result, i);
        }
        for (size_t j = 0; j < objectives; ++j)
            note(watchers, list, s->objectives.list[j].id - 1, model->count);
        for (size_t v = 2; !list && v < model->variables + 2; ++v)
            watchers->start[v] += watchers->start[v - 1];
    }
}

static struct queue new_queue(size_t capacity)
{
    return (struct queue){ poplibs_new(capacity, sizeof(uint32_t)), 0, 0, (uint32_t)capacity };
}

static void begin(struct solver *s)
{
    const popsolver_model *model = s->model;
    s->domains = poplibs_new(model->variables, sizeof(*s->domains));
    if (model->variables)
        memcpy(s->domains, model->domains, model->variables * sizeof(*s->domains));
    watch(s, &s->watchers, false);
    watch(s, &s->call_watchers, true);
    s->queue = new_queue(model->count + 1);
    s->calls = new_queue(model->count + 1);
    s->queued = poplibs_zeros(model->count + 1, sizeof(*s->queued));
    s->is_operand = poplibs_new(model->variables, sizeof(*s->is_operand));
    for (size_t i = 0; i < model->variables; ++i)
        s->is_operand[i] = false;
    for (size_t i = 0; i < model->count; ++i)
        for (uint32_t j = 0; is_call(&model->constraints[i]) && j < model->constraints[i].count; ++j)
            s->is_operand[model->operands[model->constraints[i].first + j]] = true;
    s->stamps = poplibs_zeros(model->variables, sizeof(*s->stamps));
    s->stamp = 1;
    s->best = poplibs_new(s->objectives.count, sizeof(*s->best));
    s->arguments = poplibs_new(model->operand_count, sizeof(*s->arguments));
}

static void end(struct solver *s)
{
    void *const parts[] = { s->domains,
                            s->watchers.start,
                            s->watchers.list,
                            s->call_watchers.start,
                            s->call_watchers.list,
                            s->queue.ring,
                            s->calls.ring,
                            s->queued,
                            s->is_operand,
                            s->changes,
                            s->stamps,
                            s->choices,
                            s->best,
                            s->arguments };
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); ++i)
        free(parts[i]);
}

popsolver_outcome solve(const popsolver_model *model, popsolver_variables objectives, uint64_t *values,
                        popsolver_statistics *statistics)
{
    struct solver s = { .model = model, .objectives = objectives, .statistics = statistics };
    begin(&s);
    const popsolver_outcome outcome = search(&s, values);
    end(&s);
    return outcome;
}
