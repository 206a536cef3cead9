/* SPDX-License-Identifier: Apache-2.0 */
/* How the plan's partition splits a convolution over tiles. */
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
/* What a tile computes: ranges of groups of groups, of batch and output field, of the kernel, of groups of channels. */
struct conv_part {
    unsigned tile;
    struct conv_range g, n, o, c, field[POPLIN_MAX_FIELD_DIMS], kernel[POPLIN_MAX_FIELD_DIMS],
        input[POPLIN_MAX_FIELD_DIMS];
    bool empty;          /* nothing of the input meets it */
    pop_tensor partials; /* {G1, O1, batch, field..., g2, o2} of it */
};
/* Parts of one serial step: parts[output * depth + summand].  Outputs run over groups, batch, field, output channels,
 * in this order. */
struct conv_parts {
    struct conv_part *parts;
    size_t outputs, depth;
    size_t splits[POPLIN_MAX_FIELD_DIMS + 3]; /* of outputs: groups, batch, field..., output channels */
};

/* The parts of a serial step; free(parts). */
struct conv_parts conv_parts_make(const struct conv_resolved *conv, unsigned out_chan_step, unsigned in_chan_step);
/* What a part needs of grouped operands, flat: of a pair of groups. */
pop_tensor conv_part_input(const struct conv_resolved *conv, pop_tensor input, const struct conv_part *part, size_t g,
                           size_t c);
pop_tensor conv_part_weights(const struct conv_resolved *conv, pop_tensor weights, const struct conv_part *part,
                             size_t g, size_t o, size_t c);
/* Maps grouped variables to tiles that need them. */
void conv_map_input(const struct conv_resolved *conv, pop_tensor grouped);
void conv_map_weights(const struct conv_resolved *conv, pop_tensor grouped);

#endif
