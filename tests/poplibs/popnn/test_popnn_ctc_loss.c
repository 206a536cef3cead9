/* SPDX-License-Identifier: Apache-2.0 */
/* CTC loss and gradient against double precision: the recursion, the sum over all paths, and differences; with plans of
 * all kinds of splits; costs of plans and vertices, calculated by hand. */
#include "poplibs/numeric.h"

#include "poplibs/popnn/ctc_reference.h"

#include <popnn/codelets.h>
#include <popnn/ctc_loss.h>
#include <popops/codelets.h>

static void add_codelets(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    popnn_add_codelets_at(where, graph);
}

enum { LIMIT = 8 };
struct work {
    unsigned time, label, classes, batch, blank;
    const char *constraints; /* of the plan */
    struct entry {
        unsigned steps, symbols;
        unsigned label[6]; /* the first symbols; then others at random */
    } entries[LIMIT];
};
#define ANYWHERE 9999, 0, 0, 0, 0, 0 /* a label at random */
static const struct work works[] = {
    { 4, 2, 3, 2, 0, "", { { 4, 2, { 1, 2 } }, { 4, 2, { 1, 1 } } } },
    { 5,
      2,
      3,
      5,
      2,
      "",
      { { 5, 2, { 0, 0 } }, { 5, 0, { 1 } }, { 2, 2, { 0, 0 } }, { 1, 1, { 1 } }, { 3, 1, { 1 } } } },
    { 6, 3, 3, 3, 1, "", { { 6, 3, { 0, 0, 2 } }, { 5, 3, { 2, 2, 2 } }, { 4, 3, { 2, 2, 2 } } } },
    { 1, 1, 2, 2, 0, "", { { 1, 1, { 1 } }, { 1, 0, { 1 } } } },
    { 7,
      3,
      4,
      4,
      3,
      "{\"parallel\": {\"batch\": 2, \"time\": 1, \"label\": 1, \"lastBlankOnSeparateTile\": false}}",
      { { 7, 3, { 0, 1, 1 } }, { 3, 3, { 0, 1, 2 } }, { 0, 0, { 0 } }, { 0, 2, { 0, 1 } } } },
    { 7,
      3,
      4,
      4,
      0,
      "{\"parallel\": {\"time\": 2, \"label\": 3, \"lastBlankOnSeparateTile\": false}}",
      { { 7, 3, { 1, 1, 1 } }, { 2, 2, { 3, 2 } }, { 5, 1, { 2 } }, { 4, 3, { 1, 2, 3 } } } },
    { 8,
      3,
      3,
      4,
      1,
      "{\"parallel\": {\"time\": 4, \"label\": 2, \"lastBlankOnSeparateTile\": true}}",
      { { 8, 3, { 0, 2, 2 } }, { 3, 2, { 2, 2 } }, { 5, 3, { 0, 2, 0 } }, { 6, 0, { 0 } } } },
    { 8,
      4,
      3,
      3,
      0,
      "{\"parallel\": {\"time\": 3, \"label\": 4, \"lastBlankOnSeparateTile\": true}}",
      { { 8, 4, { 1, 1, 2, 2 } }, { 7, 3, { 2, 1, 2 } }, { 8, 2, { 1, 2 } } } },
    { 7,
      3,
      3,
      2,
      2,
      "{\"parallel\": {\"time\": 7, \"label\": 1, \"lastBlankOnSeparateTile\": true}}",
      { { 7, 3, { 1, 0, 0 } }, { 4, 2, { 0, 0 } } } },
    { 6,
      2,
      3,
      4,
      0,
      "", /* no labels: the blank in one, no class, more symbols and steps than exist */
      { { 6, 2, { 1, 0 } }, { 6, 2, { 3, 1 } }, { 6, 3, { 1, 2 } }, { 7, 1, { 1 } } } },
    { 40, 11, 9, 3, 4, "", { { 40, 11, { ANYWHERE } }, { 31, 9, { ANYWHERE } }, { 25, 11, { 1, 1, 1, 1, 1, 1 } } } },
    { 60,
      20,
      5,
      2,
      0,
      "{\"parallel\": {\"time\": 5, \"label\": 7}}",
      { { 60, 20, { ANYWHERE } }, { 57, 18, { ANYWHERE } } } },
};
enum { WORKS = sizeof(works) / sizeof(works[0]) };

static unsigned symbol_of(const struct work *w, size_t entry, size_t i)
{
    const struct entry *e = &w->entries[entry];
    if (i < 6 && e->label[0] != 9999)
        return e->label[i];
    unsigned symbol = (unsigned)((entry * 31 + i * i * 7 + i / 3) % (w->classes - 1));
    return symbol + (symbol >= w->blank);
}

struct built {
    struct fixture fixture;
    popnn_ctc_plan plan;
    pop_tensor data, labels, lengths[2];
    double values[2][LIMIT]; /* lengths */
    double label[LIMIT * 32];
};

static void build(struct built *b, const struct work *w, enum fixture_device device, pop_type type, pop_type partials,
                  unsigned tiles, bool created)
{
    b->fixture = fixture_open(device, tiles, add_codelets);
    pop_graph *graph = b->fixture.graph;
    b->plan = popnn_ctc_loss_plan(graph, type, type, w->batch, w->time, w->label, w->classes,
                                  POP_OPTIONS({ "partialsType", pop_type_name(partials) },
                                              { "planConstraints", device == FIXTURE_CPU ? "" : w->constraints }));
    assert_built(graph);
    if (created) {
        b->data = popnn_ctc_create_data_input(graph, type, w->batch, w->time, w->classes, &b->plan, "data");
        b->labels = popnn_ctc_create_labels_input(graph, POP_UNSIGNED_INT, w->batch, w->label, &b->plan, "labels");
    } else {
        b->data = pop_graph_add_variable(graph, type, POP_SHAPE(w->time, w->batch, w->classes), "data");
        b->labels = pop_graph_add_variable(graph, POP_UNSIGNED_INT, POP_SHAPE(w->batch, w->label), "labels");
        fixture_map(&b->fixture, b->data, FIXTURE_SCATTERED);
        fixture_map(&b->fixture, b->labels, FIXTURE_SCATTERED);
    }
    for (size_t i = 0; i < w->batch; ++i) {
        b->values[0][i] = w->entries[i].steps;
        b->values[1][i] = w->entries[i].symbols;
        for (size_t k = 0; k < w->label; ++k)
            b->label[i * w->label + k] = symbol_of(w, i, k);
    }
    fixture_write(&b->fixture, b->data, NULL, -3, 3);
    fixture_write(&b->fixture, b->labels, b->label, 0, 0);
    for (unsigned i = 0; i < 2; ++i) {
        b->lengths[i] = pop_graph_add_variable(graph, POP_UNSIGNED_INT, POP_SHAPE(w->batch), "lengths");
        fixture_map(&b->fixture, b->lengths[i], FIXTURE_SCATTERED);
        fixture_write(&b->fixture, b->lengths[i], b->values[i], 0, 0);
    }
}

/* Log-softmax of the valid steps of an entry, {time, classes}. */
static struct ctc_entry entry_of(const struct work *w, const double *label, size_t entry, double *log_probs)
{
    const struct entry *e = &w->entries[entry];
    bool fits = e->steps <= w->time && e->symbols <= w->label; /* otherwise no alignment exists */
    return (struct ctc_entry){ .steps = fits ? e->steps : 0,
                               .symbols = fits ? e->symbols : 1,
                               .classes = w->classes,
                               .blank = w->blank,
                               .stride = w->classes,
                               .log_probs = log_probs,
                               .label = label + entry * w->label };
}
static void log_softmax_of(const struct work *w, const double *data, size_t entry, double *log_probs)
{
    for (size_t t = 0; t < w->time; ++t) {
        const double *from = data + (t * w->batch + entry) * w->classes;
        double sum = -INFINITY;
        for (size_t c = 0; c < w->classes; ++c)
            sum = ctc_log_add(sum, from[c]);
        for (size_t c = 0; c < w->classes; ++c)
            log_probs[t * w->classes + c] = from[c] - sum;
    }
}

/* Loss and gradient of all entries; gradients of logits, {time, batch, classes}. */
static void reference(const struct work *w, const double *data, const double *label, bool softmax, double *loss,
                      double *gradient)
{
    double *log_probs = malloc(w->time * w->classes * sizeof(double)),
           *posterior = malloc(w->time * w->classes * sizeof(double));
    for (size_t entry = 0; entry < w->batch; ++entry) {
        log_softmax_of(w, data, entry, log_probs);
        struct ctc_entry e = entry_of(w, label, entry, log_probs);
        loss[entry] = -ctc_recursion(&e, posterior);
        for (size_t t = 0; t < w->time; ++t)
            for (size_t c = 0; c < w->classes; ++c)
                gradient[(t * w->batch + entry) * w->classes + c] =
                    t < e.steps && loss[entry] < INFINITY
                        ? (softmax ? exp(log_probs[t * w->classes + c]) : 0) - posterior[t * w->classes + c]
                        : 0;
    }
    free(log_probs);
    free(posterior);
}

static void test_logits(void **state)
{
    (void)state;
    static const pop_type types[][2] = { { POP_FLOAT, POP_FLOAT }, { POP_HALF, POP_FLOAT }, { POP_HALF, POP_HALF } };
    for (unsigned test = 0; test < WORKS * 3 * 2; ++test) {
        const struct work *w = &works[test % WORKS];
        const pop_type *type = types[test / WORKS % 3];
        enum fixture_device device = test / (WORKS * 3) ? FIXTURE_CPU : FIXTURE_MODEL;
        if (type[1] == POP_HALF && w->time > 20)
            continue; /* sums of half are too inaccurate */
        struct built b;
        double *got[2], loss[LIMIT], *gradient = malloc(w->time * w->batch * w->classes * sizeof(double));
        build(&b, w, device, type[0], type[1], 48, test % 2);
        popnn_ctc_result result = popnn_ctc_loss_and_gradient_logits(
            b.fixture.graph, type[0], b.data, b.labels, b.lengths[0], b.lengths[1], b.fixture.program, w->blank,
            &b.plan, "ctc", POP_OPTIONS({ "partialsType", pop_type_name(type[1]) }));
        fixture_run_all(&b.fixture, (pop_tensor[]){ result.loss, result.gradient }, got, 2);
        reference(w, fixture_given(&b.fixture, b.data), b.label, true, loss, gradient);
        bool half = type[0] == POP_HALF, sums = type[1] == POP_HALF;
        fixture_check(got[0], loss, w->batch, sums ? 0.004 : half ? 0.002 : 2e-6, sums ? 0.03 : half ? 0.02 : 4e-6);
        fixture_check(got[1], gradient, w->time * w->batch * w->classes, 0,
                      sums   ? 0.03
                      : half ? 0.008
                             : 1e-6 * w->time);
        free(gradient);
        fixture_close(&b.fixture);
    }
}

/* Both calls for the gradient, and the loss alone. */
static void test_log_probabilities(void **state)
{
    (void)state;
    for (unsigned test = 0; test < WORKS; ++test) {
        const struct work *w = &works[test];
        struct built b;
        size_t count = w->time * w->batch * w->classes;
        double *got[4], loss[LIMIT], *gradient = malloc(count * sizeof(double)),
                                     *log_probs = malloc(count * sizeof(double)),
                                     *one = malloc(w->time * w->classes * sizeof(double));
        build(&b, w, FIXTURE_MODEL, POP_FLOAT, POP_FLOAT, 48, true);
        double *data = fixture_given(&b.fixture, b.data);
        for (size_t entry = 0; entry < w->batch; ++entry) {
            log_softmax_of(w, data, entry, one);
            for (size_t t = 0; t < w->time; ++t)
                memcpy(log_probs + (t * w->batch + entry) * w->classes, one + t * w->classes,
                       w->classes * sizeof(double));
        }
        memcpy(data, log_probs, count * sizeof(double));
        const char *softmax = test % 2 ? "true" : "false";
        popnn_ctc_result result = popnn_ctc_loss_and_gradient_log_probabilities(
            b.fixture.graph, POP_FLOAT, b.data, b.labels, b.lengths[0], b.lengths[1], b.fixture.program, w->blank,
            &b.plan, "ctc", POP_OPTIONS({ "includeSoftmaxGradient", softmax }));
        pop_tensor alone[] = {
            popnn_ctc_loss_log_probabilities(b.fixture.graph, POP_FLOAT, b.data, b.labels, b.lengths[0], b.lengths[1],
                                             b.fixture.program, w->blank, &b.plan, "a", POP_NO_OPTIONS),
            popnn_ctc_loss_logits(b.fixture.graph, POP_FLOAT, b.data, b.labels, b.lengths[0], b.lengths[1],
                                  b.fixture.program, w->blank, &b.plan, "b", POP_NO_OPTIONS)
        };
        fixture_run_all(&b.fixture, (pop_tensor[]){ result.loss, result.gradient, alone[0], alone[1] }, got, 4);
        reference(w, log_probs, b.label, test % 2, loss, gradient);
        fixture_check(got[0], loss, w->batch, 2e-6, 4e-6);
        fixture_check(got[1], gradient, count, 0, 1e-6 * w->time);
        fixture_check(got[2], got[0], w->batch, 0, 0);
        fixture_check(got[3], loss, w->batch, 4e-6, 1e-5); /* a softmax of log-probabilities changes nothing */
        free(gradient);
        free(log_probs);
        free(one);
        fixture_close(&b.fixture);
    }
}

/* The reference itself: small cases against the sum over all paths, gradients against differences of losses. */
static void test_reference(void **state)
{
    (void)state;
    for (unsigned test = 0; test < WORKS; ++test) {
        const struct work *w = &works[test];
        if (w->time > 8)
            continue;
        double label[LIMIT * 32], data[LIMIT * 8 * 8], loss[LIMIT], shifted[LIMIT], gradient[LIMIT * 8 * 8],
            ignored[LIMIT * 8 * 8], log_probs[64];
        uint64_t random = 77 + test;
        size_t count = w->time * w->batch * w->classes;
        for (size_t i = 0; i < count; ++i)
            data[i] = -2 + 4 * next_random(&random) / 2147483648.0;
        for (size_t i = 0; i < w->batch * w->label; ++i)
            label[i] = symbol_of(w, i / w->label, i % w->label);
        reference(w, data, label, true, loss, gradient);
        for (size_t entry = 0; entry < w->batch; ++entry) {
            log_softmax_of(w, data, entry, log_probs);
            struct ctc_entry e = entry_of(w, label, entry, log_probs);
            double all = -ctc_all_paths(&e);
            fixture_check(&loss[entry], &all, 1, 1e-12, 1e-12);
        }
        for (size_t i = 0; i < count; ++i) {
            size_t entry = i / w->classes % w->batch;
            double kept = data[i], h = 1e-5, up;
            data[i] = kept + h;
            reference(w, data, label, true, shifted, ignored);
            up = shifted[entry];
            data[i] = kept - h;
            reference(w, data, label, true, shifted, ignored);
            data[i] = kept;
            double difference = loss[entry] < INFINITY ? (up - shifted[entry]) / (2 * h) : 0;
            fixture_check(&gradient[i], &difference, 1, 0, 1e-8);
        }
    }
}

/* The device's own gradient against differences of its own loss. */
static void test_differences(void **state)
{
    (void)state;
    const struct work *w = &works[5];
    double base[LIMIT], gradient[7 * 4 * 4], values[7 * 4 * 4];
    const size_t places[] = { 0, 5, 17, 38, 63, 100 };
    for (unsigned run = 0; run < 1 + 2 * sizeof(places) / sizeof(places[0]); ++run) {
        struct built b;
        double *got[2];
        build(&b, w, FIXTURE_MODEL, POP_FLOAT, POP_FLOAT, 48, true);
        double *data = fixture_given(&b.fixture, b.data), h = 0.0625;
        size_t place = run ? places[(run - 1) / 2] : 0, entry = place / w->classes % w->batch;
        if (run)
            data[place] += run % 2 ? h : -h;
        popnn_ctc_result result =
            popnn_ctc_loss_and_gradient_logits(b.fixture.graph, POP_FLOAT, b.data, b.labels, b.lengths[0], b.lengths[1],
                                               b.fixture.program, w->blank, &b.plan, "ctc", POP_NO_OPTIONS);
        fixture_run_all(&b.fixture, (pop_tensor[]){ result.loss, result.gradient }, got, 2);
        if (!run) {
            memcpy(base, got[0], w->batch * sizeof(double));
            memcpy(gradient, got[1], sizeof(gradient));
        } else if (run % 2) {
            values[place] = got[0][entry];
        } else if (base[entry] < INFINITY) {
            double difference = (values[place] - got[0][entry]) / (2 * h);
            fixture_check(&gradient[place], &difference, 1, 0, 1e-3);
        }
        fixture_close(&b.fixture);
    }
}

/* ---- costs ---- */

static void test_plan(void **state)
{
    (void)state;
    /* T = 12, L = 6, C = 5, one entry; docs/libraries/ctc.md has the formulas. time 2, label 3: steps 6; alpha 6 (44 2
     * + 17) + 90
     * + 102 = 822, gradient 6 (84 2 + 34) + 90 + 110 = 1412. time 4, label 3, last blank on a separate tile: steps 6;
     * alpha 6 88 + 90 + 106 = 724, gradient 6 168 + 90 + 110 = 1208. time 3, label 4 (2 symbols each, the last
     * partition empty) is no plan; label 1: steps 8, Lp = 6: alpha 6 (264 + 17) + 90 + 106 = 1882, gradient 6 (504 +
     * 34) + 90 + 126 = 3444. */
    static const struct {
        const char *constraints;
        uint64_t cycles;
        unsigned tiles;
    } plans[] = {
        { "{\"parallel\": {\"time\": 2, \"label\": 3, \"lastBlankOnSeparateTile\": false}}", 6 * (822 + 1412), 6 },
        { "{\"parallel\": {\"time\": 4, \"label\": 3, \"lastBlankOnSeparateTile\": true}}", 6 * (724 + 1208), 16 },
        { "{\"parallel\":{\"label\":1,\"time\":3,\"batch\":1,\"lastBlankOnSeparateTile\":0}}", 8 * (1882 + 3444), 3 },
    };
    for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); ++i) {
        struct fixture fixture = fixture_open(FIXTURE_MODEL, 64, add_codelets);
        popnn_ctc_plan plan = popnn_ctc_loss_plan(fixture.graph, POP_FLOAT, POP_FLOAT, 1, 12, 6, 5,
                                                  POP_OPTIONS({ "planConstraints", plans[i].constraints }));
        assert_built(fixture.graph);
        assert_int_equal(plan.cycles, plans[i].cycles);
        assert_int_equal(plan.tiles, plans[i].tiles);
        /* Seven entries on one partition of the batch run on six workers: twice as long. */
        popnn_ctc_plan more = popnn_ctc_loss_plan(
            fixture.graph, POP_FLOAT, POP_FLOAT, 7, 12, 6, 5,
            POP_OPTIONS({ "planConstraints", "{\"parallel\": {\"batch\": 1, \"time\": 2, \"label\": "
                                             "3, \"lastBlankOnSeparateTile\": false}}" }));
        assert_int_equal(more.cycles, 2 * 6 * (822 + 1412));
        /* Without constraints, the fastest: a tile for each symbol and one for the last blank, two partitions of the
         * time. */
        popnn_ctc_plan best = popnn_ctc_loss_plan(fixture.graph, POP_FLOAT, POP_FLOAT, 1, 12, 6, 5, POP_NO_OPTIONS);
        assert_int_equal(best.label_splits, 6);
        assert_true(best.separate_last_blank);
        assert_int_equal(best.time_splits, 2);
        assert_int_equal(best.cycles, 6 * ((6 * 44 + 90 + 102) + (6 * 84 + 90 + 106)));
        assert_true(popnn_ctc_plan_compare(&best, &plan) != 0 && popnn_ctc_plan_compare(&best, &best) == 0);
        assert_true(popnn_ctc_plan_compare(&best, &plan) == -popnn_ctc_plan_compare(&plan, &best));
        fixture_close(&fixture);
    }
}

/* Cycles of a run: 44 and 84 per symbol for each step of both loops, on the tile with the most symbols. */
static void test_vertices(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        unsigned label;
        uint64_t cycles;
    } vertices[] = { { "popnn::CTCAlpha<float,float,unsigned int,true>", 8, 44 * 7 },
                     { "popnn::CTCBeta<half,float,unsigned int,false>", 3, 44 * 2 },
                     { "popnn::CTCGradGivenAlpha<half,half,unsigned int,true>", 1, 0 },
                     { "popnn::CTCGradGivenBeta<float,float,unsigned int,false>", 11, 84 * 10 } };
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 2, add_codelets);
    pop_compute_set set = pop_graph_add_compute_set(fixture.graph, "set");
    for (size_t i = 0; i < sizeof(vertices) / sizeof(vertices[0]); ++i) {
        pop_vertex vertex = pop_graph_add_vertex(fixture.graph, set, vertices[i].type);
        pop_tensor label =
            pop_graph_add_variable(fixture.graph, POP_UNSIGNED_INT, POP_SHAPE(vertices[i].label), "label");
        pop_graph_set_tile_mapping(fixture.graph, label, 0);
        pop_graph_connect(fixture.graph, vertex, "label", label);
        pop_perf perf = pop_graph_get_perf_estimate_at(POP_HERE, fixture.graph, vertex);
        assert_int_equal(perf.cycles, vertices[i].cycles);
    }
    fixture_close(&fixture);
}

/* Every mistake is one error, and nothing is added to the graph. */
static void mistakes_are_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 16, add_codelets);
    pop_graph *graph = fixture.graph;
    popnn_ctc_loss_plan(graph, POP_INT, POP_FLOAT, 1, 4, 2, 3, POP_NO_OPTIONS);
    assert_error(graph, POP_TYPE_ERROR, "popnn_ctc_loss_plan", "the data are int");
    popnn_ctc_loss_plan(graph, POP_FLOAT, POP_FLOAT, 1, 4, 0, 3, POP_NO_OPTIONS);
    assert_error(graph, POP_POPLAR_ERROR, "popnn_ctc_loss_plan", "the label length is 0; 1 or more");
    popnn_ctc_loss_plan(graph, POP_FLOAT, POP_FLOAT, 1, 4, 2, 1, POP_NO_OPTIONS);
    assert_error(graph, POP_POPLAR_ERROR, "popnn_ctc_loss_plan", "the number of classes is 1; 2 or more");
    popnn_ctc_loss_plan(graph, POP_FLOAT, POP_FLOAT, 1, 4, 2, 3, POP_OPTIONS({ "partialsType", "half" }));
    assert_error(graph, POP_TYPE_ERROR, "popnn_ctc_loss_plan", "goes with data of half alone");
    popnn_ctc_loss_plan(graph, POP_FLOAT, POP_FLOAT, 1, 4, 2, 3, POP_OPTIONS({ "partialType", "half" }));
    assert_error(graph, POP_INVALID_OPTION, "popnn_ctc_loss_plan", "the nearest is 'partialsType'");
    popnn_ctc_loss_plan(graph, POP_FLOAT, POP_FLOAT, 1, 4, 2, 3, POP_OPTIONS({ "availableMemoryProportion", "-2" }));
    assert_error(graph, POP_INVALID_OPTION, "popnn_ctc_loss_plan", "must not be negative");
    static const char *const texts[] = { "{",
                                         "{\"parallel\": 3}",
                                         "{\"parallel\": {\"times\": 2}}",
                                         "{\"parallel\": {\"time\": 0}}",
                                         "{\"parallel\": {\"time\": 2}} x",
                                         "{\"parallel\": {\"lastBlankOnSeparateTile\": 2}}" };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); ++i) {
        popnn_ctc_loss_plan(graph, POP_FLOAT, POP_FLOAT, 1, 4, 2, 3, POP_OPTIONS({ "planConstraints", texts[i] }));
        assert_error(graph, POP_INVALID_OPTION, "popnn_ctc_loss_plan", "it takes JSON");
    }
    popnn_ctc_loss_plan(graph, POP_FLOAT, POP_FLOAT, 1, 4, 2, 3,
                        POP_OPTIONS({ "planConstraints", "{\"parallel\": {\"time\": 9}}" }));
    assert_error(graph, POP_INVALID_OPTION, "popnn_ctc_loss_plan", "no plan for 16 tiles");

    popnn_ctc_plan plan = popnn_ctc_loss_plan(graph, POP_FLOAT, POP_FLOAT, 2, 4, 2, 3, POP_NO_OPTIONS), none = { 0 };
    pop_tensor data = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(4, 2, 3), FIXTURE_LINEAR),
               half = fixture_input(&fixture, POP_HALF, POP_SHAPE(4, 2, 3), FIXTURE_LINEAR),
               labels = fixture_input(&fixture, POP_UNSIGNED_INT, POP_SHAPE(2, 2), FIXTURE_LINEAR),
               lengths = fixture_input(&fixture, POP_UNSIGNED_INT, POP_SHAPE(2), FIXTURE_LINEAR),
               ints = fixture_input(&fixture, POP_INT, POP_SHAPE(2), FIXTURE_LINEAR);
    const struct {
        pop_type out_type;
        pop_tensor data, labels, lengths;
        unsigned blank;
        const popnn_ctc_plan *plan;
        pop_status status;
        const char *text;
    } mistakes[] = {
        { POP_FLOAT, data, labels, lengths, 0, &none, POP_POPLAR_ERROR, "popnn_ctc_loss_plan made is needed" },
        { POP_FLOAT, data, labels, lengths, 0, NULL, POP_POPLAR_ERROR, "there is no plan" },
        { POP_FLOAT, half, labels, lengths, 0, &plan, POP_TYPE_ERROR,
          "the data have type half; the plan is for float" },
        { POP_HALF, data, labels, lengths, 0, &plan, POP_TYPE_ERROR, "the results are to be half" },
        { POP_FLOAT, lengths, labels, lengths, 0, &plan, POP_TYPE_ERROR, "half or float is needed" },
        { POP_FLOAT, pop_tensor_slice(data, 0, 3, 0), labels, lengths, 0, &plan, POP_POPLAR_ERROR,
          "the plan is for 4 steps, 2 entries and 3 classes; these are 3, 2 and 3" },
        { POP_FLOAT, pop_tensor_at(data, 0), labels, lengths, 0, &plan, POP_POPLAR_ERROR, "{time,batch,classes}" },
        { POP_FLOAT, data, pop_tensor_slice(labels, 0, 1, 1), lengths, 0, &plan, POP_POPLAR_ERROR, "{2,2}" },
        { POP_FLOAT, data, pop_tensor_reinterpret(labels, POP_INT), lengths, 0, &plan, POP_TYPE_ERROR,
          "the labels have type int" },
        { POP_FLOAT, data, labels, ints, 0, &plan, POP_TYPE_ERROR, "the tensor of data lengths has type int" },
        { POP_FLOAT, data, labels, labels, 0, &plan, POP_POPLAR_ERROR, "one for each entry" },
        { POP_FLOAT, data, labels, lengths, 3, &plan, POP_INDEX_ERROR, "the blank is class 3; there are 3 classes" },
    };
    for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); ++i) {
        popnn_ctc_result result = popnn_ctc_loss_and_gradient_logits(
            graph, mistakes[i].out_type, mistakes[i].data, mistakes[i].labels, mistakes[i].lengths, lengths,
            fixture.program, mistakes[i].blank, mistakes[i].plan, "ctc", POP_NO_OPTIONS);
        assert_false(pop_tensor_valid(result.loss));
        assert_error(graph, mistakes[i].status, "popnn_ctc_loss_and_gradient_logits", mistakes[i].text);
    }
    popnn_ctc_create_labels_input(graph, POP_INT, 2, 2, &plan, "labels");
    assert_error(graph, POP_TYPE_ERROR, "popnn_ctc_create_labels_input", "unsigned int is needed");
    popnn_ctc_create_labels_input(graph, POP_UNSIGNED_INT, 2, 3, &plan, "labels");
    assert_error(graph, POP_POPLAR_ERROR, "popnn_ctc_create_labels_input", "labels have 3 symbols; the plan is for 2");
    popnn_ctc_create_data_input(graph, POP_INT, 2, 4, 3, &plan, "data");
    assert_error(graph, POP_TYPE_ERROR, "popnn_ctc_create_data_input", "half or float");
    popnn_ctc_create_data_input(graph, POP_FLOAT, 2, 5, 3, &plan, "data");
    assert_error(graph, POP_POPLAR_ERROR, "popnn_ctc_create_data_input", "these are 5, 2 and 3");
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference),     cmocka_unit_test(test_logits), cmocka_unit_test(test_log_probabilities),
        cmocka_unit_test(test_differences),   cmocka_unit_test(test_plan),   cmocka_unit_test(test_vertices),
        cmocka_unit_test(mistakes_are_errors)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
