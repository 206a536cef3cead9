/* SPDX-License-Identifier: Apache-2.0 */
/* poplin: convolutions, their gradients, biases. */
#include "conv.h"

#include "poplibs/poplin/conv_reference.h"
#include <poplin/convolution.h>

void conv_sizes(const poplin_conv_params *p, size_t *in, size_t *weights, size_t *out)
{
    size_t r = p->num_field_dims;
    in[0] = out[0] = p->batch_size;
    in[1] = p->num_conv_groups * p->input_channels_per_conv_group;
    out[1] = p->num_conv_groups * p->output_channels_per_conv_group;
    weights[0] = p->num_conv_groups;
    weights[1] = p->output_channels_per_conv_group;
    weights[2] = p->input_channels_per_conv_group;
    for (size_t d = 0; d < r; ++d) {
        in[2 + d] = p->input_field_shape[d];
        weights[3 + d] = p->kernel_shape[d];
        out[2 + d] = poplin_conv_output_size(p, d);
    }
}
poplin_conv_params any_conv(struct world *w, pop_type type)
{
    for (;;) {
        size_t r = chance(w, 15)   ? below(w, 2)
                   : chance(w, 85) ? 2
                                   : 3,
               field[POPLIN_MAX_FIELD_DIMS], kernel[POPLIN_MAX_FIELD_DIMS];
        for (size_t d = 0; d < r; ++d) {
            field[d] = between(w, 1, r == 3 ? 5 : 12);
            kernel[d] = chance(w, 40) ? 1 : between(w, 1, r == 3 ? 3 : 5);
        }
        size_t groups = chance(w, 60) ? 1 : chance(w, 70) ? between(w, 1, 5) : between(w, 1, 40);
        size_t ins = chance(w, 25)   ? 1
                     : chance(w, 60) ? between(w, 1, 9)
                                     : between(w, 1, chance(w, 30) ? 130 : 36),
               outs = chance(w, 25)   ? 1
                      : chance(w, 60) ? between(w, 1, 9)
                                      : between(w, 1, chance(w, 30) ? 130 : 36);
        poplin_conv_params p =
            poplin_conv_params_make(type, chance(w, 80) ? type : any_real(w), between(w, chance(w, 3) ? 0 : 1, 4),
                                    ((pop_shape){ r, field }), ((pop_shape){ r, kernel }), ins, outs, groups);
        bool plain = chance(w, 35);
        for (size_t d = 0; d < r && !plain; ++d) {
            p.output_transform.stride[d] = chance(w, 60) ? 1 : (unsigned)between(w, 1, 3);
            poplin_input_transform *t[2] = { &p.input_transform, &p.kernel_transform };
            for (int i = 0; i < 2; ++i) {
                if (chance(w, 30))
                    t[i]->padding_lower[d] = (unsigned)below(w, 4);
                if (chance(w, 30))
                    t[i]->padding_upper[d] = (unsigned)below(w, 4);
                if (chance(w, 10))
                    t[i]->truncation_lower[d] = (unsigned)below(w, 3);
                if (chance(w, 10))
                    t[i]->truncation_upper[d] = (unsigned)below(w, 3);
                if (chance(w, 15))
                    t[i]->dilation[d] = (unsigned)between(w, 1, 3);
                t[i]->flip[d] = chance(w, 10);
            }
            if (chance(w, 8))
                p.output_transform.truncation_lower[d] = (unsigned)below(w, 3);
            if (chance(w, 8))
                p.output_transform.truncation_upper[d] = (unsigned)below(w, 3);
            if (chance(w, 8))
                p.output_transform.padding_lower[d] = (unsigned)below(w, 3);
            if (chance(w, 8))
                p.output_transform.padding_upper[d] = (unsigned)below(w, 3);
        }
        pop_error error;
        size_t in[9], weights[9], out[9];
        if (poplin_conv_params_validate(&p, &error) != POP_OK)
            continue;
        conv_sizes(&p, in, weights, out);
        if (product(out, 2 + r) * product(weights + 2, 1 + r) > 1000000 || product(in, 2 + r) > 8000 ||
            product(weights, 3 + r) > 8000 || product(out, 2 + r) > 8000)
            continue;
        return p;
    }
}
void conv_text(struct operation *op, const poplin_conv_params *p)
{
    char text[2000], *at;
    poplin_conv_params_to_text(p, text, sizeof(text));
    while ((at = strchr(text, '\n')))
        *at = ';';
    char *to = text;
    for (char *from = text; *from; ++from) /* sequences of blanks */
        if (*from != ' ' || (from > text && from[-1] != ' '))
            *to++ = *from;
    *to = '\0';
    op_describe(op, " %s", text);
}
static double *absolute_of(const double *x, size_t n)
{
    double *a = malloc(n * sizeof(double) + 1);
    for (size_t i = 0; i < n; ++i)
        a[i] = fabs(x[i]);
    return a;
}
static void flip_weights(const poplin_conv_params *p, const double *from, double *to)
{ /* {g, ci, co, kernel} of the forward's to {g, co, ci, kernel reversed} */
    size_t field = product(p->kernel_shape, p->num_field_dims), g = p->num_conv_groups,
           outs = p->output_channels_per_conv_group, ins = p->input_channels_per_conv_group;
    for (size_t q = 0; q < g; ++q)
        for (size_t o = 0; o < outs; ++o)
            for (size_t i = 0; i < ins; ++i)
                for (size_t k = 0; k < field; ++k)
                    to[((q * outs + o) * ins + i) * field + k] =
                        from[((q * ins + i) * outs + o) * field + field - 1 - k];
}
void conv_reference(const struct operation *op, double *const *in, struct expected *out)
{
    const poplin_conv_params *p = op->extra;
    int kind = (int)op->whole[0], made = kind >= CONV_DELTAS ? 2 : 0;
    double *a = absolute_of(in[0], op->in[0].count), *weights = malloc(op->in[1].count * sizeof(double) + 1), *b;
    memcpy(weights, in[1], op->in[1].count * sizeof(double));
    if (kind == CONV_FLIPPED)
        flip_weights(p, in[1], weights);
    b = absolute_of(weights, op->in[1].count);
    double *value = reference_conv(p, made, in[0], weights), *size = reference_conv(p, made, a, b);
    size_t terms = made == 2 ? p->batch_size * product(op->in[1].dims + 2, p->num_field_dims)
                             : p->input_channels_per_conv_group * product(p->kernel_shape, p->num_field_dims);
    sum_tolerance(op, out, p->input_type, terms);
    double scale = kind == CONV_UPDATE ? op->whole[1] ? in[3][0] : op->number[0] : 1;
    for (size_t i = 0; i < out->count; ++i) {
        out->value[i] = scale * value[i];
        out->magnitude[i] = fabs(scale) * size[i] * (kind == CONV_UPDATE ? 2.5 : 1);
        if (p->input_type == POP_HALF && (op->whole[60] || kind == CONV_UPDATE) && size[i] > 30000)
            out->magnitude[i] = INFINITY;
        if (kind == CONV_UPDATE) {
            out->value[i] += in[2][i];
            out->magnitude[i] += fabs(in[2][i]);
        }
    }
    free(a);
    free(b);
    free(weights);
    free(value);
    free(size);
}
void make_conv(struct world *w)
{
    int kind = chance(w, 45) ? CONV_FORWARD : 1 + (int)below(w, 3);
    pop_type type = any_real(w);
    poplin_conv_params p = any_conv(w, type), asked = p;
    size_t r = p.num_field_dims;
    if (kind >= CONV_DELTAS)
        p.output_type = asked.output_type = type;
    static const char *const names[] = { "conv", "conv_flipped", "conv_deltas", "conv_update" };
    pop_program sequence;
    struct operation *op = op_begin(w, names[kind], &sequence);
    op->reference = conv_reference;
    op->whole[0] = kind;
    if (kind == CONV_FLIPPED) {
        poplin_conv_params gradient = poplin_get_gradient_params(&p);
        size_t in[9], weights[9], out[9];
        pop_error error;
        gradient.output_type = gradient.input_type;
        conv_sizes(&gradient, in, weights, out);
        if (poplin_conv_params_validate(&gradient, &error) == POP_OK && product(in, 2 + r) < 8000 &&
            product(out, 2 + r) < 8000)
            p = asked = gradient;
    }
    op->extra = malloc(sizeof(p));
    memcpy(op->extra, &p, sizeof(p));
    conv_text(op, &p);
    pop_option list[16];
    pop_options options = { list, linear_options(w, op, list, false) };
    size_t in_dims[9], weight_dims[9], out_dims[9];
    conv_sizes(&p, in_dims, weight_dims, out_dims);
    if (kind == CONV_FLIPPED) {
        size_t t = weight_dims[1];
        weight_dims[1] = weight_dims[2];
        weight_dims[2] = t;
    }
    struct view in = { 0 }, other = { 0 };
    in = chance(w, 50) ? laid_out(w, poplin_create_input(w->graph, &asked, "in", options, w->cache))
                       : wanted(w, type, in_dims, 2 + r, true, -9, 9);
    if (refused_plan(w, op))
        return;
    if (kind >= CONV_DELTAS)
        other = wanted(w, type, out_dims, 2 + r, true, -9, 9);
    else if (kind == CONV_FORWARD && chance(w, 50))
        other = laid_out(w, poplin_create_weights(w->graph, &asked, "weights", options, w->cache));
    else
        other = wanted(w, type, weight_dims, 3 + r, true, -9, 9);
    if (refused_plan(w, op))
        return;
    if (pop_graph_error(w->graph)) {
        op_end(w, op, sequence, 0);
        return;
    }
    op_reads(w, op, in);
    op_reads(w, op, other);
    if (kind <= CONV_FLIPPED && chance(w, 20)) {
        struct view out = wanted(w, p.output_type, out_dims, 2 + r, false, -9, 9);
        if (out.base == in.base || out.base == other.base)
            out = new_view(w, p.output_type, out_dims, 2 + r, -9, 9);
        op_writes(w, op, out);
        poplin_convolution_with_output(w->graph, in.tensor, other.tensor, out.tensor, &p, kind == CONV_FLIPPED,
                                       sequence, "conv", options, w->cache);
    } else if (kind <= CONV_FLIPPED) {
        pop_tensor out = poplin_convolution(w->graph, in.tensor, other.tensor, &p, kind == CONV_FLIPPED, sequence,
                                            "conv", options, w->cache);
        if (refused_plan(w, op))
            return;
        op_makes(w, op, out);
    } else if (kind == CONV_DELTAS) {
        pop_tensor out =
            poplin_calculate_weight_deltas(w->graph, other.tensor, in.tensor, &p, sequence, "wu", options, w->cache);
        if (refused_plan(w, op))
            return;
        op_makes(w, op, out);
    } else {
        struct view weights = chance(w, 50)
                                  ? laid_out(w, poplin_create_weights(w->graph, &p, "weights", options, w->cache))
                                  : wanted(w, type, weight_dims, 3 + r, false, -9, 9);
        if (refused_plan(w, op))
            return;
        if (weights.base == in.base || weights.base == other.base)
            weights = new_view(w, type, weight_dims, 3 + r, -9, 9);
        op_reads(w, op, weights);
        op_writes(w, op, weights);
        op->number[0] = rounded_to(POP_HALF, real_between(w, -1, 1));
        op->whole[1] = chance(w, 50);
        if (op->whole[1]) {
            struct view scale = op_reads(w, op, new_view(w, chance(w, 50) ? POP_FLOAT : type, NULL, 0, -1, 1));
            poplin_convolution_weight_update(w->graph, other.tensor, weights.tensor, in.tensor, &p, scale.tensor,
                                             sequence, "wu", options, w->cache);
        } else {
            poplin_convolution_weight_update_constant(w->graph, other.tensor, weights.tensor, in.tensor, &p,
                                                      op->number[0], sequence, "wu", options, w->cache);
        }
    }
    if (refused_plan(w, op))
        return;
    op_end(w, op, sequence, kind == CONV_UPDATE ? 1 : 2);
}

/* ---- biases ---- */
static void bias_reference(const struct operation *op, double *const *in, struct expected *out)
{
    const struct view *acts = &op->in[0];
    size_t channels = acts->dims[1], field = product(acts->dims + 2, acts->rank - 2);
    if (!op->whole[0]) {
        for (size_t i = 0; i < out->count; ++i) {
            double b = in[1][i / field % channels];
            out->value[i] = in[0][i] + b;
            out->magnitude[i] = fabs(in[0][i]) + fabs(b);
        }
        return;
    }
    double scale = op->whole[1] ? in[2][0] : op->number[0];
    for (size_t c = 0; c < channels; ++c) {
        out->value[c] = in[1][c];
        out->magnitude[c] = fabs(in[1][c]);
    }
    for (size_t i = 0; i < acts->count; ++i) {
        size_t c = i / field % channels;
        out->value[c] += scale * in[0][i];
        out->magnitude[c] += fabs(scale * in[0][i]);
    }
    out->relative = op->out[0].view.type == POP_HALF ? 2e-3 : 4e-6;
}
void make_bias(struct world *w)
{
    pop_type type = any_real(w);
    size_t dims[5], rank = 2 + below(w, 3);
    for (size_t d = 0; d < rank; ++d)
        dims[d] = d == 1 ? any_extent(w) : between(w, chance(w, 5) ? 0 : 1, 9);
    pop_program sequence;
    bool update = chance(w, 50);
    struct operation *op = op_begin(w, update ? "bias_update" : "add_bias", &sequence);
    op->reference = bias_reference;
    op->whole[0] = update;
    struct view acts = op_reads(w, op, wanted(w, type, dims, rank, update, -30, 30));
    struct view biases;
    if (chance(w, 50))
        biases = laid_out(w, poplin_create_biases(w->graph, acts.tensor, "b", POP_NO_OPTIONS));
    else
        biases = wanted(w, type, dims + 1, 1, !update, -30, 30);
    if (biases.base == acts.base || !pop_tensor_valid(biases.tensor))
        biases = new_view(w, type, dims + 1, 1, -30, 30);
    op_reads(w, op, biases);
    if (!update) {
        op_writes(w, op, acts);
        poplin_add_bias(w->graph, acts.tensor, biases.tensor, sequence, "b", POP_NO_OPTIONS);
    } else {
        op_writes(w, op, biases);
        op->whole[1] = chance(w, 50);
        op->number[0] = rounded_to(POP_HALF, real_between(w, -1, 1));
        if (op->whole[1])
            poplin_convolution_bias_update(w->graph, acts.tensor, biases.tensor,
                                           op_reads(w, op, new_view(w, POP_FLOAT, NULL, 0, -1, 1)).tensor, sequence,
                                           "b", POP_NO_OPTIONS);
        else
            poplin_convolution_bias_update_constant(w->graph, acts.tensor, biases.tensor, op->number[0], sequence, "b",
                                                    POP_NO_OPTIONS);
    }
    op_end(w, op, sequence, 1);
}
