/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of the convolution vertices: pure functions of counts, used by the planner and by the vertices' estimates.
 * Where releases of Poplibs differ, the structures have the release (docs/concepts/devices.md). */
#ifndef POPLIN_CONV_VERTICES_PERFORMANCE_H
#define POPLIN_CONV_VERTICES_PERFORMANCE_H

#include "poplibs/support.h"

/* A worker's list: the number of output elements of each item. */
struct worklist {
    const unsigned *items;
    size_t count;
};

/* ConvPartial1x1Out<input, partials>; its formulas take the number of elements of each worker. */
struct amp_work {
    unsigned num_workers, num_conv_units, coeff_bytes_per_cycle;
    unsigned conv_groups, in_groups, out_groups; /* groups of channels */
    unsigned in_chans_per_group, out_chans_per_group;
    bool float_inputs, float_partials;
    bool quarter_inputs;      /* of 8 bits, with partials of half: formulas of release 3.4 */
    unsigned conv_input_load; /* elements per cycle */
    pop_poplibs_release release;
};
uint64_t cycles_1x1(const struct amp_work *amp, const unsigned *worker_elements);
/* The formula of release 0.9.40, on which the figures of Graphcore's guide are based. */
uint64_t cycles_1x1_0940(const struct amp_work *amp, const unsigned *worker_elements);

/* ConvPartialnx1: worker_lists has kernel_rows x kernel_width x num_workers entries (workers innermost).  Rows are the
 * outer positions of the kernel in steps of filter_height, width is that of the innermost dimension.  The cycles of
 * zeroing are separate (cycles_zero). */
struct nx1_work {
    struct amp_work amp;
    unsigned kernel_outer, kernel_inner; /* entries of worker_lists: outer x inner x workers */
    unsigned filter_height, filter_width;
    unsigned output_zeroing; /* cycles of cycles_zero */
    bool same_lists;         /* worker_lists has only the first position's lists, which are those of all positions */
};
uint64_t cycles_nx1(const struct nx1_work *nx1, const struct worklist *worker_lists);
/* Zeroing of partials, one group after the other; all workers share a group's elements. */
uint64_t cycles_zero(unsigned num_workers, unsigned groups, unsigned elements, bool float_partials,
                     unsigned vector_width);

/* ConvPartialHorizontalMac: worker_lists has kernel_size x num_workers entries (workers innermost). */
struct mac_work {
    unsigned num_workers, conv_groups, in_groups, out_groups, kernel_size;
    unsigned in_chans_per_group, out_chans_per_group;
    bool float_inputs, float_partials;
    bool same_lists; /* as in nx1 */
    pop_poplibs_release release;
};
uint64_t cycles_horizontal_mac(const struct mac_work *mac, const struct worklist *worker_lists);

/* ConvPartial1x4SLIC: worker_lists has one entry for each worker, because each sub-kernel contributes to all
 * outputs. */
enum { POPLIN_SLIC_WINDOW = 4, POPLIN_SLIC_OVERHEAD = 200 /* bytes of the buffer besides sums, 2021 */ };
struct slic_work {
    unsigned num_workers, conv_group_groups, conv_groups_per_group, sub_kernels, stride;
    unsigned
        /* Passes of the loop over a row: 2 with 8 conv units, which compute two output channels at a time, 1 with
         * 16. */
        passes;
    bool float_partials;
    pop_poplibs_release release;
};
uint64_t cycles_slic(const struct slic_work *slic, const struct worklist *worker_lists);

/* ConvPartialVerticalMac: cycles of an item of n kernel positions, and of the vertex.  slowest_items are those of the
 * worker with the most; out_elements: of a group of convolutions, which each worker zeroes and all add up. */
struct vmac_work {
    unsigned num_workers, conv_groups, in_groups;
    uint64_t out_elements, slowest_items;
};
uint64_t cycles_vmac_item(uint64_t n);
uint64_t cycles_vmac(const struct vmac_work *vmac);

/* OuterProduct: worker cycles. */
uint64_t cycles_outer_product(bool is_float, unsigned width, unsigned num_channels, unsigned chans_per_group);

/* ReduceAdd: tile cycles for adding num_partials partials of so many outputs. */
struct reduction_work {
    unsigned num_workers, num_partials;
    bool float_out, float_partials;
    bool single_input; /* num_partials rows of one tensor, which are added to the row on the tile */
    bool fast;         /* the tensor is in interleaved memory */
    pop_poplibs_release release;
};
uint64_t cycles_reduce_add(const struct reduction_work *reduction, uint64_t outputs);
/* Whether a tile adds the other depth - 1 rows, collected as one region, to its own: from 2021 on, for whole vectors
 * and regions that take less than a sixteenth of the tile's memory. */
bool reduces_single_input(const pop_target *target, uint64_t outputs, uint64_t depth, bool float_partials);
/* A conversion of elements: the slowest worker's cycles times the number of workers. */
uint64_t cycles_cast(unsigned num_workers, uint64_t elements, bool float_in, bool float_out);

#endif
