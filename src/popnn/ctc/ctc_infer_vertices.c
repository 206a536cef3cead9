/* SPDX-License-Identifier: Apache-2.0 */
/* The beam search of one entry of the batch; each call is one time step. popnn::CTCExtendBeams<in>: the best extensions
 * of labels by one symbol of a partition of the classes. popnn::CTCSelectBeams: the best of these and of the unchanged
 * beams. popnn::CTCBeamLabels<in>: the labels of the best beams at the end.
 *
 * Beams are rows of {2, beams}, sorted by decreasing probability: step t uses row t % 2 and writes the other.  A beam
 * has the probability of its alignments that end with a blank (pb) and of the others (pnb).  Its label is stored as a
 * chain: parent {time, beams} is the beam of the previous step, addend the appended symbol, or none.  prefix is the
 * beam, if any, whose label is this beam's label without its last symbol: extended by that symbol it gives the same
 * label, so the probabilities are added. */
#ifdef __POPC__
#include "poplibs/typed.h"
#include "popnn/ctc/ctc_places.h"

#include <poplar/vertex.h>

enum { NONE = 0xffffffffu }; /* no symbol, no beam */

static const float NO_PATH = -65504; /* the probability of a missing path: the lowest number of half */

/* ---- extension by one symbol ---- */

struct found_beam {
    float *values;
    unsigned *beams, *symbols;
    unsigned count, size;
};
/* Order of the sorted list: by value, then by beam, then by symbol, which is the order of insertion. */
static inline bool is_before(const struct found_beam *f, unsigned at, float value, unsigned beam, unsigned symbol)
{
    if (f->values[at] != value)
        return f->values[at] > value;
    return f->beams[at] != beam ? f->beams[at] < beam : f->symbols[at] < symbol;
}
static inline void offer(struct found_beam *f, float value, unsigned beam, unsigned symbol)
{
    unsigned at = f->count;
    if (value == LOG_ZERO || (at == f->size && is_before(f, at - 1, value, beam, symbol)))
        return;
    f->count += at < f->size;
    for (at = f->count - 1; at && !is_before(f, at - 1, value, beam, symbol); --at) {
        f->values[at] = f->values[at - 1];
        f->beams[at] = f->beams[at - 1];
        f->symbols[at] = f->symbols[at - 1];
    }
    f->values[at] = value;
    f->beams[at] = beam;
    f->symbols[at] = symbol;
}
/* Whether a beam extended by a symbol is already a beam. */
static inline bool is_there(const unsigned *prefix, const unsigned *last, unsigned beams, unsigned beam,
                            unsigned symbol)
{
    for (unsigned i = 0; i < beams; ++i)
        if (prefix[i] == beam && last[i] == symbol)
            return true;
    return false;
}

#define IN float
#include "popnn/ctc/ctc_infer_kinds.h"
#undef IN
#define IN half
#include "popnn/ctc/ctc_infer_kinds.h"
#undef IN

/* ---- selection ---- */

POP_VERTEX(Select)
{
    POP_INPUT(POP_VECTOR(float, ONE_PTR)) values; /* {partitions, beams} */
    POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) beams;
    POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) symbols;
    POP_INPUT(POP_VECTOR(float, ONE_PTR)) lastProbabilities;
    POP_INPUT(POP_VECTOR(float)) blankProbabilities; /* {partitions} */
    POP_INOUT(POP_VECTOR(float, ONE_PTR)) pb;
    POP_INOUT(POP_VECTOR(float, ONE_PTR)) pnb;
    POP_INOUT(POP_VECTOR(float)) total;
    POP_INOUT(POP_VECTOR(unsigned, ONE_PTR)) last;
    POP_INOUT(POP_VECTOR(unsigned, ONE_PTR)) prefix;
    POP_INOUT(POP_VECTOR(unsigned, ONE_PTR)) length;
    POP_INOUT(POP_VECTOR(unsigned, ONE_PTR)) hash;       /* of the label */
    POP_INOUT(POP_VECTOR(unsigned, ONE_PTR)) prefixHash; /* of the label without its last symbol */
    POP_INOUT(POP_VECTOR(unsigned, ONE_PTR)) parent;
    POP_INOUT(POP_VECTOR(unsigned, ONE_PTR)) addend;
    POP_INPUT(unsigned) validTime;
    POP_INOUT(unsigned) count;
    unsigned maxTime;
};
POP_VERTEX_NAME(Select, "popnn::CTCSelectBeams");

/* The rows of one step: current and next. */
struct rows {
    const Select *v;
    unsigned size, now, next, step; /* now and next are offsets of rows */
    unsigned found;
};

/* Inserts into the next row, sorted; among equals unchanged beams come first, then in order of insertion. */
static void keep(struct rows *r, float pb, float pnb, unsigned beam, unsigned symbol)
{
    const Select *v = r->v;
    float sum = log_add(pb, pnb), *total = v->total.data + r->next;
    unsigned *parent = v->parent.data + (size_t)r->step * r->size, *addend = v->addend.data + (size_t)r->step * r->size;
    unsigned at = r->found;
    if (sum == LOG_ZERO || (at == r->size && total[at - 1] >= sum))
        return;
    r->found += at < r->size;
    for (at = r->found - 1; at && total[at - 1] < sum; --at) {
        total[at] = total[at - 1];
        v->pb.data[r->next + at] = v->pb.data[r->next + at - 1];
        v->pnb.data[r->next + at] = v->pnb.data[r->next + at - 1];
        parent[at] = parent[at - 1];
        addend[at] = addend[at - 1];
    }
    total[at] = sum;
    v->pb.data[r->next + at] = pb;
    v->pnb.data[r->next + at] = pnb;
    parent[at] = beam;
    addend[at] = symbol;
}

/* An unchanged beam: its probability followed by a blank, by its last symbol again, and from its prefix followed by
 * that symbol. */
static void keep_beam(struct rows *r, unsigned beam, float blank)
{
    const Select *v = r->v;
    unsigned at = r->now + beam, prefix = v->prefix.data[at];
    if (v->total.data[at] == LOG_ZERO)
        return;
    float last = LOG_ZERO;
    for (unsigned part = 0; part < v->blankProbabilities.size; ++part)
        if (v->lastProbabilities.data[part * r->size + beam] > last)
            last = v->lastProbabilities.data[part * r->size + beam];
    float pnb = v->pnb.data[at] + last;
    if (prefix != NONE) {
        bool again = v->last.data[r->now + prefix] == v->last.data[at];
        pnb = log_add(pnb, (again ? v->pb.data : v->total.data)[r->now + prefix] + last);
    }
    keep(r, v->total.data[at] + blank, pnb, beam, NONE);
}

/* Returns the last symbol of a chain and moves to the symbol before it; NONE at the beginning. */
static unsigned symbol_before(const struct rows *r, unsigned *step, unsigned *beam)
{
    const Select *v = r->v;
    while (*step) {
        size_t at = (size_t)(*step - 1) * r->size + *beam;
        --*step;
        *beam = v->parent.data[at];
        if (v->addend.data[at] != NONE)
            return v->addend.data[at];
    }
    return NONE;
}
static bool is_prefix(const struct rows *r, unsigned prefix, unsigned beam)
{
    const Select *v = r->v;
    if (v->hash.data[r->next + prefix] != v->prefixHash.data[r->next + beam] ||
        v->length.data[r->next + prefix] + 1 != v->length.data[r->next + beam])
        return false;
    unsigned steps[2] = { r->step + 1, r->step + 1 }, at[2] = { prefix, beam }, symbol;
    symbol_before(r, &steps[1], &at[1]);
    do {
        symbol = symbol_before(r, &steps[0], &at[0]);
        if (symbol != symbol_before(r, &steps[1], &at[1]))
            return false;
    } while (symbol != NONE);
    return true;
}

/* Computes the attributes of the next row's beams from their parents. */
static void describe(const struct rows *r)
{
    const Select *v = r->v;
    for (unsigned i = 0; i < r->size; ++i) {
        size_t chain = (size_t)r->step * r->size + i, to = r->next + i, from = r->now;
        if (i >= r->found) { /* fewer labels than beams */
            v->total.data[to] = v->pb.data[to] = v->pnb.data[to] = LOG_ZERO;
            v->parent.data[chain] = 0;
            v->addend.data[chain] = NONE;
        }
        from += v->parent.data[chain];
        unsigned symbol = v->addend.data[chain];
        v->last.data[to] = symbol == NONE ? v->last.data[from] : symbol;
        v->length.data[to] = v->length.data[from] + (symbol != NONE);
        v->hash.data[to] = symbol == NONE ? v->hash.data[from] : (v->hash.data[from] ^ symbol) * 16777619u + 1;
        v->prefixHash.data[to] = symbol == NONE ? v->prefixHash.data[from] : v->hash.data[from];
    }
    for (unsigned i = 0; i < r->size; ++i) {
        unsigned *prefix = v->prefix.data + r->next + i;
        *prefix = NONE;
        for (unsigned k = 0; k < r->found && i < r->found && *prefix == NONE; ++k)
            if (k != i && is_prefix(r, k, i))
                *prefix = k;
    }
}

void Select_compute(Select *v)
{
    unsigned step = (*v->count)++, size = (unsigned)v->total.size / 2;
    if (step >= *v->validTime || step >= v->maxTime)
        return;
    struct rows rows = { v, size, step % 2 * size, (step + 1) % 2 * size, step, 0 };
    float blank = LOG_ZERO;
    for (unsigned part = 0; part < v->blankProbabilities.size; ++part)
        if (v->blankProbabilities.data[part] > blank)
            blank = v->blankProbabilities.data[part];
    for (unsigned beam = 0; beam < size; ++beam)
        keep_beam(&rows, beam, blank);
    for (unsigned i = 0; i < v->blankProbabilities.size * size; ++i)
        if (v->values.data[i] != LOG_ZERO)
            keep(&rows, LOG_ZERO, v->values.data[i], v->beams.data[i], v->symbols.data[i]);
    describe(&rows);
}

#else
#include "popnn/ctc/ctc_beams.h"
#include "popnn/support.h"
#include "popnn/vertices.h"

static pop_perf estimate_extend(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    return (pop_perf){ ctc_extend_cycles(pop_vertex_view_field_size(vertex, "values", POP_WHOLE),
                                         (uint64_t)pop_vertex_view_field_value(vertex, "classes", 0)),
                       0 };
}
static pop_perf estimate_select(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    return (pop_perf){ ctc_select_cycles(pop_vertex_view_field_size(vertex, "total", POP_WHOLE) / 2,
                                         pop_vertex_view_field_size(vertex, "blankProbabilities", POP_WHOLE)),
                       0 };
}
static pop_perf estimate_labels(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    return (pop_perf){ ctc_label_cycles(pop_vertex_view_field_size(vertex, "probabilities", POP_WHOLE),
                                        (uint64_t)pop_vertex_view_field_value(vertex, "maxTime", 0)),
                       0 };
}

void register_ctc_infer_vertices(pop_graph *graph)
{
    pop_graph_register_perf_estimator(graph, "popnn::CTCExtendBeams<float>", estimate_extend, NULL);
    pop_graph_register_perf_estimator(graph, "popnn::CTCExtendBeams<half>", estimate_extend, NULL);
    pop_graph_register_perf_estimator(graph, "popnn::CTCSelectBeams", estimate_select, NULL);
    pop_graph_register_perf_estimator(graph, "popnn::CTCBeamLabels<float>", estimate_labels, NULL);
    pop_graph_register_perf_estimator(graph, "popnn::CTCBeamLabels<half>", estimate_labels, NULL);
}
#endif
