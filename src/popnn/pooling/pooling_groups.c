/* SPDX-License-Identifier: Apache-2.0 */
/* The groups of channels of a pass: those that are together in memory, or with work lists the planner's choice. */
#include "popnn/pooling/pooling.h"

enum { MAX_CHANNELS = 64, USUAL_CHANNELS = 16 }; /* of a group */

/* The largest divisor of a number that is at most max. */
static size_t divisor(size_t number, size_t max)
{
    size_t best = poplibs_max(poplibs_min(number, max), 1);
    while (number % best)
        --best;
    return best;
}
size_t pool_allowed_group(size_t group)
{
    return group > MAX_CHANNELS ? divisor(group, USUAL_CHANNELS) : group;
}

/* The channels of an operand's first field element; the operand {batch, channels, field...} has elements. */
static pop_tensor first_element(const struct pool *pool, pop_tensor operand)
{
    const struct call *call = pool->call;
    pop_tensor first = pop_tensor_at(operand, 0);
    for (unsigned i = 0; i < pool->params->dims; ++i)
        first = pop_tensor_slice(first, 0, 1, 1 + i);
    return first;
}

/* ---- without work lists ---- */

/* The group of channels: the largest divisor of their number, up to 16 and at least the vector width, that is
 * contiguous in memory in a pass's operand {batch, channels, field...} (backward, the output's gradient), judged by its
 * first field element.  If there is none, the largest divisor up to 16. */
static size_t channels_of(const struct pool *pool, pop_tensor operand)
{
    const struct call *call = pool->call;
    size_t count = pool->params->channels, together = divisor(count, USUAL_CHANNELS),
           width = pop_target_vector_width(pop_graph_target(call->graph), pool->params->data_type);
    if (!count || !pool->introspective || !pop_tensor_num_elements(operand))
        return together;
    pop_tensor first = first_element(pool, operand);
    for (size_t c = together; c >= width; --c)
        if (count % c == 0 && pop_tensor_is_contiguous(pop_tensor_slice(first, 0, c, 0)))
            return c;
    return together;
}

/* On a CPU device rows of whole planes are pooled where they are, instead of being gathered by channels. */
static bool takes_planes(const struct pool *pool, pop_tensor in)
{
    return pop_graph_target(pool->call->graph)->type == POP_TARGET_CPU && pool->params->data_type == POP_FLOAT &&
           pop_tensor_is_contiguous(in);
}

/* ---- with work lists: poplibs' planner of 2021 ---- */

/* The number of channels that are together in memory in an operand, judged by its first field element: a divisor of
 * all. */
static size_t channels_together(const struct pool *pool, pop_tensor operand)
{
    const struct call *call = pool->call;
    size_t count = pop_tensor_dim(operand, 1), together = 1;
    if (!pool->introspective || !pop_tensor_num_elements(operand))
        return divisor(count, USUAL_CHANNELS);
    pop_tensor first = first_element(pool, operand);
    for (size_t high = count; together < high;) { /* the longest contiguous beginning, by halving */
        size_t middle = high - (high - together) / 2;
        if (pop_tensor_is_contiguous(pop_tensor_slice(first, 0, middle, 0)))
            together = middle;
        else
            high = middle - 1;
    }
    return poplibs_gcd(together, count);
}

static size_t vector_width(const struct pool *pool)
{
    return pop_target_vector_width(pop_graph_target(pool->call->graph), pool->params->data_type);
}

/* Plans with groups of one vector to as many channels as are together, at most 8 vectors. */
static struct pool_plan plan_of_groups(const struct pool *pool)
{
    enum { MAX_VECTORS = 8 };
    size_t width = vector_width(pool), together = poplibs_ceil_div(pool->detected, width),
           all = poplibs_ceil_div(pool->params->channels, width);
    return pool_find_plan(pool, width, width * poplibs_max(poplibs_min(poplibs_min(together, all), MAX_VECTORS), 1));
}

/* Where so many channels are together, a plan that keeps them is preferred if it takes less than a third more cycles:
 * groups of this size suit the convolutions beside a pool. */
static size_t preferred_group(const popnn_pool_params *params)
{
    return params->data_type == POP_HALF ? 16 : params->type == POPNN_POOL_MAX ? 8 : 4;
}
static bool is_preferred(const struct pool_plan *preferred, const struct pool_plan *plan)
{
    return preferred->cycles < plan->cycles + plan->cycles / 3;
}

/* Takes the view of the forward pass with groups of `group` channels. */
static void take_view(struct pool_planned *to, const struct pool *pool, pop_tensor in, size_t group)
{
    to->pool = *pool;
    to->view = pool_view_of(pool->params, group);
    to->pool.params = &to->view.params;
    to->pool.read[0] = pool_view_in(pool->call, &to->view, in);
    to->pool.detected = channels_together(pool, to->pool.read[0]);
    popnn_pool_output_field(&to->view.params, to->pool.out_field);
}

void pool_plan_forward(struct pool_planned *planned, const struct pool *pool, pop_tensor in)
{
    struct pool_planned preferred;
    size_t group = preferred_group(pool->params);
    if (!pool_is_listed(pool)) {
        *planned = (struct pool_planned){ .pool = *pool, .view = { *pool->params, 0 } };
        planned->pool.read[0] = in;
        planned->pool.channels = takes_planes(pool, in) ? 1 : channels_of(pool, in);
        planned->plan = pool_find_plan(&planned->pool, 0, 0);
        return;
    }
    take_view(planned, pool, in, vector_width(pool));
    planned->plan = plan_of_groups(&planned->pool);
    if (planned->plan.channels >= group)
        return;
    take_view(&preferred, pool, in, group);
    if (preferred.pool.detected < group)
        return;
    preferred.plan = pool_find_plan(&preferred.pool, group, group);
    if (is_preferred(&preferred.plan, &planned->plan)) {
        *planned = preferred;
        planned->pool.params = &planned->view.params;
    }
}

struct pool_plan pool_plan_backward(struct pool *pool)
{
    size_t group = preferred_group(pool->params);
    if (!pool_is_listed(pool)) {
        pool->channels = channels_of(pool, pool->read[2]);
        return pool_find_plan(pool, 0, 0);
    }
    pool->detected = channels_together(pool, pool->read[2]);
    struct pool_plan plan = plan_of_groups(pool);
    if (plan.channels >= group || pool->detected < group)
        return plan;
    struct pool_plan preferred = pool_find_plan(pool, group, group);
    return is_preferred(&preferred, &plan) ? preferred : plan;
}
