/* SPDX-License-Identifier: Apache-2.0 */
/* Flame graphs aggregated by debug path, and differences of two reports as a flame graph and as a table. */
#include "../elapsed.h"
#include "../paths.h"

#include "base/mem.h"

#include <string.h>

static const struct metric *find_metric(const char *id, pop_error *error)
{
    char allowed[256] = "";
    for (size_t i = 0; i < flame_metric_count; ++i) {
        if (strcmp(flame_metrics[i].id, id) == 0)
            return &flame_metrics[i];
        strncat(allowed, i ? ", " : "", sizeof(allowed) - strlen(allowed) - 1);
        strncat(allowed, flame_metrics[i].id, sizeof(allowed) - strlen(allowed) - 1);
    }
    answer_fail(error, POP_INVALID_OPTION, "metric is '%.40s' (allowed: %s)", id, allowed);
    return NULL;
}

static json_t *metrics_json(const struct metric *chosen)
{
    json_t *list = json_array();
    for (size_t i = 0; i < flame_metric_count; ++i)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "id", flame_metrics[i].id, "what",
                                              flame_metrics[i].what, "unit", flame_metrics[i].unit));
    return json_pack("{s:s, s:s, s:s, s:o}", "metric", chosen->id, "what", chosen->what, "unit", chosen->unit,
                     "metrics", list);
}

/* Without a requested metric, reads the first one for which the report has figures; without execution these are
 * estimates. */
static pop_status read_any(struct analyser_report *report, const struct metric **metric, struct figures *figures,
                           pop_error *error)
{
    pop_status status = POP_OK;
    for (size_t i = 0; i < flame_metric_count && status == POP_OK && !figures->count; ++i) {
        *metric = &flame_metrics[i];
        status = figures_read(report->file, *metric, figures, error);
    }
    return status;
}

pop_status api_flame_tree(const struct request *request, struct answer *answer, pop_error *error)
{
    const char *wanted = request_text(request, "metric", "");
    const struct metric *metric = *wanted ? find_metric(wanted, error) : NULL;
    struct analyser_report *report = *wanted && !metric ? NULL : request_report(request, error);
    if (!report)
        return error->status;
    struct figures figures = { 0 };
    pop_status status =
        metric ? figures_read(report->file, metric, &figures, error) : read_any(report, &metric, &figures, error);
    if (status == POP_OK) {
        paths_answer(answer, &figures, false);
        answer_meta(answer, metrics_json(metric));
    }
    figures_free(&figures);
    return status;
}

static pop_status read_compared(struct analyser_report *report, struct figures *figures, pop_error *error)
{
    const struct elapsed *elapsed = elapsed_of(report, error);
    return elapsed ? figures_compared(report->file, elapsed, figures, error) : error->status;
}

/* Merges the figures of both reports into one list: those of a metric, or all that `pva compare` prints (NULL). */
static pop_status read_both(const struct request *request, const struct metric *metric, struct figures *all,
                            pop_error *error)
{
    struct figures each[2] = { { 0 }, { 0 } };
    pop_status status = POP_OK;
    for (unsigned k = 0; k < 2 && status == POP_OK; ++k) {
        struct analyser_report *report = request_report_at(request, k, error);
        status = report ? POP_OK : error->status;
        if (status == POP_OK)
            status =
                metric ? figures_read(report->file, metric, &each[k], error) : read_compared(report, &each[k], error);
    }
    if (status == POP_OK)
        *all = figures_merge(&each[0], &each[1]);
    figures_free(&each[0]);
    figures_free(&each[1]);
    return status;
}

pop_status api_difference_flame(const struct request *request, struct answer *answer, pop_error *error)
{
    const struct metric *metric = find_metric(request_text(request, "metric", "elapsed"), error);
    struct figures all = { 0 };
    if (!metric || read_both(request, metric, &all, error) != POP_OK)
        return error->status;
    paths_answer(answer, &all, true);
    answer_meta(answer, metrics_json(metric));
    figures_free(&all);
    return POP_OK;
}

/* The output of `pva compare`: totals, then differences. */
pop_status api_difference_table(const struct request *request, struct answer *answer, pop_error *error)
{
    struct figures all = { 0 };
    if (read_both(request, NULL, &all, error) != POP_OK)
        return error->status;
    figures_changed(&all);
    const char **texts = mem_zero(5 * all.count + 1, sizeof(*texts));
    double *numbers = mem_zero(4 * all.count + 1, sizeof(*numbers));
    for (size_t i = 0; i < all.count; ++i) {
        const struct figure *f = &all.data[i];
        texts[i] = f->metric->what;
        texts[all.count + i] = f->path;
        texts[2 * all.count + i] = f->metric->unit;
        texts[3 * all.count + i] = figure_change(f);
        texts[4 * all.count + i] = f->metric->basis;
        numbers[i] = f->a;
        numbers[all.count + i] = f->b;
        numbers[2 * all.count + i] = f->b - f->a;
        numbers[3 * all.count + i] = figure_percent(f);
    }
    static const char *const text_names[] = { "what", "path", "unit", "change", "basis" }, *const number_names[] = {
        "a", "b", "difference", "percent"
    };
    for (size_t k = 0; k < 5; ++k)
        answer_texts(answer, text_names[k], texts + k * all.count, all.count);
    for (size_t k = 0; k < 4; ++k)
        answer_column(answer, number_names[k], COLUMN_F64, numbers + k * all.count, all.count);
    free(texts);
    free(numbers);
    figures_free(&all);
    return POP_OK;
}
