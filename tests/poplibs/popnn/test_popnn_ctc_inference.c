/* SPDX-License-Identifier: Apache-2.0 */
/* The beam search of CTC against one in double precision over collapsed labels, and against the sum over all paths if
 * the beam holds every label; plans, costs and errors. */
#include "poplibs/numeric.h"

#include "poplibs/popnn/ctc_beam_reference.h"

#include <popnn/codelets.h>
#include <popnn/ctc_inference.h>
#include <popnn/ctc_loss.h>
#include <popops/codelets.h>

static void add_codelets(pop_where where, pop_graph *graph)
{
    popops_add_codelets_at(where, graph);
    popnn_add_codelets_at(where, graph);
}

enum { LIMIT = 7, MAX_PATHS = 200 };
struct work {
    unsigned time, classes, batch, blank, beams, paths;
    const char *constraints;
    unsigned steps[LIMIT];
    double spread; /* of the logits */
};
static const struct work works[] = {
    { 4, 3, 2, 0, 40, 31, "", { 4, 3 }, 2 }, /* every label: 1 + 2 + 4 + 8 + 16, some of them impossible */
    { 3, 4, 1, 2, 64, 40, "{\"parallel\": {\"classes\": 4}}", { 3 }, 3 },
    { 6, 3, 4, 2, 4, 4, "{\"parallel\": {\"batch\": 2, \"classes\": 2}}", { 6, 0, 1, 9 }, 2 },
    { 20, 5, 3, 4, 6, 3, "{\"parallel\": {\"classes\": 3}}", { 20, 17, 9 }, 4 },
    { 40, 9, 7, 1, 10, 10, "", { 40, 39, 1, 2, 25, 30, 40 }, 6 },
    { 25, 2, 2, 1, 5, 5, "{\"parallel\": {\"batch\": 1, \"classes\": 1}}", { 25, 24 }, 1 },
    { 12, 6, 1, 0, 1, 1, "{\"parallel\": {\"classes\": 6}}", { 12 }, 5 },
};
enum { WORKS = sizeof(works) / sizeof(works[0]) };

static void log_softmax(const double *data, const struct work *w, size_t entry, double *log_probs)
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

/* One entry's paths.  Neighbours may be swapped if their probabilities are equal within the tolerance. */
static void check_entry(const struct work *w, const double *data, size_t entry, double *const *got, double tolerance)
{
    double log_probs[40 * 16];
    static struct ctc_beam best[MAX_PATHS];
    log_softmax(data, w, entry, log_probs);
    bool fits = w->steps[entry] <= w->time;
    struct ctc_entry e = { .steps = fits ? w->steps[entry] : 0,
                           .classes = w->classes,
                           .blank = w->blank,
                           .stride = w->classes,
                           .log_probs = log_probs };
    size_t count = fits ? ctc_beam_search(&e, w->beams, best) : 0;
    for (size_t path = 0; path < w->paths; ++path) {
        size_t at = entry * w->paths + path, length = (size_t)got[1][at];
        const double *label = got[2] + at * w->time;
        double wanted = path < count ? ctc_total(&best[path]) : -65504;
        fixture_check(&got[0][at], &wanted, 1, tolerance, tolerance);
        for (size_t i = length; i < w->time; ++i)
            assert_true(label[i] == 4294967295.0);
        bool known = path >= count && length == 0;
        for (size_t k = 0; k < count && !known; ++k) {
            known = best[k].length == length && fabs(ctc_total(&best[k]) - wanted) <= 4 * tolerance * (1 - wanted);
            for (size_t i = 0; known && i < length; ++i)
                known = label[i] == best[k].label[i];
        }
        if (!known)
            fail_msg("entry %zu, path %zu: a label of %zu that the reference does not have there", entry, path, length);
    }
}

static void test_paths(void **state)
{
    (void)state;
    for (unsigned test = 0; test < WORKS * 4; ++test) {
        const struct work *w = &works[test % WORKS];
        bool half = test / WORKS % 2, cpu = test / (2 * WORKS);
        pop_type type = half ? POP_HALF : POP_FLOAT;
        struct fixture fixture = fixture_open(cpu ? FIXTURE_CPU : FIXTURE_MODEL, 12, add_codelets);
        popnn_ctc_plan plan = popnn_ctc_infer_plan(fixture.graph, type, w->batch, w->time, w->classes, w->beams,
                                                   POP_OPTIONS({ "planConstraints", cpu ? "" : w->constraints }));
        pop_tensor data = test % 2 ? popnn_ctc_infer_create_data_input(fixture.graph, type, w->batch, w->time,
                                                                       w->classes, &plan, "data")
                                   : pop_graph_add_variable(fixture.graph, type,
                                                            POP_SHAPE(w->time, w->batch, w->classes), "data"),
                   lengths = pop_graph_add_variable(fixture.graph, POP_UNSIGNED_INT, POP_SHAPE(w->batch), "lengths");
        double steps[LIMIT], *got[3];
        for (size_t i = 0; i < w->batch; ++i)
            steps[i] = w->steps[i];
        if (test % 2 == 0)
            fixture_map(&fixture, data, FIXTURE_SCATTERED);
        fixture_map(&fixture, lengths, FIXTURE_LINEAR);
        fixture_write(&fixture, data, NULL, -w->spread, w->spread);
        fixture_write(&fixture, lengths, steps, 0, 0);
        popnn_ctc_paths paths = popnn_ctc_beam_search_logits(fixture.graph, data, lengths, fixture.program, w->blank,
                                                             w->beams, w->paths, &plan, "search", POP_NO_OPTIONS);
        fixture_run_all(&fixture, (pop_tensor[]){ paths.probabilities, paths.lengths, paths.labels }, got, 3);
        if (!half || w->time <= 6) /* a search in half can drop what another keeps */
            for (size_t entry = 0; entry < w->batch; ++entry)
                check_entry(w, fixture_given(&fixture, data), entry, got, half ? 0.02 : 1e-5);
        fixture_close(&fixture);
    }
}

/* If the beam holds all labels, each has the probability of all its paths: that of the loss. */
static void test_all_labels(void **state)
{
    (void)state;
    const struct work *w = &works[0];
    double data[4 * 2 * 3], log_probs[64], sum = -INFINITY;
    static struct ctc_beam best[MAX_PATHS];
    uint64_t random = 5;
    for (size_t i = 0; i < sizeof(data) / sizeof(data[0]); ++i)
        data[i] = -2 + 4 * next_random(&random) / 2147483648.0;
    log_softmax(data, w, 1, log_probs);
    struct ctc_entry e = { .steps = 4, .classes = 3, .blank = 0, .stride = 3, .log_probs = log_probs };
    size_t count = ctc_beam_search(&e, w->beams, best);
    for (size_t i = 0; i < count; ++i) {
        double label[8], all, total = ctc_total(&best[i]);
        for (size_t k = 0; k < best[i].length; ++k)
            label[k] = best[i].label[k];
        e.symbols = best[i].length;
        e.label = label;
        all = ctc_all_paths(&e);
        fixture_check(&total, &all, 1, 1e-12, 1e-12);
        sum = ctc_log_add(sum, total);
    }
    assert_true(fabs(sum) < 1e-12); /* their probabilities add up to 1 */
    assert_int_equal(count,
                     1 + 2 + 4 + 6 + 2); /* of three symbols two have equal neighbours twice, of four only two none */
}

static void test_plan(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 16, add_codelets);
    /* Two beams, eight classes in four partitions: a step takes 6 (40 + 2 (10 2 + 6 2)) + 6 (60 + 2 (12 4 + 10 2 + 44))
     * = 624 + 1704, 4 2 4 words to choose from, 4 2 beams to send, and two syncs and exchanges. */
    popnn_ctc_plan plan = popnn_ctc_infer_plan(fixture.graph, POP_FLOAT, 1, 10, 8, 2,
                                               POP_OPTIONS({ "planConstraints", "{\"parallel\": {\"classes\": 4}}" }));
    assert_built(fixture.graph);
    assert_int_equal(plan.cycles, 10 * (624 + 1704 + 32 + 8 + 380));
    assert_int_equal(plan.tiles, 4);
    popnn_ctc_plan free_plan = popnn_ctc_infer_plan(fixture.graph, POP_FLOAT, 1, 10, 800, 2, POP_NO_OPTIONS);
    assert_true(free_plan.class_splits > 4 && free_plan.class_splits <= 16);
    static const struct {
        const char *type;
        uint64_t cycles;
    } vertices[] = { { "popnn::CTCExtendBeams<float>", 40 + 3 * (10 * 7 + 6 * 3) },
                     { "popnn::CTCSelectBeams", 60 + 3 * (12 * 5 + 10 * 3 + 44) } };
    pop_compute_set set = pop_graph_add_compute_set(fixture.graph, "set");
    pop_tensor reals = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(6), FIXTURE_ONE_TILE);
    for (size_t i = 0; i < 2; ++i) {
        pop_vertex vertex = pop_graph_add_vertex(fixture.graph, set, vertices[i].type);
        pop_graph_connect(fixture.graph, vertex, i ? "total" : "values", i ? reals : pop_tensor_slice(reals, 0, 3, 0));
        if (i)
            pop_graph_connect(fixture.graph, vertex, "blankProbabilities", pop_tensor_slice(reals, 0, 5, 0));
        else
            pop_graph_set_field_int_at(POP_HERE, fixture.graph, vertex, "classes", 7);
        assert_int_equal(pop_graph_get_perf_estimate_at(POP_HERE, fixture.graph, vertex).cycles, vertices[i].cycles);
    }
    fixture_close(&fixture);
}

static void mistakes_are_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 8, add_codelets);
    pop_graph *graph = fixture.graph;
    popnn_ctc_infer_plan(graph, POP_INT, 1, 4, 3, 2, POP_NO_OPTIONS);
    assert_error(graph, POP_TYPE_ERROR, "popnn_ctc_infer_plan", "the data are int");
    popnn_ctc_infer_plan(graph, POP_FLOAT, 1, 4, 3, 0, POP_NO_OPTIONS);
    assert_error(graph, POP_POPLAR_ERROR, "popnn_ctc_infer_plan", "the beam width is 0; it must be from 1");
    popnn_ctc_infer_plan(graph, POP_FLOAT, 1, 4, 3, 2,
                         POP_OPTIONS({ "planConstraints", "{\"parallel\": {\"time\": 2}}" }));
    assert_error(graph, POP_INVALID_OPTION, "popnn_ctc_infer_plan",
                 "'parallel.time' is unknown; it takes JSON: {\"parallel\": {...}} with batch and classes");
    popnn_ctc_infer_plan(graph, POP_FLOAT, 1, 4, 3, 2,
                         POP_OPTIONS({ "planConstraints", "{\"parallel\": {\"classes\": 5}}" }));
    assert_error(graph, POP_INVALID_OPTION, "popnn_ctc_infer_plan", "no plan for 8 tiles");
    popnn_ctc_plan plan = popnn_ctc_infer_plan(graph, POP_FLOAT, 2, 4, 3, 2, POP_NO_OPTIONS),
                   loss = popnn_ctc_loss_plan(graph, POP_FLOAT, POP_FLOAT, 2, 4, 2, 3, POP_NO_OPTIONS);
    pop_tensor data = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(4, 2, 3), FIXTURE_LINEAR),
               lengths = fixture_input(&fixture, POP_UNSIGNED_INT, POP_SHAPE(2), FIXTURE_LINEAR);
    popnn_ctc_beam_search_logits(graph, data, lengths, fixture.program, 0, 2, 1, &loss, "s", POP_NO_OPTIONS);
    assert_error(graph, POP_POPLAR_ERROR, "popnn_ctc_beam_search_logits", "the plan is for something else");
    popnn_ctc_beam_search_logits(graph, data, lengths, fixture.program, 0, 3, 1, &plan, "s", POP_NO_OPTIONS);
    assert_error(graph, POP_POPLAR_ERROR, "popnn_ctc_beam_search_logits", "the plan is for 2 beams");
    popnn_ctc_beam_search_log_probabilities(graph, data, lengths, fixture.program, 0, 2, 3, &plan, "s", POP_NO_OPTIONS);
    assert_error(graph, POP_POPLAR_ERROR, "popnn_ctc_beam_search_log_probabilities", "3 paths of 2 beams");
    popnn_ctc_beam_search_log_probabilities(graph, data, data, fixture.program, 0, 2, 1, &plan, "s", POP_NO_OPTIONS);
    assert_error(graph, POP_TYPE_ERROR, "popnn_ctc_beam_search_log_probabilities", "data lengths has type float");
    popnn_ctc_infer_create_data_input(graph, POP_FLOAT, 2, 4, 3, &loss, "data");
    assert_error(graph, POP_POPLAR_ERROR, "popnn_ctc_infer_create_data_input", "popnn_ctc_infer_plan made is needed");
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_all_labels), cmocka_unit_test(test_paths),
                                        cmocka_unit_test(test_plan), cmocka_unit_test(mistakes_are_errors) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
