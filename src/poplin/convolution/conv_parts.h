/* SPDX-License-Identifier: Apache-2.0 */
/* Splits a convolution over tiles, by the plan's partition. */
#ifndef POPLIN_CONVOLUTION_CONV_PARTS_H
#define POPLIN_CONVOLUTION_CONV_PARTS_H

#include "poplin/convolution/conv_resolve.h"

struct conv_range {
    size_t begin, end;
};
static inline size_t conv_range_size(struct conv_range range)
{
    return range.end - range.begin;
}
/* The work of one tile: ranges of groups of groups, of batch and output field, of the kernel, of groups of channels. */
struct conv_part {
    unsigned tile;
    struct conv_range g, n, o, c, field[POPLIN_MAX_FIELD_DIMS], kernel[POPLIN_MAX_FIELD_DIMS],
        input[POPLIN_MAX_FIELD_DIMS];
    bool empty;          /* no element of the input contributes to it */
    pop_tensor partials; /* {G1, O1, batch, field..., g2, o2} of the part */
};
/* The parts of one serial step: parts[output * depth + summand].  Outputs are in the order of groups, batch, field,
 * output channels. */
struct conv_parts {
    struct conv_part *parts;
    size_t outputs, depth;
    size_t splits[POPLIN_MAX_FIELD_DIMS + 3]; /* of outputs: along groups, batch, field..., output channels */
};

/* The parts of a serial step; the caller frees parts. */
struct conv_parts conv_parts_make(const struct conv_resolved *conv, unsigned out_chan_step, unsigned in_chan_step);
/* The elements of a grouped operand, flattened, that a part needs for a pair of groups. */
pop_tensor conv_part_input(const struct conv_resolved *conv, pop_tensor input, const struct conv_part *part, size_t g,
                           size_t c);
pop_tensor conv_part_weights(const struct conv_resolved *conv, pop_tensor weights, const struct conv_part *part,
                             size_t g, size_t o, size_t c);
/* Maps grouped variables to the tiles that need them. */
void conv_map_input(const struct conv_resolved *conv, pop_tensor grouped);
void conv_map_weights(const struct conv_resolved *conv, pop_tensor grouped);

#endif
