/* SPDX-License-Identifier: Apache-2.0 */
/* CTC plans: options and constraints, comparison and text, and checks of tensors against a plan. */
#include "popnn/ctc/ctc.h"

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
    *options = (struct ctc_options){ .partials = CTC_FLOAT,
                                     .proportion = 0.6,
                                     .constraints = "",
                                     .softmax_gradient = true,
                                     .infinity_tolerance = 0.01 };
    if (!call_parse_options(call, given, loss ? loss_options : infer_options,
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

/* ---- constraints: {"parallel": {"batch": 1, "lastBlankOnSeparateTile": true}} ---- */

static const char *skip(const char *at)
{
    while (pop_text_is_space(*at))
        ++at;
    return at;
}
/* Reads a quoted key and a colon; NULL when the text is anything else. */
static const char *parse_key(const char *at, const char *key)
{
    size_t length = strlen(key);
    if (*at != '"' || strncmp(at + 1, key, length) != 0 || at[length + 1] != '"')
        return NULL;
    at = skip(at + length + 2);
    return *at == ':' ? skip(at + 1) : NULL;
}
static const char *parse_value(const char *at, unsigned long *value)
{
    char *end;
    if (strncmp(at, "true", 4) == 0 || strncmp(at, "false", 5) == 0) {
        *value = *at == 't';
        return at + (*at == 't' ? 4 : 5);
    }
    if (!pop_text_is_digit(*at))
        return NULL;
    *value = strtoul(at, &end, 10);
    return *value <= UINT32_MAX ? end : NULL;
}

static const char loss_keys[] = "batch, time, label and lastBlankOnSeparateTile";
static const char infer_keys[] = "batch and classes";

static const char *parse_member(const char *at, popnn_ctc_purpose purpose, struct ctc_constraints *constraints)
{
    const struct {
        const char *key;
        popnn_ctc_purpose purpose; /* purpose of the plan; POPNN_CTC_NO_PLAN: both */
        unsigned *split;           /* NULL: the flag lastBlankOnSeparateTile */
    } keys[] = { { "batch", POPNN_CTC_NO_PLAN, &constraints->batch },
                 { "time", POPNN_CTC_LOSS, &constraints->time },
                 { "label", POPNN_CTC_LOSS, &constraints->label },
                 { "classes", POPNN_CTC_INFERENCE, &constraints->classes },
                 { "lastBlankOnSeparateTile", POPNN_CTC_LOSS, NULL } };
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); ++i) {
        unsigned long value;
        const char *end = parse_key(at, keys[i].key);
        if (!end || (keys[i].purpose && keys[i].purpose != purpose))
            continue;
        end = parse_value(end, &value);
        if (!end || value > (keys[i].split ? UINT32_MAX : 1) || (keys[i].split && !value))
            return NULL;
        if (keys[i].split)
            *keys[i].split = (unsigned)value;
        else
            constraints->separate_last_blank = (int)value;
        return end;
    }
    return NULL;
}

bool ctc_parse_constraints(const struct call *call, popnn_ctc_purpose purpose, const char *text,
                           struct ctc_constraints *constraints)
{
    *constraints = (struct ctc_constraints){ .separate_last_blank = -1 };
    const char *at = skip(text), *inner;
    if (!*at)
        return true;
    at = *at == '{' ? skip(at + 1) : NULL;
    inner = at ? parse_key(at, "parallel") : NULL;
    if (at && *at != '}')
        at = inner && *inner == '{' ? skip(inner + 1) : NULL;
    while (at && inner && *at != '}') {
        at = parse_member(at, purpose, constraints);
        at = at ? skip(at) : NULL;
        if (at && *at == ',')
            at = skip(at + 1);
        else if (at && *at != '}')
            at = NULL;
    }
    if (at && inner)
        at = skip(at + 1);
    return (at && *at == '}' && !*skip(at + 1)) ||
           call_fail(call, POP_INVALID_OPTION,
                     "option 'planConstraints' cannot be '%s'; it takes JSON: {\"parallel\": {...}} with %s", text,
                     purpose == POPNN_CTC_LOSS ? loss_keys : infer_keys);
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
