/* SPDX-License-Identifier: Apache-2.0 */
/* popnn: CTC losses with their gradients, and beam searches with beams that hold every label. */
#include "generators.h"

#include "poplibs/popnn/ctc_beam_reference.h"

#include <popnn/ctc_inference.h>
#include <popnn/ctc_loss.h>

/* The steps of an entry of {time, batch, classes}: its log-softmax, or the values themselves. */
static double *log_probs_of(const struct view *data, const double *values, size_t entry, bool logits)
{
    size_t time = data->dims[0], batch = data->dims[1], classes = data->dims[2];
    double *log_probs = malloc((time * classes + 1) * sizeof(double));
    for (size_t t = 0; t < time; ++t) {
        const double *from = values + (t * batch + entry) * classes;
        double sum = logits ? -INFINITY : 0;
        for (size_t c = 0; logits && c < classes; ++c)
            sum = ctc_log_add(sum, from[c]);
        for (size_t c = 0; c < classes; ++c)
            log_probs[t * classes + c] = from[c] - sum;
    }
    return log_probs;
}
/* in: data, labels, lengths of data and of labels; whole: blank, logits, gradient of the softmax. */
static void loss_reference(const struct operation *op, double *const *in, struct expected *out)
{
    const struct view *data = &op->in[0];
    size_t time = data->dims[0], batch = data->dims[1], classes = data->dims[2], symbols = op->in[1].dims[1];
    bool half = data->type == POP_HALF;
    double *posterior = malloc((time * classes + 1) * sizeof(double));
    for (unsigned i = 0; i < 2; ++i) {
        out[i].relative = half ? 4e-3 : 1e-5;
        out[i].absolute = half ? 2e-2 : 1e-5;
    }
    for (size_t entry = 0; entry < batch; ++entry) {
        double *log_probs = log_probs_of(data, in[0], entry, op->whole[1]);
        bool fits = in[2][entry] <= (double)time && in[3][entry] <= (double)symbols;
        struct ctc_entry e = { .steps = fits ? (size_t)in[2][entry] : 0,
                               .symbols = fits ? (size_t)in[3][entry] : 1,
                               .classes = classes,
                               .blank = (size_t)op->whole[0],
                               .stride = classes,
                               .log_probs = log_probs,
                               .label = in[1] + entry * symbols };
        double loss = -ctc_recursion(&e, posterior);
        out[0].value[entry] = loss;
        out[0].magnitude[entry] = loss < INFINITY ? fabs(loss) + (double)time : 0;
        for (size_t t = 0; t < time; ++t)
            for (size_t c = 0; c < classes; ++c) {
                size_t at = (t * batch + entry) * classes + c;
                bool counts = t < e.steps && loss < INFINITY;
                double softmax = op->whole[2] ? exp(log_probs[t * classes + c]) : 0;
                out[1].value[at] = counts ? softmax - posterior[t * classes + c] : 0;
                out[1].magnitude[at] = counts ? 1 + softmax : 0;
            }
        free(log_probs);
    }
    free(posterior);
}

static void make_loss_of(struct world *w, size_t time, size_t batch, size_t classes, pop_type type)
{
    pop_program sequence;
    size_t symbols = between(w, 1, 5), dims[] = { time, batch, classes }, labels[] = { batch, symbols };
    struct operation *op = op_begin(w, "ctc_loss", &sequence);
    op->reference = loss_reference;
    op->whole[0] = (long)below(w, classes);
    op->whole[1] = chance(w, 60);
    op->whole[2] = chance(w, 70);
    popnn_ctc_plan plan = popnn_ctc_loss_plan(w->graph, type, type, (unsigned)batch, (unsigned)time, (unsigned)symbols,
                                              (unsigned)classes, POP_NO_OPTIONS);
    struct view in[] = { chance(w, 50) ? new_view(w, type, dims, 3, -3, 0)
                                       : laid_out(w, popnn_ctc_create_data_input(w->graph, type, batch, time, classes,
                                                                                 &plan, "data")),
                         new_view(w, POP_UNSIGNED_INT, labels, 2, 0, (double)classes),
                         new_view(w, POP_UNSIGNED_INT, dims + 1, 1, 0, (double)time + 1.2),
                         new_view(w, POP_UNSIGNED_INT, dims + 1, 1, 0, (double)symbols + 1.2) };
    for (unsigned i = 0; i < 4; ++i)
        in[i] = op_reads(w, op, in[i]);
    op_describe(op, " of %zu steps, %zu entries, %zu classes, labels of %zu, blank %ld", time, batch, classes, symbols,
                op->whole[0]);
    popnn_ctc_result result =
        (op->whole[1] ? popnn_ctc_loss_and_gradient_logits_at : popnn_ctc_loss_and_gradient_log_probabilities_at)(
            POP_HERE, w->graph, type, in[0].tensor, in[1].tensor, in[2].tensor, in[3].tensor, sequence,
            (unsigned)op->whole[0], &plan, "ctc",
            POP_OPTIONS({ "includeSoftmaxGradient", op->whole[2] ? "true" : "false" }));
    op_makes(w, op, result.loss);
    if (!w->failure[0])
        op_makes(w, op, result.gradient);
    op_end(w, op, sequence, 2);
}

/* in: data, lengths; whole: blank, beams.  The order of equally probable labels is not defined: only probabilities are
 * compared. */
static void search_reference(const struct operation *op, double *const *in, struct expected *out)
{
    const struct view *data = &op->in[0];
    size_t batch = data->dims[1], beams = (size_t)op->whole[1], paths = op->out[0].view.dims[1];
    struct ctc_beam *best = malloc(beams * sizeof(*best));
    bool half = data->type == POP_HALF;
    out[0].relative = half ? 4e-3 : 1e-5;
    out[0].absolute = half ? 2e-2 : 1e-5;
    for (unsigned i = 1; i < 3; ++i)
        for (size_t k = 0; k < out[i].count; ++k)
            out[i].magnitude[k] = INFINITY;
    for (size_t entry = 0; entry < batch; ++entry) {
        double *log_probs = log_probs_of(data, in[0], entry, true);
        struct ctc_entry e = { .steps = (size_t)in[1][entry],
                               .classes = data->dims[2],
                               .blank = (size_t)op->whole[0],
                               .stride = data->dims[2],
                               .log_probs = log_probs };
        size_t count = ctc_beam_search(&e, beams, best);
        for (size_t path = 0; path < paths; ++path) {
            out[0].value[entry * paths + path] = path < count ? ctc_total(&best[path]) : -65504; /* no such beam */
            out[0].magnitude[entry * paths + path] = path < count ? 1 - ctc_total(&best[path]) : 0;
        }
        free(log_probs);
    }
    free(best);
}

static void make_search(struct world *w, size_t batch, pop_type type)
{
    enum { BEAMS = 48 }; /* at least as many labels as three classes have in four steps */
    pop_program sequence;
    size_t dims[] = { between(w, 1, 4), batch, between(w, 2, 3) }, paths = between(w, 1, 4);
    struct operation *op = op_begin(w, "ctc_search", &sequence);
    op->reference = search_reference;
    op->whole[0] = (long)below(w, dims[2]);
    op->whole[1] = BEAMS;
    popnn_ctc_plan plan = popnn_ctc_infer_plan(w->graph, type, (unsigned)batch, (unsigned)dims[0], (unsigned)dims[2],
                                               BEAMS, POP_NO_OPTIONS);
    struct view data = op_reads(w, op, new_view(w, type, dims, 3, -2, 2)),
                lengths = op_reads(w, op, new_view(w, POP_UNSIGNED_INT, dims + 1, 1, 0, (double)dims[0] + 1));
    op_describe(op, " of %zu steps, %zu entries, %zu classes, blank %ld", dims[0], batch, dims[2], op->whole[0]);
    popnn_ctc_paths found =
        popnn_ctc_beam_search_logits(w->graph, data.tensor, lengths.tensor, sequence, (unsigned)op->whole[0], BEAMS,
                                     (unsigned)paths, &plan, "search", POP_NO_OPTIONS);
    const pop_tensor all[] = { found.probabilities, found.lengths, found.labels };
    for (unsigned i = 0; i < 3 && !w->failure[0]; ++i)
        op_makes(w, op, all[i]);
    op_end(w, op, sequence, 2);
}

void make_ctc(struct world *w)
{
    size_t batch = between(w, 1, 3);
    pop_type type = any_real(w);
    if (chance(w, 65))
        make_loss_of(w, between(w, 1, 9), batch, between(w, 2, 5), type);
    else
        make_search(w, batch, type);
}
