/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning of a record of what ran, where all of it would make a profile that no memory holds. */
#include "profile/first_steps.h"

struct cut {
    const struct model *model;
    struct trace *to;
    uint64_t *before; /* by op, and one more: steps of ops before it */
    uint64_t entry, left;
};

/* Steps that are told when a step runs: its own, and the syncs that it brings along. */
static uint64_t told(const struct model *model, uint32_t step)
{
    unsigned kind = model->steps.data[step].kind;
    return kind == MODEL_STREAM_COPY ? 4 : kind == MODEL_EXCHANGE || kind == MODEL_GLOBAL_EXCHANGE ? 2 : 1;
}

uint64_t steps_told(const struct model *model, const uint64_t *times)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < model->steps.count; ++i)
        sum += times[i] * told(model, i);
    return sum;
}

/* Of one time through entries, as far as matters: no more than beyond what is left. */
static uint64_t told_by(const struct cut *cut, const struct trace_entry *entries, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count && sum <= cut->left; ++i) {
        const struct trace_entry *e = entries + i;
        if (!e->times) {
            sum += cut->before[(size_t)e->first + e->count] - cut->before[e->first];
            continue;
        }
        uint64_t once = (e->first == TRACE_RUN ? cut->entry : 0) + told_by(cut, e + 1, e->count);
        sum = once && e->times > (cut->left + 1) / once ? cut->left + 1 : sum + once * e->times;
        i += e->count;
    }
    return sum;
}

static void add(struct cut *cut, const struct trace_entry *entries, size_t count)
{
    if (count)
        memcpy(vec_extend(&cut->to->entries, count), entries, count * sizeof(*entries));
}

static void cut_entries(struct cut *cut, const struct trace_entry *entries, size_t count);

static void cut_ops(struct cut *cut, struct trace_entry stretch)
{
    while (stretch.count && cut->before[(size_t)stretch.first + stretch.count] - cut->before[stretch.first] > cut->left)
        --stretch.count;
    cut->left = 0;
    add(cut, &stretch, stretch.count != 0);
}

/* As many whole iterations as there is room for, and the beginning of one more. */
static void cut_block(struct cut *cut, const struct trace_entry *block, uint64_t once)
{
    uint64_t whole = cut->left / once;
    size_t at = cut->to->entries.count;
    if (whole) {
        add(cut, block, (size_t)block->count + 1);
        cut->to->entries.data[at].times = whole;
        cut->left -= whole * once;
    }
    if (cut->left < (block->first == TRACE_RUN ? cut->entry : 0)) {
        cut->left = 0;
        return;
    }
    add(cut, &(struct trace_entry){ block->first, 0, 1 }, 1);
    cut->left -= block->first == TRACE_RUN ? cut->entry : 0;
    cut_entries(cut, block + 1, block->count);
}

static void cut_entries(struct cut *cut, const struct trace_entry *entries, size_t count)
{
    for (size_t i = 0; i < count && cut->left; ++i) {
        const struct trace_entry *e = entries + i;
        size_t behind = e->times ? e->count : 0;
        uint64_t all = told_by(cut, e, behind + 1);
        if (all <= cut->left) {
            add(cut, e, behind + 1);
            cut->left -= all;
        } else if (!e->times) {
            cut_ops(cut, *e);
        } else {
            cut_block(cut, e, (e->first == TRACE_RUN ? cut->entry : 0) + told_by(cut, e + 1, behind));
            cut->left = 0;
        }
        i += behind;
    }
}

void first_steps(struct trace *to, const struct trace *from, const struct model *model, uint64_t most)
{
    struct cut cut = { .model = model, .to = to, .left = most };
    size_t ops = model->op_first.count ? model->op_first.count - 1 : 0;
    cut.before = mem_zero(ops + 1, sizeof(*cut.before));
    for (size_t op = 0; op < ops; ++op) {
        cut.before[op + 1] = cut.before[op];
        for (size_t i = model->op_first.data[op]; i < model->op_first.data[op + 1]; ++i)
            cut.before[op + 1] += told(model, model->op_steps.data[i]);
    }
    for (size_t i = 0; i < model->entry.count; ++i)
        cut.entry += told(model, model->entry.data[i]);
    *to = (struct trace){ 0 };
    cut_entries(&cut, from->entries.data, from->entries.count);
    free(cut.before);
}
