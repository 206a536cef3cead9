/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of a tile's vertices and their lower bounds, which methods provide. */
#include "poplin/planner/method.h"
#include "poplin/planner/planner.h"

#include <assert.h>

static uint64_t cycles_of(const struct plan_candidate *c, const struct plan_tile *t)
{
    const struct conv_plan *plan = &c->plan;
    unsigned workers = c->target->num_worker_contexts;
    struct plan_tile_work work = { .workers = workers < PLAN_MAX_WORKERS ? workers : PLAN_MAX_WORKERS,
                                   .positions = plan_positions_of(c, t),
                                   .kernel = 1,
                                   .groups = (unsigned)(t->groups / plan->conv_groups_per_group),
                                   .in_groups = (unsigned)(t->in_chans / plan->in_chans_per_group),
                                   .out_groups = (unsigned)(t->out_chans / plan->partial_chans_per_group) };
    assert(t->groups % plan->conv_groups_per_group == 0 && t->in_chans % plan->in_chans_per_group == 0 &&
           t->out_chans % plan->partial_chans_per_group == 0);
    for (size_t d = 0; d < c->params.num_field_dims; ++d)
        work.kernel *= t->kernel[d];
    if (!work.positions || !work.kernel || !work.groups || !work.in_groups || !work.out_groups)
        return 0;
    return plan->method->cycles(c, t, &work);
}

/* ---- bounds ---- */

uint64_t plan_pass_cycles(const struct plan_candidate *c, uint64_t passes, uint64_t work)
{
    const struct conv_method *method = c->plan.method;
    return method->pass_cycles ? method->pass_cycles(c, passes, work) : 0;
}

uint64_t plan_pair_cycles(const struct plan_candidate *c, const struct plan_tile *t)
{
    const struct conv_method *method = c->plan.method;
    return method->pair_cycles ? method->pair_cycles(c, t) : 0;
}

double plan_whole_work(const struct plan_candidate *c)
{
    const poplin_conv_params *p = &c->params;
    double work = (double)p->batch_size * (double)c->grains_groups * (double)c->grains_in * (double)c->grains_out;
    for (size_t d = 0; d < p->num_field_dims; ++d)
        work *= (double)c->output[d] * (double)poplin_conv_truncated_kernel_size(p, d);
    return work;
}
uint64_t plan_min_work(const struct plan_candidate *c, unsigned tiles)
{
    return plan_pass_cycles(c, 0, (uint64_t)(plan_whole_work(c) / tiles));
}

/* ---- cache of cycles ---- */

static size_t place_of(const struct plan_memo *memo, const uint32_t key[PLAN_MEMO_KEYS])
{
    assert(memo->used < memo->size && (memo->size & (memo->size - 1)) == 0);
    uint64_t hash = 0;
    for (size_t i = 0; i < PLAN_MEMO_KEYS; ++i)
        hash = (hash ^ key[i]) * UINT64_C(0x9e3779b97f4a7c15), hash ^= hash >> 29;
    size_t place = hash & (memo->size - 1);
    while (memo->entries[place].key[0] && memcmp(memo->entries[place].key, key, sizeof(memo->entries[place].key)) != 0)
        place = (place + 1) & (memo->size - 1);
    return place;
}
static void grow_memo(struct plan_memo *memo)
{
    size_t size = memo->size ? 2 * memo->size : 256;
    struct plan_memo grown = { poplibs_zeros(size, sizeof(struct plan_memo_entry)), size, memo->used };
    for (size_t i = 0; i < memo->size; ++i)
        if (memo->entries[i].key[0])
            grown.entries[place_of(&grown, memo->entries[i].key)] = memo->entries[i];
    free(memo->entries);
    *memo = grown;
}

uint64_t plan_vertex_cycles(struct plan_candidate *c, const struct plan_tile *t)
{
    const uint64_t numbers[] = { t->batch, t->groups, t->in_chans, t->out_chans };
    uint32_t key[PLAN_MEMO_KEYS] = { 0 };
    uint64_t max = 0;
    for (size_t i = 0; i < 4; ++i)
        key[i] = (uint32_t)numbers[i], max |= numbers[i];
    for (size_t d = 0; d < c->params.num_field_dims; ++d) {
        key[4 + d] = (uint32_t)t->field[d], max |= t->field[d];
        key[4 + POPLIN_MAX_FIELD_DIMS + d] = (uint32_t)t->kernel[d], max |= t->kernel[d];
    }
    if (max > UINT32_MAX || !t->batch)
        return cycles_of(c, t);
    if (2 * (c->memo.used + 1) > c->memo.size)
        grow_memo(&c->memo);
    struct plan_memo_entry *entry = &c->memo.entries[place_of(&c->memo, key)];
    if (!entry->key[0]) {
        memcpy(entry->key, key, sizeof(key));
        entry->cycles = cycles_of(c, t);
        ++c->memo.used;
    }
    return entry->cycles;
}
