/* SPDX-License-Identifier: Apache-2.0 */
/* For codelets of CTC losses: a label as a row of places, and logarithms of sums.
 *
 * With blanks between its symbols a label of n symbols is a row of 2 n + 1 places: blank, symbol, blank, ..., blank. */
#ifndef POPNN_CTC_CTC_PLACES_H
#define POPNN_CTC_CTC_PLACES_H

#include <popops/element_functions.h>
#include <stdbool.h>

#define LOG_ZERO (-__builtin_inff())

static inline float log_add(float a, float b)
{
    float more = a > b ? a : b, less = a > b ? b : a;
    return less == LOG_ZERO ? more : more + popops_log1pf(popops_expf(less - more));
}

/* Parameters that do not depend on types. The partition has the symbols from `first` on, of valid_label in the
 * label. */
struct part {
    const unsigned *label; /* label of the partition; [-1]: the preceding symbol, [symbols]: the following one */
    unsigned symbols, first, valid_label, classes, blank;
};
static inline unsigned class_of(const struct part *p, unsigned s)
{
    return s % 2 ? p->label[s / 2] : p->blank;
}
/* Whether a place is inside the label and has a valid class. */
static inline bool is_valid(const struct part *p, unsigned s)
{
    if (2 * p->first + s > 2 * p->valid_label)
        return false;
    return s % 2 == 0 || (p->label[s / 2] < p->classes && p->label[s / 2] != p->blank);
}

/* Valid steps and symbols of an entry. Lengths above the maximum make a label without alignment: one symbol and no
 * steps. */
struct lengths {
    unsigned time, label;
};
static inline struct lengths lengths_of(unsigned time, unsigned label, unsigned max_time, unsigned max_label)
{
    bool fit = time <= max_time && label <= max_label;
    return (struct lengths){ fit ? time : 0, fit ? label : 1 };
}

/* The step of this call, relative to the partition; false when it is outside. */
static inline bool step_of(unsigned count, bool backwards, unsigned first, unsigned offset, unsigned steps,
                           unsigned valid, unsigned *step)
{
    unsigned time = backwards ? first - count : first + count;
    if ((backwards && count > first) || time < offset || time - offset >= steps)
        return false;
    *step = time - offset;
    return time < valid;
}

#endif
