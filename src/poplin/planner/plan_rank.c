/* SPDX-License-Identifier: Apache-2.0 */
/* The rank of a plan: its objective as one number, less is better. */
#include "poplin/planner/plan_search.h"
#include "poplin/planner/planner.h"

enum { CYCLES_BITS = 44, SECOND_BITS = 32, BYTES_BITS = 24 };

static uint64_t at_most_bits(uint64_t value, unsigned bits)
{
    uint64_t max = (UINT64_C(1) << bits) - 1;
    return value < max ? value : max;
}
static uint64_t rank_of_excess(uint64_t excess, uint64_t second)
{
    return at_most_bits(excess, 63 - SECOND_BITS) << SECOND_BITS | at_most_bits(second, SECOND_BITS);
}
/* Of plans with equal cycles that with the fewest bytes is better. */
static uint64_t rank_of_cycles(uint64_t cycles)
{
    return at_most_bits(cycles, 63 - BYTES_BITS) << BYTES_BITS;
}

/* The steps of a plan, and whether serial splits repeat them. */
static const struct step {
    size_t offset;
    bool repeated;
} steps_of[] = {
#define STEP(name, repeated)                                                                                           \
    {                                                                                                                  \
        offsetof(poplin_detailed_plan_costs, name), repeated                                                           \
    }
    STEP(broadcast, false), STEP(rearrangement, false), STEP(output_cast, false),         STEP(dynamic_slice, true),
    STEP(transform, true),  STEP(exchange, true),       STEP(tile_level_transform, true), STEP(compute, true),
    STEP(reduction, true),  STEP(dynamic_update, true), STEP(add_in_place, true),
#undef STEP
};
enum { STEPS = sizeof(steps_of) / sizeof(steps_of[0]) };

static uint64_t step_cycles(const poplin_detailed_plan_costs *steps, const struct step *step)
{
    const poplin_plan_costs *cost = (const void *)((const char *)steps + step->offset);
    return cost->cycles * (step->repeated ? steps->serial_split : 1);
}

/* The sum of the cycles by which steps are longer than those of another plan. */
static uint64_t excess_over(const poplin_detailed_plan_costs *steps, const poplin_detailed_plan_costs *other)
{
    uint64_t excess = 0;
    for (size_t i = 0; i < STEPS; ++i) {
        uint64_t cycles = step_cycles(steps, &steps_of[i]), limit = step_cycles(other, &steps_of[i]);
        excess += cycles > limit ? cycles - limit : 0;
    }
    return excess;
}

poplin_detailed_plan_costs plan_longest_steps(const poplin_detailed_plan_costs *a, const poplin_detailed_plan_costs *b)
{
    poplin_detailed_plan_costs longest = { .serial_split = 1 };
    for (size_t i = 0; i < STEPS; ++i) {
        uint64_t cycles = poplibs_max(step_cycles(a, &steps_of[i]), step_cycles(b, &steps_of[i]));
        ((poplin_plan_costs *)((char *)&longest + steps_of[i].offset))->cycles = cycles;
        longest.total.cycles += cycles;
    }
    return longest;
}

uint64_t plan_rank(const struct plan_goal *goal, const struct plan_cost *cost)
{
    switch (goal->objective) {
    case POPLIN_MIN_MEMORY:
        return cost->bytes;
    case POPLIN_FEWEST_TILES:
        return cost->cycles > goal->share->max_cycles
                   ? UINT64_MAX
                   : (uint64_t)cost->tiles << CYCLES_BITS | at_most_bits(cost->cycles, CYCLES_BITS);
    case POPLIN_LIKE_ON_FEWEST_TILES:
        return rank_of_excess(excess_over(&cost->steps, &goal->share->like), cost->tiles);
    case POPLIN_LIKE_IN_MIN_MEMORY:
        return rank_of_excess(excess_over(&cost->steps, &goal->share->like), cost->bytes);
    case POPLIN_ALONE:
    case POPLIN_FEWEST_CYCLES:
        break;
    }
    return rank_of_cycles(cost->cycles) | at_most_bits(cost->bytes, BYTES_BITS);
}

uint64_t plan_rank_from_cycles(const struct plan_goal *goal, uint64_t cycles)
{
    uint64_t limit = goal->share->like.total.cycles;
    switch (goal->objective) {
    case POPLIN_MIN_MEMORY:
        return 0;
    case POPLIN_FEWEST_TILES:
        return cycles > goal->share->max_cycles ? UINT64_MAX : 0;
    case POPLIN_LIKE_ON_FEWEST_TILES:
    case POPLIN_LIKE_IN_MIN_MEMORY: /* the steps' excess is at least that of their sum */
        return cycles > limit ? rank_of_excess(cycles - limit, 0) : 0;
    case POPLIN_ALONE:
    case POPLIN_FEWEST_CYCLES:
        break;
    }
    return rank_of_cycles(cycles);
}
