/* SPDX-License-Identifier: Apache-2.0 */
/* A prefix beam search in double precision, over collapsed labels. */
#ifndef TESTS_POPLIBS_POPNN_CTC_BEAM_REFERENCE_H
#define TESTS_POPLIBS_POPNN_CTC_BEAM_REFERENCE_H

#include "poplibs/popnn/ctc_reference.h"

enum { CTC_MAX_STEPS = 64 };
struct ctc_beam {
    size_t length;
    unsigned label[CTC_MAX_STEPS];
    double blank, other; /* logarithms: of alignments that end with a blank, and of others */
};

static inline double ctc_total(const struct ctc_beam *beam)
{
    return ctc_log_add(beam->blank, beam->other);
}
static inline int ctc_by_total(const void *a, const void *b)
{
    double x = ctc_total(a), y = ctc_total(b);
    return (x < y) - (x > y);
}
/* The beam of this label; a new one if there is none. */
static inline struct ctc_beam *ctc_beam_of(struct ctc_beam *beams, size_t *count, const unsigned *label, size_t length)
{
    for (size_t i = 0; i < *count; ++i)
        if (beams[i].length == length && memcmp(beams[i].label, label, length * sizeof(*label)) == 0)
            return &beams[i];
    struct ctc_beam *beam = &beams[(*count)++];
    beam->length = length;
    memcpy(beam->label, label, length * sizeof(*label));
    beam->blank = beam->other = -INFINITY;
    return beam;
}

/* The width most probable labels, most probable first; those with probability 0 are not counted. */
static inline size_t ctc_beam_search(const struct ctc_entry *e, size_t width, struct ctc_beam *best)
{
    struct ctc_beam *next = malloc((width * (e->classes + 1) + 1) * sizeof(*next));
    size_t count = 1;
    best[0] = (struct ctc_beam){ .blank = 0, .other = -INFINITY };
    for (size_t t = 0; t < e->steps; ++t) {
        const double *p = e->log_probs + t * e->stride;
        size_t found = 0;
        for (size_t i = 0; i < count; ++i) {
            const struct ctc_beam *beam = &best[i];
            struct ctc_beam *same = ctc_beam_of(next, &found, beam->label, beam->length);
            unsigned label[CTC_MAX_STEPS + 1];
            memcpy(label, beam->label, sizeof(beam->label));
            same->blank = ctc_log_add(same->blank, ctc_total(beam) + p[e->blank]);
            if (beam->length)
                same->other = ctc_log_add(same->other, beam->other + p[label[beam->length - 1]]);
            for (unsigned c = 0; c < e->classes; ++c) {
                bool again = beam->length && label[beam->length - 1] == c;
                if (c == e->blank)
                    continue;
                label[beam->length] = c;
                struct ctc_beam *more = ctc_beam_of(next, &found, label, beam->length + 1);
                more->other = ctc_log_add(more->other, (again ? beam->blank : ctc_total(beam)) + p[c]);
                if (beam->length)
                    label[beam->length] = 0;
            }
        }
        qsort(next, found, sizeof(*next), ctc_by_total);
        for (count = 0; count < found && count < width && ctc_total(&next[count]) > -INFINITY; ++count)
            best[count] = next[count];
    }
    free(next);
    return count;
}

#endif
