/* SPDX-License-Identifier: Apache-2.0 */
/* What the calls of the group trace share. */
#ifndef ANALYSER_API_TRACE_H
#define ANALYSER_API_TRACE_H

#include "../lod.h"

/* The part of the trace that a call is about. */
struct window {
    const struct lod *lod;
    unsigned ipu;    /* parameter lane */
    double from, to; /* cycles */
    unsigned pixels; /* how wide it is drawn */
    uint32_t hidden; /* kinds that hide= names, a bit each */
    bool *matches;   /* of programs, that q= finds; NULL: nothing is searched */
};
/* Reads lane, from, to (default: all), pixels, hide and q.  False with an error.  window_free frees it. */
bool window_of(const struct request *request, struct window *window, pop_error *error);
void window_free(struct window *window);
/* Which programs a text is found in: in their names or kinds, whatever the case.  malloc'ed, of lod->programs. */
bool *search_programs(const struct lod *lod, const char *text);

/* How much of a step lies in a window, from 0 to 1. */
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

/* Texts of an answer, each once: their numbers go into a column. */
struct labels {
    VEC(char *) texts;
    uint32_t *of_node;       /* 1 + the text of a node; 0: not used yet */
    const struct node *node; /* of another tree than the lod's */
    uint32_t nodes;
};
uint32_t labels_of(struct labels *labels, const struct lod *lod, uint32_t node);
void labels_answer(struct labels *labels, struct answer *answer, const char *name);

#endif
