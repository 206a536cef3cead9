/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/placement/placement.h"

#include "target/memory_cost.h"

#include <assert.h>

static void code_on(int64_t *change, uint32_t tile, uint32_t tiles, unsigned instructions)
{
    change[tile] += instructions;
    change[tile + tiles] -= instructions;
}

static void code_of_exchange(const struct model *model, const struct model_exchange *exchange, int64_t *change)
{
    for (uint64_t i = exchange->first_flow; i < exchange->first_flow + exchange->flows; ++i)
        code_on(change, model->flows.data[i].tile, model->flows.data[i].tiles, MEMORY_CONTROL_EXCHANGE);
}

static unsigned instructions_of(const struct model_step *step)
{
    switch (step->kind) {
    case MODEL_EXCHANGE:
    case MODEL_GLOBAL_EXCHANGE:
    case MODEL_SYNC:
    case MODEL_SET_CONSENSUS:
        return MEMORY_CONTROL_SYNC;
    case MODEL_STREAM_COPY:
        return MEMORY_CONTROL_HOST;
    case MODEL_IF:
    case MODEL_IF_ELSE:
    case MODEL_SWITCH:
        return MEMORY_CONTROL_BRANCH + step->children;
    case MODEL_REPEAT:
    case MODEL_REPEAT_WHILE:
        return MEMORY_CONTROL_LOOP;
    case MODEL_CALL:
        return MEMORY_CONTROL_CALL;
    default:
        return 0;
    }
}

/* ---- syncs of exchanges in which a tile takes no part ---- */

/* An exchange and the ones before it, the latest first: of a run of exchanges in which a tile takes no part only the
 * first RUN need an instruction. */
enum { RUN = 2, EXCHANGES = 1 + RUN };
struct exchange_run {
    uint64_t next[EXCHANGES], end[EXCHANGES]; /* their flows, in the order of tiles */
    unsigned count;
};

static struct exchange_run run_before(const struct model *model, const struct model_step *step)
{
    struct exchange_run run = { .count = 0 };
    for (const struct model_step *s = step; run.count < EXCHANGES; --s) {
        if (s->kind == MODEL_EXCHANGE) {
            const struct model_exchange *exchange = &model->exchanges.data[s->index];
            run.next[run.count] = exchange->first_flow;
            run.end[run.count++] = exchange->first_flow + exchange->flows;
        }
        if (s == model->steps.data)
            break;
    }
    return run;
}

/* The first tile from `tile` on that takes part in one of them, and where the flows of it end; false: there is none. */
static bool next_flow(const struct model *model, struct exchange_run *run, uint32_t tile, uint32_t *from, uint32_t *to)
{
    *from = UINT32_MAX;
    for (unsigned i = 0; i < run->count; ++i) {
        while (run->next[i] < run->end[i] &&
               model->flows.data[run->next[i]].tile + model->flows.data[run->next[i]].tiles <= tile)
            ++run->next[i];
        if (run->next[i] == run->end[i])
            continue;
        const struct model_flow *flow = &model->flows.data[run->next[i]];
        uint32_t begin = flow->tile > tile ? flow->tile : tile;
        if (begin < *from) {
            *from = begin;
            *to = flow->tile + flow->tiles;
        }
    }
    return *from != UINT32_MAX;
}

/* Tiles that take part in none of an exchange and the two before it have said with `sans` that they do not, and wait
 * with `syncans` for the next in which they do. */
static void code_of_sync(const struct model *model, const struct model_step *step, uint32_t tiles, int64_t *change)
{
    struct exchange_run run = run_before(model, step);
    if (run.count < EXCHANGES) {
        code_on(change, 0, tiles, MEMORY_CONTROL_SYNC);
        return;
    }
    for (uint32_t tile = 0, from, to; next_flow(model, &run, tile, &from, &to); tile = to) {
        assert(to > from && to <= tiles);
        code_on(change, from, to - from, MEMORY_CONTROL_SYNC);
    }
}

/* ---- steps ---- */

void control_code_start(const pop_target *target, int64_t *change)
{
    if (target->poplibs_release == POP_POPLIBS_2021)
        code_on(change, 0, pop_target_num_tiles(target), MEMORY_CONTROL_START);
}

void control_code_add(const struct model *model, const struct model_step *step, const pop_target *target,
                      int64_t *change)
{
    uint32_t tiles = pop_target_num_tiles(target);
    if (step->kind == MODEL_EXCHANGE && target->poplibs_release == POP_POPLIBS_2021)
        code_of_sync(model, step, tiles, change);
    else
        code_on(change, 0, tiles, instructions_of(step));
    if (step->kind == MODEL_EXECUTE) {
        const struct model_set *set = &model->sets.data[step->index];
        for (uint64_t i = set->first_part; i < set->first_part + set->parts; ++i)
            code_on(change, model->parts.data[i].tile, model->parts.data[i].tiles, MEMORY_CONTROL_EXECUTE);
    } else if (step->kind == MODEL_EXCHANGE) {
        code_of_exchange(model, &model->exchanges.data[step->index], change);
    } else if (step->kind == MODEL_GLOBAL_EXCHANGE) {
        code_of_exchange(model, &model->global_exchanges.data[step->index], change);
    } else if (step->kind == MODEL_STREAM_COPY) {
        code_of_exchange(model, &model->host_exchanges.data[step->index], change);
    }
}
