/* SPDX-License-Identifier: Apache-2.0 */
/* poplin: matrix products, and the options and tolerances that all of poplin shares. */
#include "generators.h"

#include <poplin/mat_mul.h>

size_t linear_options(struct world *w, struct operation *op, pop_option *list, bool product)
{
    static const char *const memory[] = { "0.001", "0.05", "0.3", "1" };
    static const char *const constraints[] = {
        "{\"method\": \"MAC\"}",
        "{\"method\": \"AMP\"}",
        "{\"method\": \"OUTER_PRODUCT\"}",
        "{\"0\": {\"transform\": {\"swapOperands\": true}}}",
        "{\"0\": {\"transform\": {\"swapOperands\": false}}}",
        "{\"0\": {\"partition\": {\"inChanSplit\": {\"serial\": 2, \"parallel\": 1}}}}",
        "{\"0\": {\"partition\": {\"outChanSplit\": {\"serial\": 2, \"parallel\": 1}}}}",
        "{\"0\": {\"partition\": {\"inChanSplit\": {\"serial\": 1, \"parallel\": 2}}}}",
        "{\"0\": {\"partition\": {\"batchSplit\": 2}}}",
        "{\"0\": {\"partition\": {\"fieldSplit\": {\"0\": 2}}}}",
        "{\"0\": {\"partition\": {\"kernelSplit\": {\"0\": 2}}}}",
        "{\"0\": {\"partition\": {\"convGroupSplit\": 2}}}",
        "{\"method\": \"SLIC\"}",
        "{\"method\": \"VMAC\"}",
        "{\"0\": {\"transform\": {\"expandDims\": [0]}}}",
        "{\"0\": {\"transform\": {\"outChanFlattenDims\": [0]}}}",
        "{\"0\": {\"transform\": {\"combineConvGroupsFactor\": 2}}}",
        "{\"inChansPerGroup\": 4}",
        "{\"partialChansPerGroup\": 4}",
    };
    size_t count = 0;
    if (chance(w, 30))
        list[count++] = (pop_option){ "availableMemoryProportion", memory[below(w, 4)] };
    if (chance(w, 30))
        list[count++] = (pop_option){ "partialsType", chance(w, 60) ? "half" : "float" };
    size_t constraint = below(w, sizeof(constraints) / sizeof(constraints[0]));
    if (chance(w, 25) && !w->cpu)
        list[count++] = (pop_option){ "planConstraints", constraints[constraint] };
    if (chance(w, 10))
        list[count++] = (pop_option){ "use128BitConvUnitLoad", "true" };
    if (chance(w, 10))
        list[count++] = (pop_option){ "enableMultiStageReduce", "false" };
    if (chance(w, 10))
        list[count++] = (pop_option){ "enableFastReduce", "true" };
    if (chance(w, 10))
        list[count++] = (pop_option){ "remapOutputTensor", "false" };
    if (chance(w, 10))
        list[count++] = (pop_option){ product ? "gatherOutput" : "gatherConvOutput", "true" };
    static const char *const passes[] = { "INFERENCE_FWD", "TRAINING_FWD", "TRAINING_BWD", "TRAINING_WU" };
    if (chance(w, 20))
        list[count++] = (pop_option){ product ? "fullyConnectedPass" : "pass", passes[below(w, 4)] };
    for (size_t i = 0; i < count; ++i) {
        op_describe(op, " %s=%s", list[i].key, list[i].value);
        if (!strcmp(list[i].key, "partialsType") && !strcmp(list[i].value, "half"))
            op->whole[60] = 1;
    }
    return count;
}
bool refused_plan(struct world *w, struct operation *op)
{
    const pop_error *error = pop_graph_error(w->graph);
    if (!error || !strstr(op->text, "planConstraints") ||
        !(strstr(error->text, "constraint") || strstr(error->text, "plan")))
        return false;
    pop_error taken;
    (void)pop_graph_take_error(w->graph, &taken);
    w->failure[0] = '\0';
    if (w->verbose)
        printf("  (refused: %s: %s)\n", taken.api, taken.text);
    op_drop(w, op);
    return true;
}
void sum_tolerance(const struct operation *op, struct expected *out, pop_type in_type, size_t terms)
{
    bool half_out = op->out[0].view.type == POP_HALF;
    out->relative = half_out ? 1.1e-3 : 2e-6 + 1e-7 * sqrt((double)terms);
    out->absolute = half_out ? 1e-7 : 1e-30;
    if (terms == 1 && in_type == POP_HALF) /* the vertex for outer products returns its inputs' type */
        out->relative = 1.1e-3, out->absolute = 1e-7;
    if (op->whole[60] && in_type == POP_HALF) {
        out->relative = 5e-4 * (4 + sqrt((double)terms));
        out->absolute = 1e-6;
    }
}

/* ---- products: forms 0 new, 1 with output, 2 acc, 3 acc by a tensor; groups 0: no groups ---- */
static void product_reference(const struct operation *op, double *const *in, struct expected *out)
{
    size_t g = (size_t)op->whole[1], m = (size_t)op->whole[2], k = (size_t)op->whole[3], n = (size_t)op->whole[4];
    int form = (int)op->whole[0];
    sum_tolerance(op, out, op->in[0].type, k);
    double factor = form == 2 ? (double)(float)op->number[0] : form == 3 ? in[3][0] : 1;
    for (size_t q = 0; q < (g ? g : 1); ++q)
        for (size_t i = 0; i < m; ++i)
            for (size_t j = 0; j < n; ++j) {
                double sum = 0, size = 0;
                for (size_t e = 0; e < k; ++e) {
                    double x = in[0][(q * m + i) * k + e] * in[1][(q * k + e) * n + j];
                    sum += x;
                    size += fabs(x);
                }
                size_t at = (q * m + i) * n + j;
                out->value[at] = factor * sum + (form >= 2 ? in[2][at] : 0);
                out->magnitude[at] = fabs(factor) * size * (form >= 2 && op->out[0].view.type == POP_HALF ? 2.5 : 1) +
                                     (form >= 2 ? fabs(in[2][at]) : 0);
                if (op->whole[60] && size > 30000)
                    out->magnitude[at] = INFINITY;
                if (form >= 2 && op->out[0].view.type == POP_HALF && size > 30000)
                    out->magnitude[at] = INFINITY;
            }
}
struct view laid_out(struct world *w, pop_tensor t)
{
    if (!pop_tensor_valid(t))
        return (struct view){ 0 };
    return whole(w, adopt_input(w, t, -2, 2));
}
void make_product(struct world *w)
{
    pop_type type = any_real(w), result = chance(w, 70) ? type : any_real(w);
    size_t g = chance(w, 40) ? between(w, 1, 5) : 0, m = any_extent(w), k = any_extent(w), n = any_extent(w);
    if (m * n * k > 200000)
        k = 5;
    if (m * k > 6000)
        m = 2;
    if (k * n > 6000)
        n = 2;
    pop_program sequence;
    struct operation *op = op_begin(w, "product", &sequence);
    op->reference = product_reference;
    pop_option list[16];
    size_t count = linear_options(w, op, list, true);
    pop_options options = { list, count };
    size_t a_dims[3] = { g, m, k }, b_dims[3] = { g, k, n }, c_dims[3] = { g, m, n }, rank = g ? 3 : 2, skip = !g;
    pop_shape as = { rank, a_dims + skip }, bs = { rank, b_dims + skip };
    int form = (int)below(w, 4);
    if (form >= 2 && chance(w, 50))
        result = type;
    op->whole[0] = form;
    op->whole[1] = (long)g;
    op->whole[2] = (long)m;
    op->whole[3] = (long)k;
    op->whole[4] = (long)n;
    op->number[0] = rounded_to(POP_HALF, real_between(w, -2, 2));
    op_describe(op, " form %d", form);
    struct view a = { 0 }, b = { 0 }, c = { 0 };
    if (chance(w, 30))
        a = laid_out(w,
                     g ? poplin_create_mat_mul_grouped_input_lhs(w->graph, type, result, as, bs, "a", options, w->cache)
                       : poplin_create_mat_mul_input_lhs(w->graph, type, result, as, bs, "a", options, w->cache));
    else
        a = wanted(w, type, a_dims + skip, rank, true, -30, 30);
    if (chance(w, 30))
        b = laid_out(w,
                     g ? poplin_create_mat_mul_grouped_input_rhs(w->graph, type, result, as, bs, "b", options, w->cache)
                       : poplin_create_mat_mul_input_rhs(w->graph, type, result, as, bs, "b", options, w->cache));
    else
        b = wanted(w, type, b_dims + skip, rank, true, -30, 30);
    if (refused_plan(w, op))
        return;
    if (pop_graph_error(w->graph)) {
        op_end(w, op, sequence, 0);
        return;
    }
    op_reads(w, op, a);
    op_reads(w, op, b);
    pop_tensor right = b.tensor;
    if (chance(w, 15) && pop_tensor_num_elements(b.tensor) && pop_tensor_num_elements(a.tensor) && n && m) {
        list[count++] = (pop_option){ "inputRHSIsPreArranged", "true" };
        options.count = count;
        op_describe(op, " arranged");
        right =
            g ? poplin_pre_arrange_mat_mul_grouped_input_rhs(w->graph, as, b.tensor, sequence, result, "p", options,
                                                             w->cache)
              : poplin_pre_arrange_mat_mul_input_rhs(w->graph, as, b.tensor, sequence, result, "p", options, w->cache);
        if (refused_plan(w, op))
            return;
    }
    if (form) {
        if (chance(w, 30))
            c = laid_out(w, g ? poplin_create_mat_mul_grouped_output(w->graph, type, result, as, bs, "c",
                                                                     (pop_options){ list, count }, w->cache)
                              : poplin_create_mat_mul_output(w->graph, type, result, as, bs, "c",
                                                             (pop_options){ list, count }, w->cache));
        else
            c = wanted(w, result, c_dims + skip, rank, false, -30, 30);
        if (refused_plan(w, op))
            return;
        if (c.base == a.base || c.base == b.base)
            c = new_view(w, result, c_dims + skip, rank, -30, 30);
        op_writes(w, op, c);
    }
    switch (form) {
    case 0: {
        pop_tensor out =
            g ? poplin_mat_mul_grouped(w->graph, a.tensor, right, sequence, result, "mm", options, w->cache)
            : result == type
                ? poplin_mat_mul(w->graph, a.tensor, right, sequence, "mm", options, w->cache)
                : poplin_mat_mul_typed(w->graph, a.tensor, right, sequence, result, "mm", options, w->cache);
        if (refused_plan(w, op))
            return;
        op_makes(w, op, out);
        break;
    }
    case 1:
        g ? poplin_mat_mul_grouped_with_output(w->graph, a.tensor, right, c.tensor, sequence, "mm", options, w->cache)
          : poplin_mat_mul_with_output(w->graph, a.tensor, right, c.tensor, sequence, "mm", options, w->cache);
        break;
    case 2:
        op_reads(w, op, c);
        g ? poplin_mat_mul_grouped_acc(w->graph, c.tensor, (float)op->number[0], a.tensor, right, sequence, "mm",
                                       options, w->cache)
          : poplin_mat_mul_acc(w->graph, c.tensor, (float)op->number[0], a.tensor, right, sequence, "mm", options,
                               w->cache);
        break;
    default: {
        op_reads(w, op, c);
        struct view factor = op_reads(w, op, new_view(w, chance(w, 50) ? POP_FLOAT : result, NULL, 0, -2, 2));
        g ? poplin_mat_mul_grouped_acc_tensor(w->graph, c.tensor, factor.tensor, a.tensor, right, sequence, "mm",
                                              options, w->cache)
          : poplin_mat_mul_acc_tensor(w->graph, c.tensor, factor.tensor, a.tensor, right, sequence, "mm", options,
                                      w->cache);
    }
    }
    if (refused_plan(w, op))
        return;
    op_end(w, op, sequence, form >= 2 ? 1 : 2);
}
