/* SPDX-License-Identifier: Apache-2.0 */
/* The CTC loss of one entry in double precision: by the recursion over positions, and as the sum over all paths. */
#ifndef TESTS_POPLIBS_POPNN_CTC_REFERENCE_H
#define TESTS_POPLIBS_POPNN_CTC_REFERENCE_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct ctc_entry {
    size_t steps, symbols, classes, blank; /* valid steps and symbols */
    size_t stride;                         /* from a step's probabilities to the next one's */
    const double *log_probs;
    const double *label;
};

static inline double ctc_log_add(double a, double b)
{
    double more = fmax(a, b), less = fmin(a, b);
    return less == -INFINITY ? more : more + log1p(exp(less - more));
}
/* The class of a position among blanks and symbols; the number of classes if it is impossible. */
static inline size_t ctc_class(const struct ctc_entry *e, size_t place)
{
    if (place % 2 == 0)
        return e->blank;
    double symbol = e->label[place / 2];
    return symbol < (double)e->classes && symbol != (double)e->blank ? (size_t)symbol : e->classes;
}
static inline double ctc_log_prob(const struct ctc_entry *e, size_t step, size_t place)
{
    size_t c = ctc_class(e, place);
    return c == e->classes ? -INFINITY : e->log_probs[step * e->stride + c];
}
/* Whether an alignment may go from one position to another in a step. */
static inline bool ctc_may_follow(const struct ctc_entry *e, size_t from, size_t to)
{
    if (to < from || to - from > 2)
        return false;
    return to - from < 2 || (to % 2 == 1 && e->label[to / 2] != e->label[from / 2]);
}

/* The logarithm of the label's probability; *posterior ({steps, classes}, may be NULL): that of each class at each
 * step. */
static inline double ctc_recursion(const struct ctc_entry *e, double *posterior)
{
    size_t places = 2 * e->symbols + 1, rows = e->steps;
    if (!rows)
        return e->symbols ? -INFINITY : 0;
    double *alpha = malloc(rows * places * sizeof(double)), *beta = malloc(rows * places * sizeof(double));
    for (size_t t = 0; t < rows; ++t)
        for (size_t s = 0; s < places; ++s) {
            double sum = t == 0 && s < 2 ? 0 : -INFINITY;
            for (size_t from = s > 2 ? s - 2 : 0; t && from <= s; ++from)
                if (ctc_may_follow(e, from, s))
                    sum = ctc_log_add(sum, alpha[(t - 1) * places + from]);
            alpha[t * places + s] = sum + ctc_log_prob(e, t, s);
        }
    for (size_t t = rows; t-- > 0;)
        for (size_t s = 0; s < places; ++s) {
            double sum = t + 1 == rows && s + 2 >= places ? 0 : -INFINITY;
            for (size_t to = s; t + 1 < rows && to < places && to <= s + 2; ++to)
                if (ctc_may_follow(e, s, to))
                    sum = ctc_log_add(sum, beta[(t + 1) * places + to] + ctc_log_prob(e, t + 1, to));
            beta[t * places + s] = sum; /* without step t's own */
        }
    double total = -INFINITY;
    for (size_t s = 0; s < places; ++s)
        total = ctc_log_add(total, alpha[s] + beta[s]);
    for (size_t t = 0; posterior && t < rows; ++t) {
        for (size_t c = 0; c < e->classes; ++c)
            posterior[t * e->classes + c] = 0;
        for (size_t s = 0; s < places && total > -INFINITY; ++s)
            if (ctc_class(e, s) < e->classes)
                posterior[t * e->classes + ctc_class(e, s)] +=
                    exp(alpha[t * places + s] + beta[t * places + s] - total);
    }
    free(alpha);
    free(beta);
    return total;
}

/* A path's label: repeated classes count once, blanks are removed.  Returns its length. */
static inline size_t ctc_collapse(const size_t *path, size_t steps, size_t blank, size_t *label)
{
    size_t length = 0;
    for (size_t t = 0; t < steps; ++t)
        if (path[t] != blank && (t == 0 || path[t] != path[t - 1]))
            label[length++] = path[t];
    return length;
}
/* The next of all classes^steps paths; false after the last. */
static inline bool ctc_next_path(size_t *path, size_t steps, size_t classes)
{
    for (size_t t = 0; t < steps; ++t) {
        if (++path[t] < classes)
            return true;
        path[t] = 0;
    }
    return false;
}
/* The same as the sum over every path whose label is the entry's: for a few steps and classes. */
static inline double ctc_all_paths(const struct ctc_entry *e)
{
    size_t path[16] = { 0 }, label[16];
    double total = -INFINITY;
    do {
        size_t length = ctc_collapse(path, e->steps, e->blank, label);
        bool same = length == e->symbols;
        double sum = 0;
        for (size_t i = 0; same && i < length; ++i)
            same = (double)label[i] == e->label[i];
        for (size_t t = 0; same && t < e->steps; ++t)
            sum += e->log_probs[t * e->stride + path[t]];
        if (same)
            total = ctc_log_add(total, sum);
    } while (ctc_next_path(path, e->steps, e->classes));
    return total;
}

#endif
