/* SPDX-License-Identifier: Apache-2.0 */
/* poplin: several convolutions in one call, each of which is an operation of convolutions.c. */
#include "conv.h"

#include <poplin/multi_convolution.h>

enum { MAX_CONVS = 4 };
struct convs {
    size_t count, first[MAX_CONVS]; /* index of its first operand */
    struct operation each[MAX_CONVS];
    poplin_conv_params params[MAX_CONVS];
};
static void multi_conv_reference(const struct operation *op, double *const *in, struct expected *out)
{
    const struct convs *convs = op->extra;
    for (size_t i = 0; i < convs->count; ++i)
        conv_reference(&convs->each[i], in + convs->first[i], &out[i]);
}
/* A view for a convolution, which both its own operation and that of the call read. */
static pop_tensor reads(struct world *w, struct operation *op, struct convs *convs, size_t i, struct view v)
{
    struct operation *each = &convs->each[i];
    if (!each->ins)
        convs->first[i] = op->ins;
    each->in[each->ins++] = v;
    return op_reads(w, op, v).tensor;
}
void make_multi_conv(struct world *w)
{
    static const char *const names[] = { "multi_conv", "multi_conv_flipped", "multi_conv_deltas", "multi_conv_update" };
    int kind = (int)below(w, 4);
    struct convs *convs = calloc(1, sizeof(*convs));
    poplin_multi_conv list[MAX_CONVS] = { { 0 } };
    pop_option options[MAX_CONVS][16];
    pop_tensor outputs[MAX_CONVS] = { { 0 } };
    pop_program sequence;
    struct operation *op = op_begin(w, names[kind], &sequence);
    op->reference = multi_conv_reference;
    op->extra = convs;
    convs->count = between(w, 1, MAX_CONVS);
    pop_option whole_options[] = { { "planType", chance(w, 30) ? "serial" : "parallel" } };
    pop_options all = { whole_options, 1 };
    op_describe(op, " %s", whole_options[0].value);
    for (size_t i = 0; i < convs->count; ++i) {
        struct operation *each = &convs->each[i];
        poplin_conv_params *p = &convs->params[i];
        *p = any_conv(w, any_real(w));
        if (kind >= CONV_DELTAS)
            p->output_type = p->input_type;
        conv_text(op, p);
        each->text[0] = '\0';
        each->whole[0] = kind;
        each->extra = p;
        each->number[0] = rounded_to(POP_HALF, real_between(w, -1, 1));
        list[i] = (poplin_multi_conv){ .params = p, .scale_constant = each->number[0], .name = "c" };
        list[i].options = (pop_options){ options[i], linear_options(w, each, options[i], false) };
        op_describe(op, "%s;", each->text);
        for (size_t k = 0; k < list[i].options.count; ++k)
            if (!strcmp(options[i][k].key,
                        "planConstraints")) /* parameters that may be refused are tried with one convolution */
                options[i][k] = (pop_option){ "partialsType", "float" };
    }
    for (size_t i = 0; i < convs->count && !pop_graph_error(w->graph); ++i) {
        const poplin_conv_params *p = &convs->params[i];
        size_t in_dims[9], weight_dims[9], out_dims[9], r = p->num_field_dims;
        pop_type type = p->input_type;
        conv_sizes(p, in_dims, weight_dims, out_dims);
        if (kind == CONV_FLIPPED) {
            size_t t = weight_dims[1];
            weight_dims[1] = weight_dims[2];
            weight_dims[2] = t;
        }
        list[i].input =
            reads(w, op, convs, i,
                  chance(w, 50) ? laid_out(w, poplin_multi_create_input(w->graph, list, convs->count, i, all, w->cache))
                                : wanted(w, type, in_dims, 2 + r, true, -9, 9));
        if (kind >= CONV_DELTAS)
            list[i].deltas = reads(w, op, convs, i, wanted(w, type, out_dims, 2 + r, true, -9, 9));
        else
            list[i].weights =
                reads(w, op, convs, i,
                      kind == CONV_FORWARD && chance(w, 50)
                          ? laid_out(w, poplin_multi_create_weights(w->graph, list, convs->count, i, all, w->cache))
                          : wanted(w, type, weight_dims, 3 + r, true, -9, 9));
        if (kind == CONV_UPDATE)
            list[i].weights = reads(w, op, convs, i, new_view(w, type, weight_dims, 3 + r, -9, 9));
    }
    if (!pop_graph_error(w->graph)) {
        if (kind <= CONV_FLIPPED)
            poplin_multi_convolution(w->graph, list, convs->count, kind == CONV_FLIPPED, sequence, "m", all, w->cache,
                                     outputs);
        else if (kind == CONV_DELTAS)
            poplin_multi_calculate_weight_deltas(w->graph, list, convs->count, sequence, "m", all, w->cache, outputs);
        else
            poplin_multi_convolution_weight_update(w->graph, list, convs->count, sequence, "m", all, w->cache);
    }
    for (size_t i = 0; i < convs->count && !pop_graph_error(w->graph) && !w->failure[0]; ++i) {
        if (kind == CONV_UPDATE)
            op_writes(w, op, convs->each[i].in[2]);
        else
            op_makes(w, op, outputs[i]);
        if (!w->failure[0])
            convs->each[i].out[0] = op->out[i];
    }
    op_end(w, op, sequence, kind == CONV_UPDATE ? 1 : 2);
}
