/* SPDX-License-Identifier: Apache-2.0 */
/* Template of ctc_loss_vertices.c for one type of PARTIALS. */

/* A row of the previous step (for beta the next one), and the neighbours' values in it. */
struct NAMED(row, PARTIALS) {
    const PARTIALS *values; /* NULL: before the first step, or after the last */
    const PARTIALS *edge;   /* the symbol before the partition; for beta the blank and the symbol after it */
};
/* Log-probability of the alignments that reach place s, without the probability of s itself. */
static inline float NAMED(into, PARTIALS)(const struct part *p, const struct NAMED(row, PARTIALS) * row, unsigned s)
{
    unsigned place = 2 * p->first + s;
    if (!row->values)
        return place < 2 ? 0.0f : LOG_ZERO;
    float sum = (float)row->values[s];
    if (place > 0)
        sum = log_add(sum, s ? (float)row->values[s - 1] : (float)row->edge[0]);
    if (place > 2 && s % 2 && p->label[s / 2] != p->label[(long)(s / 2) - 1])
        sum = log_add(sum, s > 1 ? (float)row->values[s - 2] : (float)row->edge[0]);
    return sum;
}
/* Log-probability of the alignments from place s to the end; size: number of places of the partition. */
static inline float NAMED(out_of, PARTIALS)(const struct part *p, const struct NAMED(row, PARTIALS) * row, unsigned s,
                                            unsigned size)
{
    unsigned place = 2 * p->first + s, end = 2 * p->valid_label;
    if (!row->values)
        return place + 1 >= end && place <= end ? 0.0f : LOG_ZERO;
    float sum = (float)row->values[s];
    if (place < end)
        sum = log_add(sum, s + 1 < size ? (float)row->values[s + 1] : (float)row->edge[0]);
    if (place + 2 < end && s % 2 && p->label[s / 2] != p->label[s / 2 + 1])
        sum = log_add(sum, s + 2 < size ? (float)row->values[s + 2] : (float)row->edge[s + 2 - size]);
    return sum;
}
/* Marks the row of a step after the entry's end by infinity, in the label's first partition only. */
static void NAMED(no_step, PARTIALS)(PARTIALS *grads, unsigned classes, bool mark)
{
    for (unsigned c = 0; c < classes; ++c)
        grads[c] = (PARTIALS)(mark ? -LOG_ZERO : LOG_ZERO);
}
static inline void NAMED(add_to, PARTIALS)(PARTIALS *sum, float value)
{
    *sum = (PARTIALS)log_add((float)*sum, value);
}
