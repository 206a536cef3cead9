/* SPDX-License-Identifier: Apache-2.0 */
/* The CTC loss: two loops over time steps. The first computes alpha from the beginning and beta from the end, up to
 * the middle; the second continues both and computes each step's gradient with the alpha or beta that the first loop
 * stored. Partitions of the label process the same step in parallel, partitions of the time one after another. */
#include "popnn/ctc/ctc.h"

#include "poplibs/copies.h"
#include "poplibs/elements.h"
#include "poplibs/log.h"

#include <poplar/text.h>
#include <popnn/ctc_loss.h>
#include <popnn/log_softmax.h>
#include <popops/cast.h>
#include <popops/element_wise.h>
#include <popops/expr.h>
#include <popops/reduce.h>

struct ctc {
    const struct call *call;
    const popnn_ctc_plan *plan;
    const char *name;
    const struct ctc_options *options;
    unsigned blank;
    size_t batch, times, parts, classes;        /* entries, partitions of time and of label, classes */
    size_t alphas, turns;                       /* time partitions that start with alpha; steps up to their end */
    pop_tensor data, grads;                     /* {label partition, batch, time, classes} */
    pop_tensor counts, lengths;                 /* {time partition, label partition, batch, 1}, {..., 2} */
    pop_tensor alpha_in, alpha_out, alpha_time; /* {time partition, label partition, batch, 1} */
    pop_tensor beta_in, beta_out, beta_time;    /* {..., 2} */
    pop_tensor loss;                            /* {time partition with alpha, label partition, batch} */
    /* For each partition of the label; "places" are its blanks and symbols: */
    struct label_part {
        size_t first, symbols, places;
        pop_tensor kept;            /* {batch, time, places}: alpha or beta of the first loop */
        pop_tensor row;             /* {time partition, batch, places}: the neighbour's nearest row of kept */
        pop_tensor rows, rows_time; /* {time partition, batch, 2, places}: of the second loop; the neighbour's */
        pop_tensor label;           /* {time partition, batch, 1 + symbols + 1} */
    } * labels;
};

static pop_interval time_part(const struct ctc *c, size_t part)
{
    return ctc_part(c->plan->max_time, c->times, part);
}
static unsigned tile_of(const struct ctc *c, size_t entry, size_t time, size_t label)
{
    return (unsigned)((ctc_batch_part(c->plan, entry) * c->times + time) * c->parts + label);
}

/* ---- tensors ---- */

static pop_tensor slice(const struct ctc *c, pop_tensor t, size_t begin, size_t end, unsigned dim)
{
    const struct call *call = c->call;
    return pop_tensor_slice(t, begin, end, dim);
}
/* The elements of one partition in each of three dimensions: time partition, label partition, entry. */
static pop_tensor at3(const struct ctc *c, pop_tensor t, size_t a, size_t b, size_t d)
{
    const struct call *call = c->call;
    return pop_tensor_at(pop_tensor_at(pop_tensor_at(t, a), b), d);
}
/* The steps of a time partition of {batch, time, ...} for one entry. */
static pop_tensor steps_of(const struct ctc *c, pop_tensor t, size_t entry, size_t time)
{
    const struct call *call = c->call;
    pop_interval steps = time_part(c, time);
    return slice(c, pop_tensor_at(t, entry), steps.begin, steps.end, 0);
}
static pop_tensor variable(const struct ctc *c, pop_type type, pop_shape shape, const char *what)
{
    const struct call *call = c->call;
    return pop_graph_add_variable(call->graph, type, shape, call_path(call, c->name, what));
}
static void map(const struct ctc *c, pop_tensor t, unsigned tile)
{
    const struct call *call = c->call;
    pop_graph_set_tile_mapping(call->graph, t, tile);
}

/* A tensor {time partition, label partition, batch, ...} with each element on the tile for its indices. */
static pop_tensor by_tile(const struct ctc *c, pop_type type, size_t times, size_t elements, const char *what)
{
    pop_tensor t = variable(c, type, POP_SHAPE(times, c->parts, c->batch, elements), what);
    for (size_t time = 0; time < times; ++time)
        for (size_t label = 0; label < c->parts; ++label)
            for (size_t entry = 0; entry < c->batch; ++entry)
                map(c, at3(c, t, time, label, entry), tile_of(c, entry, time, label));
    return t;
}
static pop_tensor by_step(const struct ctc *c, pop_type type, const char *what)
{
    const struct call *call = c->call;
    pop_tensor t = variable(c, type, POP_SHAPE(c->parts, c->batch, c->plan->max_time, c->classes), what);
    for (size_t label = 0; label < c->parts; ++label)
        for (size_t entry = 0; entry < c->batch; ++entry)
            for (size_t time = 0; time < c->times; ++time)
                map(c, steps_of(c, pop_tensor_at(t, label), entry, time), tile_of(c, entry, time, label));
    return t;
}

static void make_label_part(const struct ctc *c, size_t label)
{
    const struct call *call = c->call;
    struct label_part *part = &c->labels[label];
    pop_type type = c->plan->partials_type;
    pop_interval symbols = ctc_part(c->plan->max_label_length, c->plan->label_splits, label);
    part->first = symbols.begin;
    part->symbols = symbols.end - symbols.begin; /* 0: the last blank has its own partition */
    part->places = 2 * part->symbols + (label + 1 == c->parts);
    part->kept = variable(c, type, POP_SHAPE(c->batch, c->plan->max_time, part->places), "alphaBeta");
    part->row = variable(c, type, POP_SHAPE(c->times, c->batch, part->places), "timeAlphaBeta1");
    part->rows = variable(c, type, POP_SHAPE(c->times, c->batch, 2, part->places), "timeAlphaBeta2");
    part->rows_time = variable(c, type, POP_SHAPE(c->times, c->batch, 2, part->places), "timeAlphaBetaPrevious");
    part->label = variable(c, POP_UNSIGNED_INT, POP_SHAPE(c->times, c->batch, part->symbols + 2), "labels");
    const pop_tensor all[] = { part->row, part->rows, part->rows_time, part->label };
    for (size_t time = 0; time < c->times; ++time)
        for (size_t entry = 0; entry < c->batch; ++entry) {
            unsigned tile = tile_of(c, entry, time, label);
            map(c, steps_of(c, part->kept, entry, time), tile);
            for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i)
                map(c, pop_tensor_at(pop_tensor_at(all[i], time), entry), tile);
        }
}

static void make_tensors(struct ctc *c)
{
    pop_type type = c->plan->partials_type;
    c->data = by_step(c, c->plan->in_type, "data");
    c->grads = by_step(c, type, "gradient");
    c->counts = by_tile(c, POP_UNSIGNED_INT, c->times, 1, "counts");
    c->lengths = by_tile(c, POP_UNSIGNED_INT, c->times, 2, "lengths");
    c->alpha_in = by_tile(c, type, c->times, 1, "labelAlphaIn");
    c->alpha_out = by_tile(c, type, c->times, 1, "labelAlphaOut");
    c->alpha_time = by_tile(c, type, c->times, 1, "labelAlphaTime");
    c->beta_in = by_tile(c, type, c->times, 2, "labelBetaIn");
    c->beta_out = by_tile(c, type, c->times, 2, "labelBetaOut");
    c->beta_time = by_tile(c, type, c->times, 2, "labelBetaTime");
    c->loss = by_tile(c, type, c->alphas, 1, "loss");
    for (size_t label = 0; label < c->parts; ++label)
        make_label_part(c, label);
}

/* ---- copies ---- */

/* Adds a copy between tensors whose shapes may differ. */
static void add_copy(const struct ctc *c, struct poplibs_copies *copies, pop_tensor from, pop_tensor to)
{
    const struct call *call = c->call;
    poplibs_copies_add(copies, pop_tensor_flatten(from), pop_tensor_flatten(to));
}
static void end_copies(const struct ctc *c, struct poplibs_copies *copies, pop_program sequence)
{
    call_copies(c->call, copies, sequence, c->name);
}

/* Copies the boundary values of label partitions to their neighbours, for time partitions [begin, end): alpha to the
 * next label partition, beta to the previous one; shift: from the previous or next time partition. */
static void copy_label_edges(const struct ctc *c, struct poplibs_copies *copies, bool alpha, size_t begin, size_t end,
                             bool shift)
{
    size_t parts = c->parts, low = alpha ? shift : 0, high = alpha ? 0 : shift;
    if (parts < 2 || begin + low + high >= end)
        return;
    pop_tensor from = slice(c, alpha ? c->alpha_out : c->beta_out, begin + high, end - low, 0),
               to = slice(c, alpha ? (shift ? c->alpha_time : c->alpha_in) : (shift ? c->beta_time : c->beta_in),
                          begin + low, end - high, 0);
    add_copy(c, copies, slice(c, from, !alpha, parts - alpha, 1), slice(c, to, alpha, parts - !alpha, 1));
}

/* Copies rows of step `time` of the first loop to `row` (-1) or to a row of `rows_time` of time partition `part`. */
static void copy_kept_row(const struct ctc *c, struct poplibs_copies *copies, size_t time, size_t part, int row)
{
    const struct call *call = c->call;
    for (size_t label = 0; label < c->parts; ++label) {
        const struct label_part *l = &c->labels[label];
        pop_tensor to = pop_tensor_at(row < 0 ? l->row : l->rows_time, part);
        if (row >= 0)
            to = slice(c, to, (size_t)row, (size_t)row + 1, 1);
        add_copy(c, copies, slice(c, l->kept, time, time + 1, 1), to);
    }
}

/* Copies before each iteration of the first loop. */
static void copy_first_edges(const struct ctc *c, pop_program sequence)
{
    struct poplibs_copies copies = { 0 };
    for (unsigned shift = 0; shift < 2; ++shift) {
        copy_label_edges(c, &copies, true, 0, c->alphas, shift);
        copy_label_edges(c, &copies, false, c->alphas, c->times, shift);
    }
    for (size_t part = 1; part < c->alphas; ++part)
        copy_kept_row(c, &copies, time_part(c, part).begin - 1, part, -1);
    for (size_t part = c->alphas; part + 1 < c->times; ++part)
        copy_kept_row(c, &copies, time_part(c, part).end, part, -1);
    end_copies(c, &copies, sequence);
}
/* Copies between the loops, across the middle. */
static void copy_middle_edges(const struct ctc *c)
{
    struct poplibs_copies copies = { 0 };
    if (c->alphas < c->times) {
        copy_label_edges(c, &copies, false, c->alphas - 1, c->alphas + 1, true);
        copy_label_edges(c, &copies, true, c->alphas - 1, c->alphas + 1, true);
        copy_kept_row(c, &copies, c->turns, c->alphas - 1, (int)(c->turns % 2));
        copy_kept_row(c, &copies, c->turns - 1, c->alphas, (int)((c->turns - 1) % 2));
    }
    end_copies(c, &copies, c->call->sequence);
}
/* Copies before each iteration of the second loop. */
static void copy_second_edges(const struct ctc *c, pop_program sequence)
{
    struct poplibs_copies copies = { 0 };
    for (unsigned shift = 0; shift < 2; ++shift) {
        copy_label_edges(c, &copies, false, 0, c->alphas, shift);
        copy_label_edges(c, &copies, true, c->alphas, c->times, shift);
    }
    for (size_t label = 0; label < c->parts; ++label) {
        const struct label_part *l = &c->labels[label];
        if (c->alphas > 1)
            add_copy(c, &copies, slice(c, l->rows, 1, c->alphas, 0), slice(c, l->rows_time, 0, c->alphas - 1, 0));
        if (c->alphas + 1 < c->times)
            add_copy(c, &copies, slice(c, l->rows, c->alphas, c->times - 1, 0),
                     slice(c, l->rows_time, c->alphas + 1, c->times, 0));
    }
    end_copies(c, &copies, sequence);
}

static void copy_inputs(const struct ctc *c, pop_tensor data, pop_tensor labels, pop_tensor data_lengths,
                        pop_tensor label_lengths)
{
    const struct call *call = c->call;
    struct poplibs_copies copies = { 0 };
    pop_tensor by_entry = pop_tensor_dim_shuffle(data, POP_DIMS(1, 0, 2));
    size_t last = c->plan->max_label_length - 1;
    for (size_t part = 0; part < c->parts; ++part)
        add_copy(c, &copies, by_entry, pop_tensor_at(c->data, part));
    end_copies(c, &copies, call->sequence);
    copies = (struct poplibs_copies){ 0 };
    for (size_t part = 0; part < c->parts; ++part) {
        const struct label_part *l = &c->labels[part];
        size_t before = l->first ? l->first - 1 : 0, end = l->first + l->symbols, behind = poplibs_min(end, last);
        pop_tensor view =
            pop_tensor_concat(POP_TENSORS(slice(c, labels, before, before + 1, 1), slice(c, labels, l->first, end, 1),
                                          slice(c, labels, behind, behind + 1, 1)),
                              1);
        for (size_t time = 0; time < c->times; ++time)
            add_copy(c, &copies, view, pop_tensor_at(l->label, time));
    }
    pop_tensor lengths = pop_tensor_concat(
        POP_TENSORS(pop_tensor_expand(data_lengths, POP_DIMS(1)), pop_tensor_expand(label_lengths, POP_DIMS(1))), 1);
    for (size_t time = 0; time < c->times; ++time)
        for (size_t part = 0; part < c->parts; ++part)
            add_copy(c, &copies, lengths, pop_tensor_at(pop_tensor_at(c->lengths, time), part));
    end_copies(c, &copies, call->sequence);
}
static void zero_counts(const struct ctc *c)
{
    const struct call *call = c->call;
    pop_tensor zero = pop_graph_add_constant_fill(call->graph, POP_UNSIGNED_INT, POP_SHAPE(1), POP_UNSIGNED_INT,
                                                  &(uint32_t){ 0 }, "zero");
    map(c, zero, 0);
    pop_tensor all = pop_tensor_flatten(c->counts);
    call_copy(call, pop_tensor_broadcast(zero, (unsigned)pop_tensor_num_elements(all), 0), all, c->name);
}
/* WriteUndef for tensors that vertices write in parts, so that they are not live before. */
static void release_memory(const struct ctc *c)
{
    const struct call *call = c->call;
    const pop_tensor all[] = { c->grads,   c->alpha_in, c->alpha_out, c->alpha_time,
                               c->beta_in, c->beta_out, c->beta_time, c->loss };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i)
        pop_sequence_add(call->sequence, pop_write_undef(all[i], c->name));
    for (size_t part = 0; part < c->parts; ++part) {
        const struct label_part *l = &c->labels[part];
        const pop_tensor rows[] = { l->kept, l->row, l->rows, l->rows_time };
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i)
            pop_sequence_add(call->sequence, pop_write_undef(rows[i], c->name));
    }
}

/* ---- vertices ---- */

static void add_vertex(const struct ctc *c, pop_compute_set set, bool gradient, size_t entry, size_t time, size_t part)
{
    const struct call *call = c->call;
    char type[96];
    const struct label_part *l = &c->labels[part];
    bool first = time < c->alphas, alpha = first != gradient; /* which of alpha and beta the vertex computes */
    snprintf(type, sizeof(type), "popnn::%s<%s,%s,unsigned int,%s>",
             gradient ? (alpha ? "CTCGradGivenBeta" : "CTCGradGivenAlpha") : (alpha ? "CTCAlpha" : "CTCBeta"),
             pop_type_name(c->plan->in_type), pop_type_name(c->plan->partials_type),
             part + 1 == c->parts ? "true" : "false");
    pop_tensor lengths = at3(c, c->lengths, time, part, entry);
    pop_interval steps = time_part(c, time);
    const struct {
        const char *field;
        pop_tensor tensor;
    } edges[] = {
        { "probabilities", steps_of(c, pop_tensor_at(c->data, part), entry, time) },
        { "label", slice(c, pop_tensor_at(pop_tensor_at(l->label, time), entry), !alpha, l->symbols + 1 + !alpha, 0) },
        { "validTime", pop_tensor_at(lengths, 0) },
        { "validLabel", pop_tensor_at(lengths, 1) },
        { "count", pop_tensor_at(at3(c, c->counts, time, part, entry), 0) },
        { first ? "alphas" : "betas", steps_of(c, l->kept, entry, time) },
        { alpha ? "alphaPrevTime" : "betaPrevTime",
          pop_tensor_at(pop_tensor_at(gradient ? l->rows_time : l->row, time), entry) },
        { alpha ? "alphaPrevLabel" : "betaPrevLabel", at3(c, alpha ? c->alpha_in : c->beta_in, time, part, entry) },
        { alpha ? "alphaPrevLabelTime" : "betaPrevLabelTime",
          at3(c, alpha ? c->alpha_time : c->beta_time, time, part, entry) },
        { alpha ? "alphaOut" : "betaOut", at3(c, alpha ? c->alpha_out : c->beta_out, time, part, entry) },
        { "grads", steps_of(c, pop_tensor_at(c->grads, part), entry, time) },
        { alpha ? "alphaTemp" : "betaTemp", pop_tensor_at(pop_tensor_at(l->rows, time), entry) },
    };
    const struct {
        const char *field;
        size_t value;
    } numbers[] = { { "maxTime", c->plan->max_time },
                    { "maxLabel", c->plan->max_label_length },
                    { "numClasses", c->classes },
                    { "blankClass", c->blank },
                    { "labelOffset", l->first },
                    { "timeOffset", steps.begin },
                    { "maxT", steps.end - steps.begin },
                    { "firstTime", gradient ? c->turns - !alpha : (alpha ? 0 : c->plan->max_time - 1) } };
    pop_vertex vertex = pop_graph_add_vertex(call->graph, set, type);
    for (size_t i = 0; i < (gradient ? 12 : 10); ++i)
        call_connect(call, vertex, edges[i].field,
                     pop_tensor_rank(edges[i].tensor) < 2 ? edges[i].tensor : pop_tensor_flatten(edges[i].tensor));
    if (gradient && !alpha)
        call_connect(call, vertex, "loss", pop_tensor_at(at3(c, c->loss, time, part, entry), 0));
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i)
        call_set(call, vertex, numbers[i].field, numbers[i].value);
    pop_graph_map_vertex(call->graph, vertex, tile_of(c, entry, time, part));
}
static void add_vertices(const struct ctc *c, bool gradient, pop_program body)
{
    const struct call *call = c->call;
    const char *path = call_path(call, c->name, gradient ? "gradient" : "alphaBeta");
    pop_compute_set set = pop_graph_add_compute_set(call->graph, path);
    for (size_t entry = 0; entry < c->batch; ++entry)
        for (size_t time = 0; time < c->times; ++time)
            for (size_t part = 0; part < c->parts; ++part)
                add_vertex(c, set, gradient, entry, time, part);
    pop_sequence_add(body, pop_execute(set, path));
}

/* ---- the program ---- */

static void add_loop(const struct ctc *c, bool gradient)
{
    const struct call *call = c->call;
    pop_program body = pop_sequence(call->graph, c->name);
    zero_counts(c);
    (gradient ? copy_second_edges : copy_first_edges)(c, body);
    add_vertices(c, gradient, body);
    pop_sequence_add(call->sequence, pop_repeat((unsigned)c->turns, body, c->name));
}

static pop_tensor cast(const struct ctc *c, pop_tensor t)
{
    const struct call *call = c->call;
    pop_type type = c->plan->out_type;
    return pop_tensor_type(t) == type ? t : popops_cast(call->graph, t, type, call->sequence, c->name);
}
/* Log-sum over the partitions of the label, the first dimension. */
static pop_tensor log_sum(const struct ctc *c, pop_tensor t, pop_tensor *into)
{
    const struct call *call = c->call;
    const popops_reduce_params params = { .op = POPOPS_LOG_ADD };
    if (c->parts == 1)
        return pop_tensor_at(t, 0);
    if (!into)
        return popops_reduce(call->graph, t, POP_TYPE_NULL, POP_DIMS(0), params, call->sequence, c->name,
                             POP_NO_OPTIONS);
    popops_reduce_with_output(call->graph, t, *into, POP_DIMS(0), params, call->sequence, c->name, POP_NO_OPTIONS);
    return *into;
}

/* The loss from which on it counts as infinite: that of a label which does not fit has the logarithm of 0 in half. */
static double infinite_loss(const struct ctc *c)
{
    return (1 - c->options->infinity_tolerance) * 65504;
}

/* Converts sums and loss to the gradient: posteriors are exp(sum + loss). A value that is not a log-probability
 * marks a step after the entry's end (infinity) or an entry without alignments (NaN). */
static pop_tensor finish_gradient(const struct ctc *c, pop_tensor data, pop_tensor loss)
{
    const struct call *call = c->call;
    bool softmax = c->options->softmax_gradient;
    char text[160], finite[64] = "";
    pop_tensor sums =
        pop_tensor_dim_shuffle(popnn_ctc_create_data_input(call->graph, c->plan->partials_type, c->batch,
                                                           c->plan->max_time, c->classes, c->plan, c->name),
                               POP_DIMS(1, 0, 2));
    sums = log_sum(c, c->grads, &sums);
    pop_tensor by_entry = pop_tensor_dim_shuffle(data, POP_DIMS(1, 0, 2));
    pop_tensor losses = pop_tensor_expand(loss, POP_DIMS(1, 1));
    const char *of_data = !softmax ? "" : c->plan->in_type == c->plan->partials_type ? "exp(_3)" : "exp(float(_3))";
    if (c->options->zero_infinity)
        pop_text_format(finite, sizeof(finite), " && _2 < %.9g", infinite_loss(c));
    snprintf(text, sizeof(text), "select(%s - exp(_1 + _2), 0, _1 + _2 < 30000%s)", of_data, finite);
    popops_map_in_place(call->graph, text, softmax ? POP_TENSORS(sums, losses, by_entry) : POP_TENSORS(sums, losses),
                        call->sequence, c->name, POP_NO_OPTIONS);
    return cast(c, pop_tensor_dim_shuffle(sums, POP_DIMS(1, 0, 2)));
}

static popnn_ctc_result build(struct ctc *c, pop_tensor data, pop_tensor labels, pop_tensor data_lengths,
                              pop_tensor label_lengths, bool gradient)
{
    const struct call *call = c->call;
    popnn_ctc_result result = { 0 };
    c->batch = c->plan->batch_size;
    c->times = c->plan->time_splits;
    c->parts = ctc_label_tiles(c->plan);
    c->classes = c->plan->num_classes;
    c->alphas = poplibs_ceil_div(c->times, 2);
    c->turns = time_part(c, c->alphas - 1).end;
    c->labels = poplibs_zeros(c->parts, sizeof(*c->labels));
    make_tensors(c);
    release_memory(c);
    copy_inputs(c, data, labels, data_lengths, label_lengths);
    add_loop(c, false);
    copy_middle_edges(c);
    add_loop(c, true);
    pop_tensor sums = pop_tensor_at(c->loss, 0); /* {label partition, batch, 1} */
    sums = pop_tensor_reshape(sums, POP_SHAPE(c->parts, c->batch));
    pop_tensor loss = log_sum(c, sums, NULL);
    call_unary_in_place(call, POPOPS_UNARY_NEGATE, loss, c->name);
    if (gradient)
        result.gradient = finish_gradient(c, data, loss);
    if (c->options->zero_infinity) {
        char text[64];
        pop_text_format(text, sizeof(text), "select(_1, 0, _1 < %.9g)", infinite_loss(c));
        popops_map_in_place(call->graph, text, POP_TENSORS(loss), call->sequence, c->name, POP_NO_OPTIONS);
    }
    result.loss = cast(c, loss);
    free(c->labels);
    return call_ready(call) ? result : (popnn_ctc_result){ 0 };
}

/* ---- calls ---- */

struct ctc_request {
    const struct call *call;
    pop_type out_type;
    pop_tensor data, labels, data_lengths, label_lengths;
    unsigned blank;
    const popnn_ctc_plan *plan;
    bool logits, gradient;
};

static bool check(const struct ctc_request *r)
{
    const struct call *call = r->call;
    char text[128];
    if (!ctc_check_data(call, r->plan, POPNN_CTC_LOSS, r->data) || !call_takes(call, "the tensor of labels", r->labels))
        return false;
    if (r->out_type != r->plan->out_type)
        return call_fail(call, POP_TYPE_ERROR, "the results are to be %s; the plan is for %s",
                         pop_type_name(r->out_type), pop_type_name(r->plan->out_type));
    if (pop_tensor_type(r->labels) != POP_UNSIGNED_INT)
        return call_fail(call, POP_TYPE_ERROR, "the labels have type %s; unsigned int is needed",
                         pop_type_name(pop_tensor_type(r->labels)));
    if (pop_tensor_rank(r->labels) != 2 || pop_tensor_dim(r->labels, 0) != r->plan->batch_size ||
        pop_tensor_dim(r->labels, 1) != r->plan->max_label_length)
        return call_fail(
            call, POP_POPLAR_ERROR, "the labels have shape %s; the plan is for {batch,label length} of {%u,%u}",
            poplibs_shape_of(text, sizeof(text), r->labels), r->plan->batch_size, r->plan->max_label_length);
    return ctc_check_lengths(call, "the tensor of data lengths", r->data_lengths, r->plan) &&
           ctc_check_lengths(call, "the tensor of label lengths", r->label_lengths, r->plan) &&
           ctc_check_blank(call, r->blank, r->plan);
}

static popnn_ctc_result run(const struct ctc_request *r, pop_options given)
{
    const struct call *call = r->call;
    const popnn_ctc_result none = { 0 };
    struct ctc_options options;
    if (!call_ready(call) || !check(r) || !ctc_parse_options(call, POPNN_CTC_LOSS, given, &options))
        return none;
    const char *path = call_path(call, call->name, "CTCLoss");
    pop_tensor data = r->logits ? popnn_log_softmax(call->graph, r->data, call->sequence, path) : r->data;
    if (!call_ready(call))
        return none;
    struct ctc ctc = { .call = call, .plan = r->plan, .name = path, .options = &options, .blank = r->blank };
    return build(&ctc, data, r->labels, r->data_lengths, r->label_lengths, r->gradient);
}

popnn_ctc_result popnn_ctc_loss_and_gradient_log_probabilities_at(pop_where where, pop_graph *graph, pop_type out_type,
                                                                  pop_tensor log_probs, pop_tensor labels,
                                                                  pop_tensor data_lengths, pop_tensor label_lengths,
                                                                  pop_program sequence, unsigned blank_class,
                                                                  const popnn_ctc_plan *plan, const char *name,
                                                                  pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, log_type(out_type), log_probs, labels, data_lengths, label_lengths, blank_class,
                    name, options);
    return run(&(struct ctc_request){ call, out_type, log_probs, labels, data_lengths, label_lengths, blank_class, plan,
                                      false, true },
               options);
}
popnn_ctc_result popnn_ctc_loss_and_gradient_logits_at(pop_where where, pop_graph *graph, pop_type out_type,
                                                       pop_tensor logits, pop_tensor labels, pop_tensor data_lengths,
                                                       pop_tensor label_lengths, pop_program sequence,
                                                       unsigned blank_class, const popnn_ctc_plan *plan,
                                                       const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, log_type(out_type), logits, labels, data_lengths, label_lengths, blank_class, name,
                    options);
    return run(&(struct ctc_request){ call, out_type, logits, labels, data_lengths, label_lengths, blank_class, plan,
                                      true, true },
               options);
}
pop_tensor popnn_ctc_loss_log_probabilities_at(pop_where where, pop_graph *graph, pop_type out_type,
                                               pop_tensor log_probs, pop_tensor labels, pop_tensor data_lengths,
                                               pop_tensor label_lengths, pop_program sequence, unsigned blank_class,
                                               const popnn_ctc_plan *plan, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, log_type(out_type), log_probs, labels, data_lengths, label_lengths, blank_class,
                    name, options);
    return run(&(struct ctc_request){ call, out_type, log_probs, labels, data_lengths, label_lengths, blank_class, plan,
                                      false, false },
               options)
        .loss;
}
pop_tensor popnn_ctc_loss_logits_at(pop_where where, pop_graph *graph, pop_type out_type, pop_tensor logits,
                                    pop_tensor labels, pop_tensor data_lengths, pop_tensor label_lengths,
                                    pop_program sequence, unsigned blank_class, const popnn_ctc_plan *plan,
                                    const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, log_type(out_type), logits, labels, data_lengths, label_lengths, blank_class, name,
                    options);
    return run(&(struct ctc_request){ call, out_type, logits, labels, data_lengths, label_lengths, blank_class, plan,
                                      true, false },
               options)
        .loss;
}
