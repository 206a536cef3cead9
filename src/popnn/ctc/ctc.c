/* SPDX-License-Identifier: Apache-2.0 */
/* CTC plans: options and constraints, comparison and text, and checks of tensors against a plan. */
#include "popnn/ctc/ctc.h"

#include "poplibs/constraints.h"
#include "poplibs/log.h"
#include "poplibs/options.h"

#include <poplar/text.h>

/* ---- options ---- */

static const struct poplibs_option loss_options[] = {
#define CTC_LOSS_OPTION(...) POPLIBS_ROW(struct ctc_options, __VA_ARGS__)
#include "poplibs/options.def"
};
static const struct poplibs_option infer_options[] = {
#define CTC_INFER_OPTION(...) POPLIBS_ROW(struct ctc_options, __VA_ARGS__)
#include "poplibs/options.def"
};

bool ctc_parse_options(const struct call *call, popnn_ctc_purpose purpose, pop_options given,
                       struct ctc_options *options)
{
    bool loss = purpose == POPNN_CTC_LOSS;
    *options = (struct ctc_options){ 0 }; /* the options of losses are not all of inferences */
    if (!call_read_options(call, given, loss ? loss_options : infer_options,
                           loss ? sizeof(loss_options) / sizeof(loss_options[0])
                                : sizeof(infer_options) / sizeof(infer_options[0]),
                           options))
        return false;
    if (!(options->infinity_tolerance >= 0))
        return call_fail(call, POP_INVALID_OPTION, "option 'zeroInfinityRelTolerance' is %g; it must not be negative",
                         options->infinity_tolerance);
    return options->proportion >= 0 ||
           call_fail(call, POP_INVALID_OPTION, "option 'availableMemoryProportion' is %g; it must not be negative",
                     options->proportion);
}

bool ctc_parse_constraints(const struct call *call, popnn_ctc_purpose purpose, const char *text,
                           struct ctc_constraints *constraints)
{
    unsigned apart = UINT32_MAX;
    *constraints = (struct ctc_constraints){ .separate_last_blank = -1 };
    const struct poplibs_constraint of_loss[] = { { "batch", &constraints->batch, false },
                                                  { "time", &constraints->time, false },
                                                  { "label", &constraints->label, false },
                                                  { "lastBlankOnSeparateTile", &apart, true } },
                                    of_inference[] = { { "batch", &constraints->batch, false },
                                                       { "classes", &constraints->classes, false } };
    bool right = purpose == POPNN_CTC_LOSS
                     ? call_read_constraints(call, text, "parallel", of_loss, sizeof(of_loss) / sizeof(of_loss[0]))
                     : call_read_constraints(call, text, "parallel", of_inference,
                                             sizeof(of_inference) / sizeof(of_inference[0]));
    if (apart != UINT32_MAX)
        constraints->separate_last_blank = (int)apart;
    return right;
}

/* ---- plans as values ---- */

int popnn_ctc_plan_compare(const popnn_ctc_plan *a, const popnn_ctc_plan *b)
{
#define FIELDS(p)                                                                                                      \
    {                                                                                                                  \
        (uint64_t)(p)->purpose, (uint64_t)(p)->in_type, (uint64_t)(p)->out_type, (uint64_t)(p)->partials_type,         \
            (p)->batch_size, (p)->max_time, (p)->max_label_length, (p)->num_classes, (p)->beamwidth,                   \
            (p)->batch_splits, (p)->time_splits, (p)->label_splits, (p)->class_splits, (p)->separate_last_blank,       \
            (p)->cycles, (p)->bytes, (p)->tiles                                                                        \
    }
    const uint64_t left[] = FIELDS(a), right[] = FIELDS(b);
#undef FIELDS
    for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); ++i)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

size_t popnn_ctc_plan_text(const popnn_ctc_plan *p, char *buffer, size_t size)
{
    if (p->purpose == POPNN_CTC_LOSS)
        return (size_t)snprintf(buffer, size,
                                "{batch=%u,time=%u,label=%u,lastBlankOnSeparateTile=%s,partialsType=%s,tiles=%u,"
                                "cycles=%llu,bytes=%llu}",
                                p->batch_splits, p->time_splits, p->label_splits,
                                p->separate_last_blank ? "true" : "false", pop_type_name(p->partials_type), p->tiles,
                                (unsigned long long)p->cycles, (unsigned long long)p->bytes);
    if (p->purpose == POPNN_CTC_INFERENCE)
        return (size_t)snprintf(buffer, size, "{batch=%u,classes=%u,beamwidth=%u,partialsType=%s,tiles=%u,bytes=%llu}",
                                p->batch_splits, p->class_splits, p->beamwidth, pop_type_name(p->partials_type),
                                p->tiles, (unsigned long long)p->bytes);
    return (size_t)snprintf(buffer, size, "{}");
}

/* ---- checks ---- */

bool ctc_check_plan(const struct call *call, const popnn_ctc_plan *plan, popnn_ctc_purpose purpose, size_t batch,
                    size_t time, size_t classes)
{
    const char *maker = purpose == POPNN_CTC_LOSS ? "popnn_ctc_loss_plan" : "popnn_ctc_infer_plan";
    if (!plan || plan->purpose != purpose)
        return call_fail(
            call, POP_POPLAR_ERROR, "%s; one that %s made is needed",
            !plan || plan->purpose == POPNN_CTC_NO_PLAN ? "there is no plan" : "the plan is for something else", maker);
    if (plan->tiles > pop_target_num_tiles(pop_graph_target(call->graph)))
        return call_fail(call, POP_POPLAR_ERROR, "the plan is for %u tiles; the graph has %u", plan->tiles,
                         pop_target_num_tiles(pop_graph_target(call->graph)));
    if ((batch && batch != plan->batch_size) || (time && time != plan->max_time) ||
        (classes && classes != plan->num_classes))
        return call_fail(call, POP_POPLAR_ERROR,
                         "the plan is for %u steps, %u entries and %u classes; these are %zu, %zu and %zu",
                         plan->max_time, plan->batch_size, plan->num_classes, time ? time : plan->max_time,
                         batch ? batch : plan->batch_size, classes ? classes : plan->num_classes);
    return true;
}

bool ctc_check_data(const struct call *call, const popnn_ctc_plan *plan, popnn_ctc_purpose purpose, pop_tensor data)
{
    char text[128];
    if (!check_floating(call, "the data", data))
        return false;
    if (pop_tensor_rank(data) != 3 || !pop_tensor_num_elements(data))
        return call_fail(call, POP_POPLAR_ERROR,
                         "the data have shape %s; {time,batch,classes} is needed, none of them 0",
                         poplibs_shape_of(text, sizeof(text), data));
    if (!ctc_check_plan(call, plan, purpose, pop_tensor_dim(data, 1), pop_tensor_dim(data, 0), pop_tensor_dim(data, 2)))
        return false;
    return pop_tensor_type(data) == plan->in_type ||
           call_fail(call, POP_TYPE_ERROR, "the data have type %s; the plan is for %s",
                     pop_type_name(pop_tensor_type(data)), pop_type_name(plan->in_type));
}

bool ctc_check_lengths(const struct call *call, const char *what, pop_tensor lengths, const popnn_ctc_plan *plan)
{
    char text[128];
    if (!call_takes(call, what, lengths))
        return false;
    if (pop_tensor_type(lengths) != POP_UNSIGNED_INT)
        return call_fail(call, POP_TYPE_ERROR, "%s has type %s; unsigned int is needed", what,
                         pop_type_name(pop_tensor_type(lengths)));
    return (pop_tensor_rank(lengths) == 1 && pop_tensor_dim(lengths, 0) == plan->batch_size) ||
           call_fail(call, POP_POPLAR_ERROR, "%s has shape %s; {%u}, one for each entry, is needed", what,
                     poplibs_shape_of(text, sizeof(text), lengths), plan->batch_size);
}

bool ctc_check_blank(const struct call *call, unsigned blank, const popnn_ctc_plan *plan)
{
    return blank < plan->num_classes ||
           call_fail(call, POP_INDEX_ERROR, "the blank is class %u; there are %u classes, from 0 to %u", blank,
                     plan->num_classes, plan->num_classes - 1);
}
