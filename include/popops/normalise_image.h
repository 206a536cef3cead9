/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisation of images with three channels, which are padded to four for the first convolution. */
#ifndef POPOPS_NORMALISE_IMAGE_H
#define POPOPS_NORMALISE_IMAGE_H

#include <poplar/graph.h>
#include <poplar/program.h>

POP_BEGIN_DECLS

#define popops_create_normalise_image_input(...) popops_create_normalise_image_input_at(POP_HERE, __VA_ARGS__)
/* A new variable for popops_normalise_image: UNSIGNED_CHAR, HALF or FLOAT, of shape {..., 3}, each pixel on one tile.
 * type_error and poplar_error otherwise. */
POP_API pop_tensor popops_create_normalise_image_input_at(pop_where where, pop_graph *graph, pop_type type,
                                                          pop_shape shape, const char *name);
#define popops_normalise_image(...) popops_normalise_image_at(POP_HERE, __VA_ARGS__)
/* Adds to a sequence: out[..., c] = (in[..., c] * in_scale - offsets[c]) * scales[c] for c < 3, and out[..., 3] = 0.
 * The result is a new variable of shape {..., 4}; each pixel is on the tile of its first channel in the input.  Its
 * type is HALF for an input of UNSIGNED_CHAR or HALF, FLOAT for one of FLOAT.  offsets and scales have that type and
 * shape {3}; computed in float.  type_error and poplar_error for other tensors. */
POP_API pop_tensor popops_normalise_image_at(pop_where where, pop_graph *graph, pop_tensor in, float in_scale,
                                             pop_tensor offsets, pop_tensor scales, pop_program sequence,
                                             const char *name);

POP_END_DECLS
#endif
