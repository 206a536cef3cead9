/* SPDX-License-Identifier: Apache-2.0 */
/* Random choices, bases, snapshots and operations of a world. */
#include "fuzz.h"

#include <stdarg.h>

uint64_t fuzz_next(struct world *w)
{
    uint64_t x = w->random += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}
size_t any_extent(struct world *w)
{
    static const size_t special[] = { 1, 2, 4, 8, 11, 13, 16, 17, 31, 32, 33, 37, 64, 67, 101 };
    if (chance(w, 3))
        return 0;
    return chance(w, 65) ? between(w, 1, 9) : special[below(w, sizeof(special) / sizeof(special[0]))];
}
pop_type any_real(struct world *w)
{
    return chance(w, 50) ? POP_HALF : POP_FLOAT;
}
size_t product(const size_t *dims, size_t rank)
{
    size_t n = 1;
    for (size_t i = 0; i < rank; ++i)
        n *= dims[i];
    return n;
}
double rounded_to(pop_type type, double value)
{
    uint64_t device = 0;
    pop_convert(POP_DOUBLE, &value, type, &device, 1);
    pop_convert(type, &device, POP_DOUBLE, &value, 1);
    return value;
}

/* ---- bases ---- */
void scatter(struct world *w, pop_tensor t)
{
    pop_tensor flat = pop_tensor_flatten(t);
    size_t count = pop_tensor_num_elements(t);
    size_t way = below(w, 5), share = (count + w->tiles - 1) / w->tiles, grain = between(w, 1, way == 4 ? 200 : 9);
    if (way == 0)
        pop_graph_set_tile_mapping(w->graph, t, (unsigned)below(w, w->tiles));
    else if (way <= 2)
        for (size_t at = 0; at < count; at += share)
            pop_graph_set_tile_mapping(w->graph, pop_tensor_slice(flat, at, at + share < count ? at + share : count, 0),
                                       (unsigned)(at / share));
    else
        for (size_t at = 0; at < count;) {
            size_t next = at + between(w, 1, grain);
            next = next < count ? next : count;
            pop_graph_set_tile_mapping(w->graph, pop_tensor_slice(flat, at, next, 0), (unsigned)below(w, w->tiles));
            at = next;
        }
    if (!count)
        pop_graph_set_tile_mapping(w->graph, t, 0);
}
static bool is_tame(const double *values, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (!(fabs(values[i]) <= 300))
            return false;
    return true;
}
static int take_snapshot(struct world *w, int base)
{
    struct base *b = &w->bases[base];
    int s = (int)w->num_snapshots++;
    struct snapshot *snap = &w->snapshots[s];
    snap->base = base;
    snap->guess = malloc(b->count * sizeof(double) + 1);
    memcpy(snap->guess, b->guess, b->count * sizeof(double));
    snap->tensor = (pop_tensor){ 0 };
    b->snapshot = s;
    if (w->watched && b->count) {
        snap->tensor = pop_graph_add_variable(w->graph, b->type, ((pop_shape){ b->rank, b->dims }), "snapshot");
        size_t share = (b->count + w->tiles - 1) / w->tiles;
        pop_tensor flat = pop_tensor_flatten(snap->tensor);
        for (size_t at = 0; at < b->count; at += share)
            pop_graph_set_tile_mapping(w->graph,
                                       pop_tensor_slice(flat, at, at + share < b->count ? at + share : b->count, 0),
                                       (unsigned)(at / share));
        pop_sequence_add(w->program, pop_copy(b->tensor, snap->tensor, false, "snapshot"));
    }
    return s;
}
static int add_base(struct world *w, pop_tensor t)
{
    if (w->num_bases == MAX_BASES)
        abort();
    int at = (int)w->num_bases++;
    struct base *b = &w->bases[at];
    *b = (struct base){ .tensor = t,
                        .type = pop_tensor_type(t),
                        .rank = pop_tensor_rank(t),
                        .count = pop_tensor_num_elements(t),
                        .snapshot = -1 };
    pop_tensor_shape(t, b->dims, MAX_DIMS);
    b->guess = calloc(b->count + 1, sizeof(double));
    return at;
}
/* Replaces some of an input's elements by rare values. */
static void add_extremes(struct world *w, struct base *b)
{
    static const double reals[] = { INFINITY, -INFINITY, NAN,    -0.0,    0.0,   65504, -65504, 6e-8,
                                    -1e-7,    1e-30,     3.4e38, -3.4e38, 1e-40, 2049,  100001 };
    static const double ints[] = {
        -2147483648.0, 2147483647.0, -2147483647.0, 1073741824.0, 65536, 16777217, -16777217, 0, -1
    };
    static const double naturals[] = { 4294967295.0, 2147483648.0, 2147483647.0, 65536, 16777217, 0 };
    bool real = pop_type_is_floating_point(b->type);
    if (!real && b->type != POP_INT && b->type != POP_UNSIGNED_INT)
        return;
    unsigned percent = chance(w, 50) ? 5 : 40;
    for (size_t i = 0; i < b->count; ++i)
        if (chance(w, percent)) {
            double x = real ? reals[below(w, 15)] : b->type == POP_INT ? ints[below(w, 9)] : naturals[below(w, 6)];
            if (b->type == POP_HALF && fabs(x) > 65504 && !isinf(x))
                x = 1;
            b->guess[i] = b->written[i] = rounded_to(b->type, x);
        }
}
int adopt_input(struct world *w, pop_tensor t, double low, double high)
{
    int at = add_base(w, t);
    struct base *b = &w->bases[at];
    b->written = malloc(b->count * sizeof(double) + 1);
    bool real = pop_type_is_floating_point(b->type);
    bool few = chance(w, 20); /* few different values: ties */
    for (size_t i = 0; i < b->count; ++i) {
        double x = real_between(w, low, high);
        if (b->type == POP_BOOL)
            x = chance(w, 50);
        else if (!real || few)
            x = floor(x);
        if (x < low)
            x = low;
        b->guess[i] = b->written[i] = rounded_to(b->type, x);
    }
    if (w->extremes && chance(w, 25) && low < 0 + (b->type == POP_UNSIGNED_INT))
        add_extremes(w, b);
    b->tame = is_tame(b->guess, b->count);
    take_snapshot(w, at);
    return at;
}
int new_input(struct world *w, pop_type type, const size_t *dims, size_t rank, double low, double high)
{
    pop_tensor t = pop_graph_add_variable(w->graph, type, ((pop_shape){ rank, dims }), "input");
    scatter(w, t);
    return adopt_input(w, t, low, high);
}

/* ---- operations ---- */
struct operation *op_begin(struct world *w, const char *name, pop_program *sequence)
{
    if (w->num_ops == MAX_OPERATIONS)
        abort();
    struct operation *op = &w->ops[w->num_ops++];
    *op = (struct operation){ .name = name };
    *sequence = pop_sequence(w->graph, name);
    op_describe(op, "%s", name);
    return op;
}
void op_drop(struct world *w, struct operation *op)
{
    if (op == &w->ops[w->num_ops - 1])
        --w->num_ops;
}
void op_describe(struct operation *op, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    size_t at = strlen(op->text);
    vsnprintf(op->text + at, sizeof(op->text) - at, format, list);
    va_end(list);
}
const char *shape_text(char *buffer, const struct view *v)
{
    char *at = buffer + sprintf(buffer, "%s{", pop_type_name(v->type));
    for (size_t i = 0; i < v->rank; ++i)
        at += sprintf(at, i ? ",%zu" : "%zu", v->dims[i]);
    sprintf(at, "}#%d%s", v->base, view_alters(v) ? "" : "a");
    return buffer;
}
struct view op_reads(struct world *w, struct operation *op, struct view v)
{
    char buffer[300];
    (void)w;
    if (op->ins == MAX_IN)
        abort();
    op->in[op->ins++] = v;
    op_describe(op, " %s", shape_text(buffer, &v));
    return v;
}
void op_makes(struct world *w, struct operation *op, pop_tensor out)
{
    char buffer[300];
    if (!pop_tensor_valid(out)) {
        const pop_error *error = pop_graph_error(w->graph);
        snprintf(w->failure, sizeof(w->failure), "op %zu: no result: %s: %s\n  %s", w->num_ops - 1,
                 error ? error->api : "", error ? error->text : "no error recorded", op->text);
        return;
    }
    int base = add_base(w, out);
    struct written *o = &op->out[op->outs++];
    o->before = -1;
    o->view = whole(w, base);
    op_describe(op, " -> %s", shape_text(buffer, &o->view));
}
void op_writes(struct world *w, struct operation *op, struct view v)
{
    char buffer[300];
    struct written *o = &op->out[op->outs++];
    o->view = v;
    o->before = w->bases[v.base].snapshot;
    op_describe(op, " => %s", shape_text(buffer, &v));
}

static pop_program wrapped(struct world *w, pop_program sequence, int wrap)
{
    switch (below(w, 10)) {
    case 0:
        return pop_repeat(wrap == 2 ? (unsigned)between(w, 1, 3) : 1, sequence, "loop");
    case 1:
        return pop_call(pop_graph_add_function(w->graph, sequence), "call");
    case 2: {
        int yes = new_input(w, POP_BOOL, NULL, 0, 0, 1);
        bool is = w->bases[yes].written[0] != 0;
        pop_program nothing = pop_sequence(w->graph, "nothing");
        return is ? pop_if(w->bases[yes].tensor, sequence, nothing, "if")
                  : pop_if(w->bases[yes].tensor, nothing, sequence, "if");
    }
    case 3: {
        int which = new_input(w, POP_INT, NULL, 0, -2, 3);
        pop_program it = pop_switch(w->bases[which].tensor, "switch");
        pop_switch_add(it, (int)w->bases[which].written[0], sequence);
        pop_switch_add(it, (int)w->bases[which].written[0] + 1, pop_sequence(w->graph, "other"));
        return it;
    }
    case 4:
        if (wrap == 2) {
            pop_program call = pop_call(pop_graph_add_function(w->graph, sequence), "call"),
                        both = pop_sequence(w->graph, "twice");
            pop_sequence_add(both, call);
            pop_sequence_add(both, call);
            return both;
        }
    }
    return sequence;
}
static void expect_of(const struct operation *op, size_t k, struct expected *e)
{
    const struct view *v = &op->out[k].view;
    *e = (struct expected){ .count = v->count };
    e->value = calloc(v->count + 1, sizeof(double));
    e->magnitude = calloc(v->count + 1, sizeof(double));
    for (size_t i = 0; i < v->count; ++i)
        e->magnitude[i] = -1; /* that of the value */
    e->relative = v->type == POP_HALF ? 1.0e-3 : v->type == POP_FLOAT ? 1.2e-6 : 0;
    e->absolute = v->type == POP_HALF ? 6.1e-8 : v->type == POP_FLOAT ? 1e-37 : 0;
}
void evaluate(const struct operation *op, double *const *snapshots, struct expected *out)
{
    double *in[MAX_IN];
    for (size_t i = 0; i < op->ins; ++i) {
        in[i] = malloc(op->in[i].count * sizeof(double) + 1);
        for (size_t k = 0; k < op->in[i].count; ++k)
            in[i][k] = snapshots[op->in[i].snapshot][op->in[i].index[k]];
    }
    for (size_t k = 0; k < op->outs; ++k)
        expect_of(op, k, &out[k]);
    op->reference(op, in, out);
    for (size_t k = 0; k < op->outs; ++k)
        for (size_t i = 0; i < out[k].count; ++i)
            if (out[k].magnitude[i] < 0)
                out[k].magnitude[i] = isfinite(out[k].value[i]) ? fabs(out[k].value[i]) : 0;
    for (size_t i = 0; i < op->ins; ++i)
        free(in[i]);
}
void op_end(struct world *w, struct operation *op, pop_program sequence, int wrap)
{
    const pop_error *error = pop_graph_error(w->graph);
    if (w->failure[0])
        return;
    if (error) {
        snprintf(w->failure, sizeof(w->failure), "op %zu: error: %s: %s\n  %s", w->num_ops - 1, error->api, error->text,
                 op->text);
        return;
    }
    pop_sequence_add(w->program, wrap ? wrapped(w, sequence, wrap) : sequence);
    double *guesses[MAX_SNAPSHOTS];
    struct expected out[MAX_OUT];
    for (size_t i = 0; i < w->num_snapshots; ++i)
        guesses[i] = w->snapshots[i].guess;
    evaluate(op, guesses, out);
    for (size_t k = 0; k < op->outs; ++k) {
        struct view *v = &op->out[k].view;
        struct base *b = &w->bases[v->base];
        for (size_t i = 0; i < v->count; ++i)
            b->wild = b->wild || isinf(out[k].magnitude[i]);
        for (size_t i = 0; i < v->count; ++i)
            b->guess[v->index[i]] = rounded_to(b->type, isinf(out[k].magnitude[i]) ? NAN : out[k].value[i]);
        free(out[k].value);
        free(out[k].magnitude);
        b->tame = !b->wild && is_tame(b->guess, b->count);
    }
    for (size_t k = 0; k < op->outs; ++k)
        op->out[k].after = take_snapshot(w, op->out[k].view.base);
    if (w->verbose)
        printf("  %zu: %s\n", w->num_ops - 1, op->text), fflush(stdout);
}
