/* SPDX-License-Identifier: Apache-2.0 */
/* The planner of CTC losses: estimates every split of batch, time and label (docs/libraries/ctc.md) and takes the
 * fastest. The search space is small, because the product of the splits is at most the number of tiles. */
#include "popnn/ctc/ctc.h"

#include "poplibs/log.h"

#include <assert.h>
#include <popnn/ctc_loss.h>

/* Cycles of a log-addition and of a log-multiplication. */
enum { LOG_ADD = 16, LOG_MUL = 1 };

/* A float takes a cycle. */
static uint64_t exchange(uint64_t floats)
{
    return EXCHANGE + floats;
}

static void estimate(popnn_ctc_plan *plan)
{
    assert(plan->batch_splits && plan->time_splits && plan->label_splits);
    uint64_t b = poplibs_ceil_div(plan->batch_size, plan->batch_splits),
             t = poplibs_ceil_div(plan->max_time, plan->time_splits),
             l = poplibs_ceil_div(plan->max_label_length, plan->label_splits);
    bool with_blank = plan->max_label_length % plan->label_splits == 0 && !plan->separate_last_blank,
         label_edges = ctc_label_tiles(plan) > 1, time_edges = plan->time_splits > 2;
    uint64_t blank = with_blank ? LOG_ADD + LOG_MUL : 0;
    uint64_t alpha = WORKERS * (44 * l + blank) + SYNC +
                     exchange((time_edges ? l : 0) + (label_edges ? 2 : 0) + (label_edges && time_edges ? 2 : 0));
    uint64_t gradient = WORKERS * (84 * l + 2 * blank) + SYNC + exchange(2 + 4 * l);
    uint64_t steps = t * poplibs_ceil_div(plan->time_splits, 2), serial = poplibs_ceil_div(b, WORKERS);
    plan->cycles = serial * steps * (alpha + gradient);
    uint64_t extended = 2 * l + (l * plan->label_splits == plan->max_label_length),
             partial = pop_type_size(plan->partials_type);
    plan->bytes = b * (t * plan->num_classes * (pop_type_size(plan->in_type) + partial) + 2 * l +
                       (t + 1 + 3) * extended * partial);
    plan->tiles = plan->batch_splits * plan->time_splits * ctc_label_tiles(plan);
}

/* Whether a split satisfies the constraint and leaves no partition empty. */
static bool allowed(unsigned count, unsigned splits, unsigned wanted)
{
    return (!wanted || wanted == splits) && ctc_parts_full(count, splits);
}

static popnn_ctc_plan search(popnn_ctc_plan of, const struct ctc_constraints *wanted, unsigned tiles, double bytes)
{
    popnn_ctc_plan best = { 0 };
    for (of.batch_splits = 1; of.batch_splits <= poplibs_min(of.batch_size, tiles); ++of.batch_splits) {
        if (!allowed(of.batch_size, of.batch_splits, wanted->batch))
            continue;
        unsigned here = tiles / of.batch_splits;
        for (of.time_splits = 1; of.time_splits <= poplibs_min(of.max_time, here); ++of.time_splits) {
            if (!allowed(of.max_time, of.time_splits, wanted->time))
                continue;
            unsigned max_labels = here / of.time_splits; /* tiles available for label splits */
            for (of.label_splits = 1; of.label_splits <= poplibs_min(of.max_label_length, max_labels);
                 ++of.label_splits) {
                if (!allowed(of.max_label_length, of.label_splits, wanted->label))
                    continue;
                for (int apart = 0; apart < 2 && of.label_splits + (unsigned)apart <= max_labels; ++apart) {
                    of.separate_last_blank = apart;
                    if (wanted->separate_last_blank >= 0 && wanted->separate_last_blank != apart)
                        continue;
                    estimate(&of);
                    if ((double)of.bytes <= bytes && (!best.tiles || ctc_better(&of, &best)))
                        best = of;
                }
            }
        }
    }
    assert(best.tiles <= tiles);
    return best;
}

static bool check(const struct call *call, const popnn_ctc_plan *p)
{
    const struct {
        const char *what;
        unsigned value, min;
    } sizes[] = { { "the batch", p->batch_size, 1 },
                  { "the time", p->max_time, 1 },
                  { "the label length", p->max_label_length, 1 },
                  { "the number of classes", p->num_classes, 2 } };
    if ((p->in_type != POP_HALF && p->in_type != POP_FLOAT) || (p->out_type != POP_HALF && p->out_type != POP_FLOAT))
        return call_fail(call, POP_TYPE_ERROR, "the data are %s and the results %s; half or float is needed",
                         pop_type_name(p->in_type), pop_type_name(p->out_type));
    if (p->partials_type == POP_HALF && p->in_type != POP_HALF)
        return call_fail(call, POP_TYPE_ERROR, "the option 'partialsType' is half, which goes with data of half alone");
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i)
        if (sizes[i].value < sizes[i].min)
            return call_fail(call, POP_POPLAR_ERROR, "%s is %u; %u or more is needed", sizes[i].what, sizes[i].value,
                             sizes[i].min);
    return call_fits_memory(call, "the data", (size_t)((double)p->batch_size * p->max_time * p->num_classes),
                            p->in_type);
}

popnn_ctc_plan popnn_ctc_loss_plan_at(pop_where where, pop_graph *graph, pop_type in_type, pop_type out_type,
                                      unsigned batch_size, unsigned max_time, unsigned max_label_length,
                                      unsigned num_classes, pop_options given)
{
    POPLIBS_CALL(graph, log_type(in_type), log_type(out_type), batch_size, max_time, max_label_length, num_classes,
                 given);
    const popnn_ctc_plan none = { 0 };
    struct ctc_options options;
    struct ctc_constraints wanted;
    char text[256];
    if (!call_ready(call) || !ctc_parse_options(call, POPNN_CTC_LOSS, given, &options) ||
        !ctc_parse_constraints(call, POPNN_CTC_LOSS, options.constraints, &wanted))
        return none;
    popnn_ctc_plan of = { .purpose = POPNN_CTC_LOSS,
                          .in_type = in_type,
                          .out_type = out_type,
                          .partials_type = options.partials == CTC_HALF ? POP_HALF : POP_FLOAT,
                          .batch_size = batch_size,
                          .max_time = max_time,
                          .max_label_length = max_label_length,
                          .num_classes = num_classes,
                          .class_splits = 1 };
    if (!check(call, &of))
        return none;
    const pop_target *target = pop_graph_target(graph);
    unsigned tiles = pop_target_num_tiles(target);
    popnn_ctc_plan best = search(of, &wanted, tiles, options.proportion * (double)target->bytes_per_tile);
    if (!best.tiles) { /* no plan fits in memory: takes the one with the lowest cycles, and reports its memory */
        best = search(of, &wanted, tiles, 1e300);
        if (best.tiles)
            POPLIBS_LOG(WARN, "%s: no plan keeps to %g of a tile's memory; the fastest takes %llu bytes", call->api,
                        options.proportion, (unsigned long long)best.bytes);
    }
    if (!best.tiles) {
        call_fail(call, POP_INVALID_OPTION, "no plan for %u tiles has the constraints '%s'", tiles,
                  options.constraints);
        return none;
    }
    popnn_ctc_plan_text(&best, text, sizeof(text));
    POPLIBS_LOG(INFO, "%s: %u steps, %u entries, labels of %u, %u classes: %s", call->api, max_time, batch_size,
                max_label_length, num_classes, text);
    return best;
}
