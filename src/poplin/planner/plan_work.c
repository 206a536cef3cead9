/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of a tile's vertices: the work of its six workers as the graph splits it, and the vertex's own formula. */
#include "poplin/planner/plan_work.h"

/* Rows of a tile's output are cut in so many parts that all workers get equally many; fills items and one list for each
 * worker. */
static void share_rows(struct poplin_worklist *lists, unsigned *items, unsigned workers, uint64_t rows, uint64_t width)
{
    uint64_t parts = workers / poplibs_gcd(workers, rows), all = rows * parts; /* of a row, of all */
    for (unsigned w = 0; w < workers; ++w) {
        uint64_t begin = w * all / workers, end = (w + 1) * all / workers;
        lists[w] = (struct poplin_worklist){ items, 0 };
        while (begin < end) {
            uint64_t row_end = (begin / parts + 1) * parts, last = end < row_end ? end : row_end;
            uint64_t from = begin % parts * width / parts, to = last == row_end ? width : last % parts * width / parts;
            if (to > from)
                *items++ = (unsigned)(to - from), ++lists[w].count;
            begin = last;
        }
    }
}

/* Between the inputs of a dilated field a kernel position meets none: it is for one output in so many. */
static uint64_t step_of(const struct plan_candidate *c, size_t d)
{
    unsigned dilation = c->params.input_transform.dilation[d];
    return dilation / poplibs_gcd(dilation, c->params.output_transform.stride[d]);
}
static uint64_t met(const struct plan_candidate *c, size_t d, uint64_t outputs)
{
    return poplibs_ceil_div(outputs, step_of(c, d));
}
static uint64_t outputs_of(const struct plan_candidate *c, const struct plan_tile *t)
{
    uint64_t outputs = t->batch;
    for (size_t d = 0; d < c->params.num_field_dims; ++d)
        outputs *= t->field[d];
    return outputs;
}
static uint64_t fields_of(const struct plan_candidate *c, const struct plan_tile *t)
{
    uint64_t fields = t->batch;
    for (size_t d = 0; d < c->params.num_field_dims; ++d)
        fields *= met(c, d, t->field[d]);
    return fields;
}

/* ConvPartial1x1Out takes positions that follow each other: one kernel element and no gaps. */
static bool is_1x1(const struct plan_candidate *c, const struct plan_tile *t)
{
    size_t last = c->params.num_field_dims - 1;
    uint64_t outer = t->batch;
    for (size_t d = 0; d <= last; ++d) {
        if (t->kernel[d] != 1 || c->params.input_transform.dilation[d] != c->params.output_transform.stride[d])
            return false;
        outer *= d < last ? t->field[d] : 1;
    }
    return outer == 1;
}

uint64_t plan_sub_kernels(const struct plan_candidate *c, const struct plan_tile *t)
{
    size_t last = c->params.num_field_dims - 1;
    uint64_t width = t->kernel[last] ? (t->kernel[last] - 1) * c->params.kernel_transform.dilation[last] + 1 : 0;
    uint64_t sub_kernels = poplibs_ceil_div(width, POPLIN_SLIC_WINDOW);
    for (size_t d = 0; d < last; ++d)
        sub_kernels *= t->kernel[d];
    return sub_kernels;
}
static unsigned slic_passes(const struct plan_candidate *c)
{
    return 4 * POPLIN_SLIC_WINDOW / c->plan.num_conv_units;
}

enum { MOST_WORKERS = 16 };

static uint64_t cycles_of(const struct plan_candidate *c, const struct plan_tile *t)
{
    const struct poplin_plan *plan = &c->plan;
    const pop_target *target = c->target;
    unsigned workers = target->num_worker_contexts < MOST_WORKERS ? target->num_worker_contexts : MOST_WORKERS;
    size_t last = c->params.num_field_dims - 1;
    bool float_inputs = c->params.input_type == POP_FLOAT, float_partials = plan->tile_partial_type == POP_FLOAT;
    uint64_t fields = fields_of(c, t), kernel = 1;
    for (size_t d = 0; d <= last; ++d)
        kernel *= t->kernel[d];
    unsigned groups = (unsigned)(t->groups / plan->conv_groups_per_group),
             in_groups = (unsigned)(t->in_chans / plan->in_chans_per_group);
    unsigned out_groups = (unsigned)(t->out_chans / plan->partial_chans_per_group);
    if (!fields || !kernel || !groups || !in_groups || !out_groups)
        return 0;
    if (plan->method == POPLIN_OUTER_PRODUCT) { /* a vertex for each group and worker with positions */
        uint64_t rounds = poplibs_ceil_div(groups * (fields < workers ? fields : workers), workers);
        return workers * rounds *
               poplin_cycles_outer_product(float_inputs, (unsigned)poplibs_ceil_div(fields, workers),
                                           (unsigned)t->out_chans, plan->partial_chans_per_group,
                                           target->data_path_width);
    }
    uint64_t width = met(c, last, t->field[last]), rows = fields / width,
             each = plan->partial_chans_per_group * outputs_of(c, t);
    unsigned vector = pop_target_vector_width(target, plan->tile_partial_type);
    uint64_t zeroing = poplin_cycles_zero(workers, groups * out_groups, (unsigned)each, float_partials, vector);
    struct poplin_worklist lists[MOST_WORKERS];
    unsigned *items = poplibs_new(outputs_of(c, t) / t->field[last] + 2 * MOST_WORKERS, sizeof(*items)),
             elements[MOST_WORKERS];
    uint64_t cycles;
    if (plan->method == POPLIN_MAC) {
        share_rows(lists, items, workers, rows, width);
        struct poplin_mac mac = { workers,
                                  groups,
                                  in_groups,
                                  out_groups,
                                  (unsigned)kernel,
                                  plan->in_chans_per_group,
                                  plan->partial_chans_per_group,
                                  float_inputs,
                                  float_partials,
                                  true };
        cycles = zeroing + poplin_cycles_horizontal_mac(&mac, lists);
    } else if (plan->method == POPLIN_SLIC) {
        share_rows(lists, items, workers, outputs_of(c, t) / t->field[last], t->field[last]);
        struct poplin_slic slic = { workers,
                                    groups,
                                    plan->conv_groups_per_group,
                                    (unsigned)plan_sub_kernels(c, t),
                                    c->params.output_transform.stride[last],
                                    slic_passes(c),
                                    float_partials };
        cycles = poplin_cycles_slic(&slic, lists);
    } else {
        unsigned load = target->conv_unit_coeff_load_bytes_per_cycle / (c->options->use_128bit_conv_unit_load ? 1 : 2);
        struct poplin_amp amp = { workers,
                                  plan->num_conv_units,
                                  load ? load : 1,
                                  groups,
                                  in_groups,
                                  out_groups,
                                  plan->in_chans_per_group,
                                  plan->partial_chans_per_group,
                                  float_inputs,
                                  float_partials,
                                  pop_target_conv_unit_input_load_elems_per_cycle(target, c->params.input_type) };
        unsigned height = pop_target_weights_per_conv_unit(target, c->params.input_type) / plan->in_chans_per_group;
        if (height == 1 && is_1x1(c, t)) {
            for (unsigned w = 0; w < workers; ++w)
                elements[w] = (unsigned)((w + 1) * width / workers - w * width / workers);
            cycles = poplin_cycles_1x1(&amp, elements);
        } else {
            share_rows(lists, items, workers, rows, width);
            uint64_t outer = poplibs_ceil_div(t->kernel[0], height) * (kernel / t->kernel[0] / t->kernel[last]);
            struct poplin_nx1 nx1 = { amp, (unsigned)outer, (unsigned)t->kernel[last], height, 1, (unsigned)zeroing,
                                      true };
            cycles = poplin_cycles_nx1(&nx1, lists);
        }
    }
    free(items);
    return cycles;
}

bool plan_is_1x1(const struct plan_candidate *c, const struct plan_tile *t)
{
    unsigned weights = pop_target_weights_per_conv_unit(c->target, c->params.input_type);
    return c->plan.method == POPLIN_AMP && c->plan.in_chans_per_group == weights && is_1x1(c, t);
}

/* ---- bounds ---- */

static unsigned height_of(const struct plan_candidate *c)
{
    return c->plan.method == POPLIN_AMP
               ? pop_target_weights_per_conv_unit(c->target, c->params.input_type) / c->plan.in_chans_per_group
               : 1;
}

uint64_t plan_pass_cycles(const struct plan_candidate *c, uint64_t passes, uint64_t work)
{
    const struct poplin_plan *plan = &c->plan;
    uint64_t workers = c->target->num_worker_contexts, in = plan->in_chans_per_group, h = height_of(c);
    bool is_float = c->params.input_type == POP_FLOAT;
    if (plan->method ==
        POPLIN_SLIC) /* a row of n outputs takes n + 10 cycles in one pass or more, and n + 5 more in another */
        return passes / POPLIN_SLIC_WINDOW * workers * (17 + (slic_passes(c) > 1 ? 5 : 10)) +
               slic_passes(c) * work / POPLIN_SLIC_WINDOW;
    for (size_t d = 0; d < c->params.num_field_dims; ++d)
        work /= step_of(c, d);
    if (plan->method == POPLIN_AMP) {
        uint64_t each = poplibs_ceil_div(plan->partial_chans_per_group, plan->num_conv_units), loop = is_float ? 8 : 4;
        /* ConvPartial1x1Out's workers begin with 15 cycles, ConvPartialnx1's with 34 more than their loops have. */
        return each * (passes / h * (workers * (h == 1 ? 15 : 34) + 6) +
                       work / h * (plan->num_conv_units == 4 ? loop / 2 : loop));
    }
    if (plan->method == POPLIN_MAC)
        return passes * workers * 35 + work * (14 + (is_float ? in : in / 4));
    return 0;
}

/* Each worker has its share of elements, but for what rounding takes away, and one of them its share of rows. */
uint64_t plan_pair_cycles(const struct plan_candidate *c, const struct plan_tile *t)
{
    const struct poplin_plan *plan = &c->plan;
    size_t last = c->params.num_field_dims - 1;
    uint64_t workers = c->target->num_worker_contexts, fields = fields_of(c, t), kernel = 1,
             in = plan->in_chans_per_group, h = height_of(c);
    if (!fields)
        return 0;
    uint64_t rows = poplibs_ceil_div(fields / met(c, last, t->field[last]), workers),
             own = fields / workers > 3 ? fields / workers - 2 : 1;
    for (size_t d = 0; d <= last; ++d)
        kernel *= d ? t->kernel[d] : poplibs_ceil_div(t->kernel[d], h);
    bool is_float = c->params.input_type == POP_FLOAT;
    if (plan->method == POPLIN_SLIC) {
        uint64_t all = outputs_of(c, t),
                 of_rows = (slic_passes(c) > 1 ? 5 : 10) * poplibs_ceil_div(all / t->field[last], workers);
        uint64_t least = slic_passes(c) * (all / workers) + of_rows;
        return t->groups / plan->conv_groups_per_group * plan_sub_kernels(c, t) * workers * (17 + least);
    }
    if (plan->method == POPLIN_AMP) {
        uint64_t each = poplibs_ceil_div(plan->partial_chans_per_group, plan->num_conv_units);
        uint64_t loop = (is_float ? 8 : 4) / (plan->num_conv_units == 4 ? 2 : 1);
        uint64_t pass =
            h == 1 && is_1x1(c, t) ? workers * (15 + loop * own) + 6 : workers * (13 + 21 * rows + loop * own) + 18;
        return t->groups * kernel * each * pass;
    }
    if (plan->method == POPLIN_MAC)
        return t->groups * workers * kernel * (16 + 19 * rows + own * (14 + (is_float ? in : in / 4)));
    return 0;
}

double plan_whole_work(const struct plan_candidate *c)
{
    const poplin_conv_params *p = &c->params;
    double work = (double)p->batch_size * (double)c->grains_groups * (double)c->grains_in * (double)c->grains_out;
    for (size_t d = 0; d < p->num_field_dims; ++d)
        work *= (double)c->output[d] * (double)poplin_conv_truncated_kernel_size(p, d);
    return work;
}
uint64_t plan_least_work(const struct plan_candidate *c, unsigned tiles)
{
    return plan_pass_cycles(c, 0, (uint64_t)(plan_whole_work(c) / tiles));
}

/* ---- what was computed before ---- */

static size_t place_of(const struct plan_memo *memo, const uint32_t key[PLAN_MEMO_KEYS])
{
    uint64_t hash = 0;
    for (size_t i = 0; i < PLAN_MEMO_KEYS; ++i)
        hash = (hash ^ key[i]) * UINT64_C(0x9e3779b97f4a7c15), hash ^= hash >> 29;
    size_t place = hash & (memo->size - 1);
    while (memo->entries[place].key[0] && memcmp(memo->entries[place].key, key, sizeof(memo->entries[place].key)) != 0)
        place = (place + 1) & (memo->size - 1);
    return place;
}
static void make_room(struct plan_memo *memo)
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
    uint64_t most = 0;
    for (size_t i = 0; i < 4; ++i)
        key[i] = (uint32_t)numbers[i], most |= numbers[i];
    for (size_t d = 0; d < c->params.num_field_dims; ++d) {
        key[4 + d] = (uint32_t)t->field[d], most |= t->field[d];
        key[4 + POPLIN_MOST_FIELD_DIMS + d] = (uint32_t)t->kernel[d], most |= t->kernel[d];
    }
    if (most > UINT32_MAX || !t->batch)
        return cycles_of(c, t);
    if (2 * (c->memo.used + 1) > c->memo.size)
        make_room(&c->memo);
    struct plan_memo_entry *entry = &c->memo.entries[place_of(&c->memo, key)];
    if (!entry->key[0]) {
        memcpy(entry->key, key, sizeof(key));
        entry->cycles = cycles_of(c, t);
        ++c->memo.used;
    }
    return entry->cycles;
}
