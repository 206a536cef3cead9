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

static const struct row_column columns[] = {
    { "from", COLUMN_F64, offsetof(struct row, from) },
    { "to", COLUMN_F64, offsetof(struct row, to) },
    { "cycles", COLUMN_F64, offsetof(struct row, cycles) },
    { "balance", COLUMN_F64, offsetof(struct row, balance) },
    { "activeBalance", COLUMN_F64, offsetof(struct row, active_balance) },
    { "step", COLUMN_U32, offsetof(struct row, step) },
    { "label", COLUMN_U32, offsetof(struct row, label) },
    { "activeTiles", COLUMN_U32, offsetof(struct row, active) },
    { "kind", COLUMN_U8, offsetof(struct row, kind) },
};

/* The layer's steps in the window: rows of the first MAX_ROWS, counts and cycles of all. */
struct found {
    VEC(struct row) rows;
    struct labels labels;
    double total, cycles;
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

/* Adds a step if it is whole in the window and not hidden. */
static void add_step(struct found *found, const struct window *window, uint64_t step)
{
    const struct lod *lod = window->lod;
    double from, to;
    if (!lod_extent(lod, step, window->ipu, &from, &to) || from < window->from || to > window->to ||
        window_hides(window, lod_kind(lod, step)))
        return;
    const struct figure *figure = lod_figure(lod, step, window->ipu);
    double longest = (double)figure->cycles, sum = (double)figure->sum;
    found->total += 1;
    found->cycles += longest;
    if (found->rows.count == MAX_ROWS)
        return;
    *vec_push(&found->rows) = (struct row){
        .from = from,
        .to = to,
        .cycles = longest,
        .balance = share(sum, longest * lod->tiles_per_ipu),
        .active_balance = share(sum, longest * (double)figure->active),
        .step = (uint32_t)step,
        .label = labels_of(&found->labels, lod, lod->of_program[lod->program[step]].leaf),
        .active = (uint32_t)figure->active,
        .kind = lod_kind(lod, step),
    };
}

/* Adds the steps whose node in nesting, or else in the tree of names, is in the layer. */
static void add_steps(struct found *found, const struct window *window, const struct nesting *nesting,
                      const bool *below)
{
    const struct lod *lod = window->lod;
    for (uint64_t i = lod_first_bucket(lod, window->ipu, window->from);
         i < lod->buckets && lod_bucket(lod, window->ipu, i)->begin <= window->to; ++i) {
        uint64_t first = i * BUCKET_STEPS, end = first + BUCKET_STEPS < lod->steps ? first + BUCKET_STEPS : lod->steps;
        for (uint64_t step = first; step < end; ++step) {
            if (below[nesting ? nesting->leaf[step] : lod->of_program[lod->program[step]].leaf])
                add_step(found, window, step);
        }
    }
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
    bool *below = nodes_below(nesting ? nesting->node : lod->node, nesting ? nesting->nodes : lod->nodes,
                              request_text(request, "name", ""));
    struct found found = { 0 };
    add_steps(&found, &window, nesting, below);
    answer_rows(answer, found.rows.data, found.rows.count, sizeof(struct row), columns,
                sizeof(columns) / sizeof(*columns));
    labels_answer(&found.labels, answer, "labels");
    answer_meta(answer, json_pack("{s:f, s:f}", "steps", found.total, "cycles", found.cycles));
    free(below);
    vec_free(&found.rows);
    window_free(&window);
    return POP_OK;
}
