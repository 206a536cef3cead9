/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the endpoints of the group trace. */
#ifndef ANALYSER_API_TRACE_H
#define ANALYSER_API_TRACE_H

#include "../host_trace.h"

/* The part of the trace that a request is about. */
struct window {
    const struct lod *lod;
    unsigned ipu;    /* parameter lane */
    double from, to; /* cycles */
    unsigned pixels; /* width of the drawing */
    uint32_t hidden; /* set of the kinds in hide= */
    bool *matches;   /* by program: matches q=; NULL: no search */
};
/* Reads lane, from, to (default: the whole trace), pixels, hide and q. Returns false with an error. Free it with
 * window_free. */
bool window_of(const struct request *request, struct window *window, pop_error *error);
void window_free(struct window *window);
/* By program, whether its name or kind contains a text, ignoring case; malloc'ed, lod->programs elements. */
bool *search_programs(const struct lod *lod, const char *text);

/* The fraction of a step that is inside the window, from 0 to 1. */
static inline double window_part(const struct window *window, double from, double to)
{
    double begin = from > window->from ? from : window->from, end = to < window->to ? to : window->to;
    if (end < begin)
        return 0;
    return to > from ? (end - begin) / (to - from) : 1;
}
static inline bool window_hides(const struct window *window, unsigned kind)
{
    return window->hidden >> kind & 1;
}

/* Where the trace opens (trace_opening.c): {from, to, step, iterations, marks}; NULL with an error. */
json_t *opening_json(const struct lod *lod, pva_file *file, pop_error *error);

/* Deduplicated texts of an answer; a column has their indices. */
struct labels {
    VEC(char *) texts;
    uint32_t *of_node;       /* by node: 1 + index of its text; 0: not used yet */
    const struct node *node; /* the tree of the nodes, when it is not the lod's */
    uint32_t nodes;
};
uint32_t labels_of(struct labels *labels, const struct lod *lod, uint32_t node);
void labels_answer(struct labels *labels, struct answer *answer, const char *name);

#endif
