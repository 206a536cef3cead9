/* SPDX-License-Identifier: Apache-2.0 */
/* Distributes a tile's tasks over its workers and adds their vertices: a specialised vertex if a worker's share is one
 * regular piece, otherwise the general vertex. */
#include "popops/reduce/operations.h"
#include "popops/reduce/reduce.h"
#include "popops/reduce/reduce_parts.h"
#include "popops/reduce/reduce_types.h"

#include <assert.h>

/* A worker's part of a task: outputs [k, k + n). */
struct worker_share {
    const struct task *task;
    size_t k, n;
    unsigned worker;
    size_t cost;
};
struct worker_shares {
    struct worker_share *list;
    size_t count;
};

struct context {
    const struct reduction *r;
    const struct reduce_stage *stage;
    const struct reduce_pieces *pieces;
    unsigned tile;
};

/* ---- distribution over workers ---- */

/* The number of outputs that are not separated: those that a vertex processes at a time, and whole blocks. */
static size_t whole_outputs(const struct context *c, const struct task *task)
{
    size_t grain = reduce_grain(c->r->target, c->stage->op, c->stage->in);
    for (size_t i = 0; i < task->count; ++i) {
        const struct reduce_piece *p = &c->pieces->list[task->first + i];
        if (p->width != p->n)
            return p->width;
        if (c->stage->rows && p->rows > 1)
            return task->n;
        if (p->inner > 1)
            grain = 1;
    }
    return grain;
}

/* Order of distribution: ascending cost.  Equal shares are assigned to workers round-robin, others to the worker with
 * the smallest load so far. */
static int by_cost(const void *left, const void *right)
{
    const struct worker_share *a = left, *b = right;
    if (a->cost != b->cost)
        return a->cost < b->cost ? -1 : 1;
    return a->k < b->k ? -1 : a->k > b->k;
}
static bool are_equal(const struct worker_shares *shares)
{
    size_t low = SIZE_MAX, high = 0;
    for (size_t i = 0; i < shares->count; ++i) {
        low = poplibs_min(low, shares->list[i].cost);
        high = poplibs_max(high, shares->list[i].cost);
    }
    return !shares->count || high - low <= poplibs_max(8, high / 10);
}
static void assign(struct worker_shares *shares, unsigned workers)
{
    if (are_equal(shares)) {
        for (size_t i = 0; i < shares->count; ++i)
            shares->list[i].worker = (unsigned)(i * poplibs_min(workers, shares->count) / shares->count);
        return;
    }
    size_t *load = poplibs_zeros(workers, sizeof(*load));
    qsort(shares->list, shares->count, sizeof(*shares->list), by_cost);
    for (size_t i = 0; i < shares->count; ++i) {
        unsigned idlest = 0;
        for (unsigned w = 1; w < workers; ++w)
            idlest = load[w] < load[idlest] ? w : idlest;
        load[idlest] += shares->list[i].cost;
        shares->list[i].worker = idlest;
    }
    free(load);
}

static struct worker_shares share_out(const struct context *c, const struct tasks *tasks, unsigned workers)
{
    struct worker_shares shares = { poplibs_new(tasks->count + workers, sizeof(struct worker_share)), 0 };
    size_t *parts = poplibs_new(tasks->count, sizeof(*parts)),
           at_once = reduce_grain(c->r->target, c->stage->op, c->stage->out);
    reduce_allot(tasks, workers, parts);
    for (size_t i = 0; i < tasks->count; ++i) {
        const struct task *task = &tasks->list[i];
        size_t grain = task->whole ? task->n : whole_outputs(c, task), grains = poplibs_ceil_div(task->n, grain),
               count = poplibs_min(grains, parts[i]);
        for (size_t part = 0; part < count; ++part) {
            size_t from = part * grains / count * grain, to = poplibs_min(task->n, (part + 1) * grains / count * grain);
            assert(from < to && shares.count < tasks->count + workers);
            shares.list[shares.count++] = (struct worker_share){ task, task->k + from, to - from, 0,
                                                                 reduce_cost(to - from, task->depth, at_once, 1) };
        }
    }
    assign(&shares, workers);
    free(parts);
    return shares;
}

/* ---- vertices ---- */

/* Names of vertices are made so often that snprintf takes 1 % of the time of building a network. */
static void join(char *text, size_t size, const char *const *parts, size_t count)
{
    size_t at = 0;
    for (size_t i = 0; i < count; ++i)
        for (const char *from = parts[i]; *from && at + 1 < size; ++from)
            text[at++] = *from;
    text[at] = '\0';
}

static pop_vertex add_vertex(const struct context *c, unsigned form)
{
    const struct call *call = c->r->call;
    const struct reduce_stage *stage = c->stage;
    char name[128], digit[2] = { (char)('0' + form), '\0' };
    bool scaled = stage->last && pop_tensor_valid(c->r->scale);
    const char *const parts[] = { scaled ? "popops::ScaledReduce<" : "popops::Reduce<",
                                  popops_operation_vertex_name(stage->op),
                                  ",",
                                  pop_type_name(stage->in),
                                  ",",
                                  pop_type_name(stage->out),
                                  ",",
                                  stage->last && c->r->update ? "true" : "false",
                                  ",",
                                  digit,
                                  ">" };
    assert(form < 10);
    join(name, sizeof(name), parts, sizeof(parts) / sizeof(parts[0]));
    pop_vertex vertex = call_vertex(call, stage->set, name, c->tile);
    if (scaled)
        call_connect(call, vertex, "k", c->r->scale);
    return vertex;
}

static pop_tensor slice_of(const struct context *c, pop_tensor flat, size_t from, size_t count)
{
    const struct call *call = c->r->call;
    return pop_tensor_slice(flat, from, from + count, 0);
}
static pop_tensor output_of(const struct context *c, const struct worker_share *share)
{
    assert(share->k >= share->task->k && share->k + share->n <= share->task->k + share->task->n);
    return slice_of(c, c->stage->output, share->task->at + (share->k - share->task->k), share->n);
}
static void set_number(const struct context *c, pop_vertex vertex, const char *field, size_t number)
{
    const struct call *call = c->r->call;
    call_set(call, vertex, field, number);
}
static void connect(const struct context *c, pop_vertex vertex, const char *field, pop_tensor t)
{
    const struct call *call = c->r->call;
    call_connect(call, vertex, field, t);
}

/* Whether a strided vertex can reduce `outputs` outputs whose rows are stride elements apart. */
static bool is_strided(const struct context *c, size_t outputs, size_t stride)
{
    const struct reduce_stage *stage = c->stage;
    bool strided = reduce_operations[stage->op].strided, numbers = stage->in == POP_HALF || stage->in == POP_FLOAT;
    if (c->r->target->type == POP_TARGET_CPU || (outputs == 1 && stride == 1))
        return true;
    return strided && numbers && outputs * pop_type_size(stage->out) % 4 == 0 &&
           outputs * pop_type_size(stage->in) % 8 == 0 && stride * pop_type_size(stage->in) % 8 == 0;
}
static void connect_strided(const struct context *c, const struct worker_share *share, pop_tensor partials,
                            size_t width, size_t stride, size_t rows)
{
    const struct call *call = c->r->call;
    pop_vertex vertex = add_vertex(c, share->n == 1 && stride == 1 ? REDUCE_SINGLE_INPUT : REDUCE_STRIDED);
    pop_tensor out = output_of(c, share);
    connect(c, vertex, "partials", partials);
    if (share->n == 1 && stride == 1) {
        connect(c, vertex, "out", pop_tensor_at(out, 0));
        return;
    }
    connect(c, vertex, "out", out);
    set_number(c, vertex, "width", width);
    set_number(c, vertex, "stride", stride);
    set_number(c, vertex, "rows", rows);
}

/* Adds a specialised vertex for a share of one piece, if there is one for it. */
static bool connect_piece(const struct context *c, const struct worker_share *share)
{
    struct reduce_piece p = reduce_part(&c->pieces->list[share->task->first], share->k, share->n);
    size_t blocks = p.n / p.width;
    pop_tensor source = c->stage->sources[p.source];
    if (p.n == 1 && p.stride == p.inner) { /* a single contiguous run */
        p.rows *= p.inner;
        p.stride = p.inner = 1;
    }
    if (p.inner == 1 && !is_strided(c, p.width, p.rows > 1 ? p.stride : p.width))
        return false;
    if (p.inner == 1) {
        size_t span = blocks > 1 ? blocks * p.rows * p.stride : (p.rows - 1) * p.stride + p.width;
        connect_strided(c, share, slice_of(c, source, p.at, span), p.width, p.stride, p.rows);
        return true;
    }
    if (blocks > 1 || (p.rows > 1 && p.stride != p.width * p.inner))
        return false;
    pop_vertex vertex = add_vertex(c, REDUCE_CONTINUOUS);
    connect(c, vertex, "partials", slice_of(c, source, p.at, p.rows * p.width * p.inner));
    connect(c, vertex, "out", output_of(c, share));
    set_number(c, vertex, "inner", p.inner);
    return true;
}

/* ---- the general vertex ---- */

struct regions {
    struct tensor_vec out, partials;
    unsigned *num_partials; /* number of partial regions of each output */
    size_t capacity;        /* capacity of num_partials */
};
static void push_out(struct regions *regions, pop_tensor t)
{
    regions->num_partials = poplibs_grown(regions->num_partials, &regions->capacity, regions->out.count + 1,
                                          sizeof(*regions->num_partials));
    regions->num_partials[regions->out.count] = 0;
    *poplibs_push(&regions->out) = t;
}
static void push_partial(struct regions *regions, pop_tensor t)
{
    assert(regions->out.count); /* partials belong to the output before them */
    *poplibs_push(&regions->partials) = t;
    regions->num_partials[regions->out.count - 1]++;
}

/* Adds the regions of partials for one output region: one run if its rows are contiguous, otherwise one for each
 * row. */
static void push_rows(const struct context *c, const struct reduce_piece *p, struct regions *regions)
{
    size_t row = p->width * p->inner, rows = p->rows;
    if (p->stride == row) {
        row *= rows;
        rows = 1;
    }
    for (size_t i = 0; i < rows; ++i)
        push_partial(regions, slice_of(c, c->stage->sources[p->source], p->at + i * p->stride, row));
}

/* The number of outputs for which each piece has one region: a block of rows, or 1. */
static size_t step_of(const struct context *c, const struct worker_share *share)
{
    size_t step = 0;
    for (size_t i = 0; i < share->task->count; ++i) {
        const struct reduce_piece *p = &c->pieces->list[share->task->first + i];
        size_t width = p->inner > 1 ? 1 : p->width == p->n ? share->n : p->width;
        step = !step || step == width ? width : 1;
    }
    return step;
}

/* Adds a share whose pieces are rows of partial results: the rows are contiguous, on this tile or after the exchange,
 * and form one region. */
static void push_partials(const struct context *c, const struct worker_share *share, struct regions *regions)
{
    const struct call *call = c->r->call;
    size_t rows = share->task->count;
    pop_tensor *slices = poplibs_new(rows, sizeof(*slices));
    for (size_t i = 0; i < rows; ++i) {
        struct reduce_piece p = reduce_part(&c->pieces->list[share->task->first + i], share->k, share->n);
        slices[i] = slice_of(c, c->stage->sources[p.source], p.at, p.rows * p.n);
    }
    pop_tensor all = rows == 1 ? slices[0] : pop_tensor_concat((pop_tensors){ rows, slices }, 0);
    free(slices);
    if (is_strided(c, share->n, share->n)) {
        connect_strided(c, share, all, share->n, share->n, share->task->depth);
        return;
    }
    push_out(regions, output_of(c, share));
    push_partial(regions, all);
}

static void push_share(const struct context *c, const struct worker_share *share, struct regions *regions)
{
    size_t step = step_of(c, share);
    for (size_t k = share->k; k < share->k + share->n; k += step) {
        push_out(regions, output_of(c, &(struct worker_share){ .task = share->task, .k = k, .n = step }));
        for (size_t i = 0; i < share->task->count; ++i) {
            struct reduce_piece p = reduce_part_within(&c->pieces->list[share->task->first + i], k, step);
            push_rows(c, &p, regions);
        }
    }
}

static void connect_regions(const struct context *c, struct regions *regions)
{
    const struct call *call = c->r->call;
    pop_graph *graph = call->graph;
    if (regions->out.count) {
        pop_vertex vertex = add_vertex(c, REDUCE_DEFAULT);
        pop_graph_connect_list(graph, vertex, "out", tensors_of(&regions->out));
        pop_graph_connect_list(graph, vertex, "partials", tensors_of(&regions->partials));
        pop_graph_set_field_vector(graph, vertex, POP_FIELD("numPartials", POP_WHOLE), POP_UNSIGNED_INT,
                                   regions->num_partials, regions->out.count);
    }
    free(regions->out.list);
    free(regions->partials.list);
    free(regions->num_partials);
}

/* Relative costs of vertices, by which a worker's shares are assigned to specialised vertices or to the general one.  A
 * run of at least RUN_OF_... reductions always has its own vertex. */
enum { GENERAL = 16, IN_GENERAL = 2, SINGLE = 8, STRIDED = 10, RUN_OF_CONTINUOUS = 4, RUN_OF_STRIDED = 5 };

/* How a vertex would process a share. */
struct share_form {
    size_t reductions, cost; /* of a specialised vertex */
    bool special, run;
};
static struct share_form form_of_share(const struct context *c, const struct worker_share *share)
{
    const struct reduce_piece *first = &c->pieces->list[share->task->first];
    struct share_form look = { 1, STRIDED, share->task->count == 1, false };
    if (share->n == 1 || first->inner > 1) {
        look.reductions = share->n;
        look.cost = SINGLE;
        look.run = share->n >= RUN_OF_CONTINUOUS;
    } else if (first->width != first->n) {
        look.reductions = share->n / first->width;
        look.run = look.reductions >= RUN_OF_STRIDED;
    }
    return look;
}

/* Whether the worker's shares that are not runs get specialised vertices: if these cost no more than one general
 * vertex. */
static bool are_disjoint(const struct context *c, const struct worker_shares *shares, const size_t *own, size_t count)
{
    size_t apart = 0, together = GENERAL;
    for (size_t i = 0; i < count; ++i) {
        struct share_form look = form_of_share(c, &shares->list[own[i]]);
        if (look.special && look.run)
            continue;
        apart += look.special ? look.cost : GENERAL + IN_GENERAL * look.reductions;
        together += IN_GENERAL * look.reductions;
    }
    return apart <= together;
}

/* Whether a piece of partial results has its rows one after the other. */
static bool is_rows(const struct reduce_piece *p)
{
    return p->inner == 1 && (p->rows == 1 || p->stride == p->n);
}

static void connect_worker(const struct context *c, const struct worker_shares *shares, const size_t *own, size_t count)
{
    struct regions regions = { 0 };
    bool apart = count && are_disjoint(c, shares, own, count);
    for (size_t i = 0; i < count; ++i) {
        const struct worker_share *share = &shares->list[own[i]];
        struct share_form look = form_of_share(c, share);
        if (c->stage->rows && is_rows(&c->pieces->list[share->task->first]))
            push_partials(c, share, &regions);
        else if (!look.special || !(apart || look.run) || !connect_piece(c, share))
            push_share(c, share, &regions);
    }
    connect_regions(c, &regions);
}

void reduce_connect(const struct reduction *r, const struct reduce_stage *stage, unsigned tile,
                    const struct tasks *tasks, const struct reduce_pieces *pieces)
{
    struct context c = { r, stage, pieces, tile };
    unsigned workers = reduce_workers(r->target);
    pop_mark mark = pop_graph_mark(r->call->graph);
    struct worker_shares shares = share_out(&c, tasks, workers);
    size_t *own = poplibs_new(shares.count, sizeof(*own));
    for (unsigned w = 0; w < workers; ++w) {
        size_t count = 0;
        for (size_t i = 0; i < shares.count; ++i)
            if (shares.list[i].worker == w)
                own[count++] = i;
        connect_worker(&c, &shares, own, count);
    }
    free(own);
    free(shares.list);
    pop_graph_release(r->call->graph, mark);
}
