/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a layer: the descendants of a node of names, with their begin and end. */
#include "../nesting.h"
#include "trace.h"

enum { MAX_ROWS = 10000 };

struct row {
    double from, to, cycles, balance, active_balance;
    uint32_t step, label, active;
    uint8_t kind;
};

/* Nodes whose paths equal a name or are below it; parents precede children. */
static bool *nodes_below(const struct node *node, uint32_t nodes, const char *name)
{
    bool *below = mem_zero(nodes + 1, sizeof(*below));
    for (uint32_t i = 1; i < nodes; ++i) {
        char *path = node_path(node, i);
        below[i] = below[node[i].parent] || strcmp(path, name) == 0;
        free(path);
    }
    return below;
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

pop_status trace_layer(const struct request *request, struct answer *answer, pop_error *error)
{
    struct window window;
    if (!window_of(request, &window, error))
        return error->status;
    const struct lod *lod = window.lod;
    const struct nesting *nesting = NULL;
    if (strcmp(request_text(request, "tree", "names"), "programs") == 0 &&
        !(nesting = nesting_of(request, lod, error))) {
        window_free(&window);
        return error->status;
    }
    const struct node *node = nesting ? nesting->node : lod->node;
    uint32_t nodes = nesting ? nesting->nodes : lod->nodes;
    bool *below = nodes_below(node, nodes, request_text(request, "name", ""));
    VEC(struct row) rows = { 0 };
    struct labels labels = { 0 };
    double total = 0, cycles = 0;
    for (uint64_t i = lod_first_bucket(lod, window.ipu, window.from);
         i < lod->buckets && lod_bucket(lod, window.ipu, i)->begin <= window.to; ++i) {
        uint64_t first = i * BUCKET_STEPS, end = first + BUCKET_STEPS < lod->steps ? first + BUCKET_STEPS : lod->steps;
        for (uint64_t step = first; step < end; ++step) {
            double from, to;
            if (!below[nesting ? nesting->leaf[step] : lod->of_program[lod->program[step]].leaf] ||
                !lod_extent(lod, step, window.ipu, &from, &to) || from < window.from || to > window.to ||
                window_hides(&window, lod_kind(lod, step)))
                continue;
            const struct figure *figure = lod_figure(lod, step, window.ipu);
            double longest = (double)figure->cycles, sum = (double)figure->sum;
            total += 1;
            cycles += longest;
            if (rows.count < MAX_ROWS)
                *vec_push(&rows) = (struct row){ from,
                                                 to,
                                                 longest,
                                                 share(sum, longest * lod->tiles_per_ipu),
                                                 share(sum, longest * (double)figure->active),
                                                 (uint32_t)step,
                                                 labels_of(&labels, lod, lod->of_program[lod->program[step]].leaf),
                                                 (uint32_t)figure->active,
                                                 lod_kind(lod, step) };
        }
    }
    size_t count = rows.count;
    double *figures = mem_zero(count * 5 + 1, sizeof(*figures));
    uint32_t *numbers = mem_zero(count * 3 + 1, sizeof(*numbers));
    uint8_t *kind = mem_zero(count + 1, 1);
    for (size_t i = 0; i < count; ++i) {
        const struct row *row = &rows.data[i];
        const double values[] = { row->from, row->to, row->cycles, row->balance, row->active_balance };
        for (size_t k = 0; k < 5; ++k)
            figures[k * count + i] = values[k];
        numbers[i] = row->step;
        numbers[count + i] = row->label;
        numbers[2 * count + i] = row->active;
        kind[i] = row->kind;
    }
    static const char *const names[] = { "from", "to", "cycles", "balance", "activeBalance" };
    for (size_t k = 0; k < 5; ++k)
        answer_column(answer, names[k], COLUMN_F64, figures + k * count, count);
    answer_column(answer, "step", COLUMN_U32, numbers, count);
    answer_column(answer, "label", COLUMN_U32, numbers + count, count);
    answer_column(answer, "activeTiles", COLUMN_U32, numbers + 2 * count, count);
    answer_column(answer, "kind", COLUMN_U8, kind, count);
    labels_answer(&labels, answer, "labels");
    answer_meta(answer, json_pack("{s:f, s:f}", "steps", total, "cycles", cycles));
    free(figures);
    free(numbers);
    free(kind);
    free(below);
    vec_free(&rows);
    window_free(&window);
    return POP_OK;
}
