/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs over the operation libraries, each operation of which is compared with a reference in double
 * precision. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <math.h>
#include <poplar/poplar.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BASES = 400, MAX_SNAPSHOTS = 800, MAX_OPERATIONS = 64, MAX_IN = 24, MAX_OUT = 8, MAX_DIMS = 10 };

/* A view of a base: the tensor, and the index in the base of each of its elements. */
struct view {
    pop_tensor tensor;
    int base, snapshot; /* the snapshot of the base when the view was made */
    size_t rank, dims[MAX_DIMS], count;
    size_t *index;
    pop_type type;
};

struct base {
    pop_tensor tensor;
    pop_type type;
    size_t rank, dims[MAX_DIMS], count;
    int snapshot;    /* the newest */
    double *guess;   /* its contents according to the references */
    bool wild;       /* some of it is not known */
    bool tame;       /* finite and not large: usable in more operations */
    double *written; /* for an input: its initial contents */
};

struct snapshot {
    pop_tensor tensor;
    int base;
    double *guess;
};

/* The output of an operation: a view of a base; before it the base was snapshot before (-1: it is new), after it
 * snapshot after. */
struct written {
    struct view view;
    int before, after;
};

/* A reference's result for an output: the tolerance of element i is relative * magnitude[i] + absolute; with an
 * infinite magnitude any value is accepted. */
struct expected {
    size_t count;
    double *value, *magnitude;
    double relative, absolute;
};

struct operation {
    const char *name;
    char text[1500];
    struct view in[MAX_IN];
    size_t ins;
    struct written out[MAX_OUT];
    size_t outs;
    long whole[64];
    double number[16];
    void *extra;
    void (*reference)(const struct operation *op, double *const *in, struct expected *out);
};

struct world {
    uint64_t seed, random;
    pop_graph *graph;
    pop_program program;
    unsigned tiles;
    bool watched; /* snapshots are taken */
    bool cpu, verbose;
    bool extremes; /* inputs may hold infinities, NaN, the max and the min values */
    struct base bases[MAX_BASES];
    struct snapshot snapshots[MAX_SNAPSHOTS];
    struct operation ops[MAX_OPERATIONS];
    size_t num_bases, num_snapshots, num_ops;
    char failure[4000];
    struct poplin_planning_cache *cache;
};

/* ---- random choices ---- */
uint64_t fuzz_next(struct world *w);
static inline size_t below(struct world *w, size_t n)
{
    return n ? (size_t)(fuzz_next(w) % n) : 0;
}
static inline size_t between(struct world *w, size_t low, size_t high)
{
    return low + below(w, high - low + 1);
}
static inline bool chance(struct world *w, unsigned percent)
{
    return below(w, 100) < percent;
}
static inline double real_between(struct world *w, double low, double high)
{
    return low + (high - low) * (double)(fuzz_next(w) >> 11) / 9007199254740992.0;
}
size_t any_extent(struct world *w);
pop_type any_real(struct world *w);

/* ---- bases and views ---- */
size_t product(const size_t *dims, size_t rank);
double rounded_to(pop_type type, double value);
/* A variable with random contents in [low, high) and a random mapping; or of a tensor that the caller made, mapped or
 * not. */
int new_input(struct world *w, pop_type type, const size_t *dims, size_t rank, double low, double high);
int adopt_input(struct world *w, pop_tensor t, double low, double high);
void scatter(struct world *w, pop_tensor t);
struct view whole(struct world *w, int base);
/* A view of a tame base (or of a new input) with this type and shape; aliases: elements may occur more than once. */
struct view wanted(struct world *w, pop_type type, const size_t *dims, size_t rank, bool aliases, double low,
                   double high);
/* One of any shape. */
struct view any_view(struct world *w, pop_type type, bool aliases, double low, double high, size_t max);
struct view new_view(struct world *w, pop_type type, const size_t *dims, size_t rank, double low, double high);
bool view_alters(const struct view *v); /* no element occurs twice: may be written */

struct view view_slice(struct view v, size_t begin, size_t end, unsigned dim);
struct view view_every(struct view v, unsigned stride, unsigned dim);
struct view view_reverse(struct view v, unsigned dim);
struct view view_broadcast(struct view v, unsigned times, unsigned dim);
struct view view_reshape(struct view v, const size_t *dims, size_t rank);
struct view view_shuffle(struct view v, const unsigned *permutation);

/* ---- operations ---- */
struct operation *op_begin(struct world *w, const char *name, pop_program *sequence);
struct view op_reads(struct world *w, struct operation *op, struct view v);
void op_describe(struct operation *op, const char *format, ...) __attribute__((format(printf, 2, 3)));
void op_makes(struct world *w, struct operation *op, pop_tensor out); /* a new variable */
void op_writes(struct world *w, struct operation *op, struct view v); /* in place */
/* wrap: 0 none; 1 in control flow that runs it once; 2 in any control flow, as it does not change its inputs */
void op_end(struct world *w, struct operation *op, pop_program sequence, int wrap);
void op_drop(struct world *w, struct operation *op); /* no result: nothing was built */
/* The reference's results for the outputs; snapshots hold the device's inputs, or a guess of them.  The caller frees
 * values and magnitudes. */
void evaluate(const struct operation *op, double *const *snapshots, struct expected *out);
const char *shape_text(char *buffer, const struct view *v);

static inline pop_shape shape_of(const struct view *v)
{
    return (pop_shape){ v->rank, v->dims };
}

typedef void generator(struct world *w);
struct generator_row {
    const char *name;
    generator *make;
    unsigned weight;
    bool extremes;
};
extern const struct generator_row generators[];
extern const size_t num_generators;

#endif
