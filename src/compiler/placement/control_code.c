/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/placement/control_code.h"

#include "target/memory_cost.h"

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

void control_code_add(const struct model *model, const struct model_step *step, uint32_t tiles, int64_t *change)
{
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
