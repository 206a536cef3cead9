/* SPDX-License-Identifier: Apache-2.0 */
/* Regions of images, pooled to a fixed size by bilinear samples (ROI align), and the gradient. */
#ifndef POPNN_ROI_ALIGN_H
#define POPNN_ROI_ALIGN_H

#include <poplar/graph.h>
#include <poplar/program.h>

/* How regions are pooled. */
typedef struct popnn_roi_align_params {
    size_t sampling_ratio;                /* samples of a bin in each direction */
    size_t aligned_height, aligned_width; /* bins of a region */
    bool aligned;                         /* whether coordinates are of pixels' centres: regions move by half a pixel */
    float spatial_scale;                  /* factor from the regions' coordinates to those of the data */
} popnn_roi_align_params;

POP_BEGIN_DECLS

#define popnn_roi_align_fwd(...) popnn_roi_align_fwd_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence; returns a new tensor {R, C, aligned_height, aligned_width}. data {N, C, H, W} and rois {R, 4}, as
 * x1 y1 x2 y2, are HALF or FLOAT; batch_index {R} INT is the image of each region (another number gives 0). A bin is
 * the mean of its samples; one beyond the far edges counts as 0. Sizes of regions are at least 1 unless aligned.
 * poplar_error and type_error for arguments that do not match. */
POP_API pop_tensor popnn_roi_align_fwd_at(pop_where where, pop_graph *graph, pop_program sequence, pop_tensor data,
                                          pop_tensor rois, pop_tensor batch_index, const popnn_roi_align_params *params,
                                          const char *name);
#define popnn_roi_align_input_gradient(...) popnn_roi_align_input_gradient_at(POP_HERE, __VA_ARGS__)
/* Returns the gradient of data from gradient {R, C, aligned_height, aligned_width}, the result's; summed in FLOAT. */
POP_API pop_tensor popnn_roi_align_input_gradient_at(pop_where where, pop_graph *graph, pop_program sequence,
                                                     pop_tensor data, pop_tensor rois, pop_tensor batch_index,
                                                     pop_tensor gradient, const popnn_roi_align_params *params,
                                                     const char *name);

POP_END_DECLS
#endif
