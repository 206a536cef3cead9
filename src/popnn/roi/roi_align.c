/* SPDX-License-Identifier: Apache-2.0 */
/* One vertex for each region and channel, or, for the gradient, each image and channel. */
#include "poplibs/log.h"
#include "popnn/support.h"

#include <popnn/roi_align.h>
#include <popops/cast.h>

struct roi_align {
    const struct call *call;
    const popnn_roi_align_params *params;
    pop_tensor data, rois, images;
    pop_compute_set set;
};

static bool check_shape(const struct call *call, const char *what, pop_tensor t, size_t rank)
{
    char text[128];
    return pop_tensor_rank(t) == rank || call_fail(call, POP_POPLAR_ERROR, "%s has shape %s; its rank must be %zu",
                                                   what, poplibs_shape_of(text, sizeof(text), t), rank);
}

static bool check(const struct roi_align *roi)
{
    const struct call *call = roi->call;
    const popnn_roi_align_params *p = roi->params;
    if (!call_ready(call) || !check_floating(call, "bottomData", roi->data) ||
        !call_takes(call, "bottomRois", roi->rois) || !call_takes(call, "bottomBatchIndex", roi->images) ||
        !check_shape(call, "bottomData", roi->data, 4) || !check_shape(call, "bottomRois", roi->rois, 2) ||
        !check_shape(call, "bottomBatchIndex", roi->images, 1))
        return false;
    if (pop_tensor_type(roi->rois) != pop_tensor_type(roi->data) || pop_tensor_type(roi->images) != POP_INT)
        return call_fail(call, POP_TYPE_ERROR, "bottomRois of %s and bottomBatchIndex of %s; they must be %s and int",
                         pop_type_name(pop_tensor_type(roi->rois)), pop_type_name(pop_tensor_type(roi->images)),
                         pop_type_name(pop_tensor_type(roi->data)));
    if (pop_tensor_dim(roi->rois, 1) != 4 || pop_tensor_dim(roi->rois, 0) != pop_tensor_dim(roi->images, 0))
        return call_fail(call, POP_POPLAR_ERROR,
                         "bottomRois has %zu rows of %zu coordinates for %zu images; a region has 4 and one image",
                         pop_tensor_dim(roi->rois, 0), pop_tensor_dim(roi->rois, 1), pop_tensor_dim(roi->images, 0));
    if (!p->sampling_ratio || !p->aligned_height || !p->aligned_width || !(p->spatial_scale > 0))
        return call_fail(call, POP_POPLAR_ERROR,
                         "samplingRatio %zu, %zu x %zu bins, spatialScale %g: all must be "
                         "greater than 0",
                         p->sampling_ratio, p->aligned_height, p->aligned_width, (double)p->spatial_scale);
    return true;
}

static pop_vertex add_vertex(const struct roi_align *roi, const char *kind, size_t number)
{
    const struct call *call = roi->call;
    const popnn_roi_align_params *p = roi->params;
    char type[64];
    snprintf(type, sizeof(type), "popnn::ROIAlign%s<%s>", kind, pop_type_name(pop_tensor_type(roi->data)));
    size_t tiles = pop_target_num_tiles(pop_graph_target(call->graph));
    pop_vertex vertex = call_vertex(call, roi->set, type, (unsigned)(number % tiles));
    call_set(call, vertex, "height", pop_tensor_dim(roi->data, 2));
    call_set(call, vertex, "width", pop_tensor_dim(roi->data, 3));
    call_set(call, vertex, "binsY", p->aligned_height);
    call_set(call, vertex, "binsX", p->aligned_width);
    call_set(call, vertex, "samples", p->sampling_ratio);
    call_set(call, vertex, "aligned", p->aligned);
    pop_graph_set_field_double(call->graph, vertex, "scale", p->spatial_scale);
    return vertex;
}

/* A new tensor whose planes, the two inner dimensions, are dealt out to the tiles. */
static pop_tensor new_planes(const struct roi_align *roi, pop_type type, pop_shape shape)
{
    const struct call *call = roi->call;
    pop_tensor t = pop_graph_add_variable(call->graph, type, shape, call->name);
    size_t tiles = pop_target_num_tiles(pop_graph_target(call->graph)), planes = shape.dims[0] * shape.dims[1];
    pop_tensor each = pop_tensor_reshape(t, POP_SHAPE(planes, shape.dims[2] * shape.dims[3]));
    for (size_t i = 0; i < planes; ++i)
        pop_graph_set_tile_mapping(call->graph, pop_tensor_slice(each, i, i + 1, 0), (unsigned)(i % tiles));
    return t;
}

/* The planes of one channel, flattened. */
static pop_tensor channel_of(const struct roi_align *roi, pop_tensor t, size_t channel)
{
    const struct call *call = roi->call;
    return pop_tensor_flatten(pop_tensor_slice(t, channel, channel + 1, 1));
}

pop_tensor popnn_roi_align_fwd_at(pop_where where, pop_graph *graph, pop_program sequence, pop_tensor data,
                                  pop_tensor rois, pop_tensor batch_index, const popnn_roi_align_params *params,
                                  const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, data, rois, batch_index, name);
    struct roi_align roi = { .call = call, .params = params, .data = data, .rois = rois, .images = batch_index };
    if (!check(&roi))
        return (pop_tensor){ 0 };
    size_t regions = pop_tensor_dim(rois, 0), channels = pop_tensor_dim(data, 1);
    pop_tensor out = new_planes(&roi, pop_tensor_type(data),
                                POP_SHAPE(regions, channels, params->aligned_height, params->aligned_width));
    bool empty = !pop_tensor_num_elements(data);
    roi.set = pop_graph_add_compute_set(graph, call_path(call, name, "ROIAlignForward"));
    for (size_t i = 0; i < regions * channels && call_ready(call); ++i) {
        pop_vertex vertex = add_vertex(&roi, "Forward", i);
        call_connect(call, vertex, "data", channel_of(&roi, data, i % channels));
        call_connect(call, vertex, "roi", pop_tensor_at(rois, i / channels));
        call_connect(call, vertex, "image", pop_tensor_at(batch_index, i / channels));
        call_connect(call, vertex, "out",
                     pop_tensor_flatten(pop_tensor_at(pop_tensor_at(out, i / channels), i % channels)));
        call_set(call, vertex, "images", empty ? 0 : pop_tensor_dim(data, 0));
    }
    call_execute(call, roi.set, name);
    return call_ready(call) ? out : (pop_tensor){ 0 };
}

pop_tensor popnn_roi_align_input_gradient_at(pop_where where, pop_graph *graph, pop_program sequence, pop_tensor data,
                                             pop_tensor rois, pop_tensor batch_index, pop_tensor gradient,
                                             const popnn_roi_align_params *params, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, data, rois, batch_index, gradient, name);
    pop_tensor none = { 0 };
    struct roi_align roi = { .call = call, .params = params, .data = data, .rois = rois, .images = batch_index };
    if (!check(&roi) || !call_takes(call, "topDataGrad", gradient))
        return none;
    size_t shape[4], channels = pop_tensor_dim(data, 1), images = pop_tensor_dim(data, 0), grad[4];
    pop_tensor_shape(data, shape, 4);
    const size_t wanted[4] = { pop_tensor_dim(rois, 0), channels, params->aligned_height, params->aligned_width };
    char text[128], needed[128];
    if (pop_tensor_shape(gradient, grad, 4) != 4 || memcmp(grad, wanted, sizeof(grad)) != 0 ||
        pop_tensor_type(gradient) != pop_tensor_type(data)) {
        call_fail(call, POP_POPLAR_ERROR, "topDataGrad is %s %s; it must be %s %s",
                  pop_type_name(pop_tensor_type(gradient)), poplibs_shape_of(text, sizeof(text), gradient),
                  pop_type_name(pop_tensor_type(data)),
                  poplibs_shape_text(needed, sizeof(needed), (pop_shape){ 4, wanted }));
        return none;
    }
    pop_tensor out = new_planes(&roi, POP_FLOAT, (pop_shape){ 4, shape });
    roi.set = pop_graph_add_compute_set(graph, call_path(call, name, "ROIAlignBackward"));
    for (size_t i = 0; pop_tensor_num_elements(data) && i < images * channels && call_ready(call); ++i) {
        pop_vertex vertex = add_vertex(&roi, "Backward", i);
        call_connect(call, vertex, "rois", pop_tensor_flatten(rois));
        call_connect(call, vertex, "images", batch_index);
        call_connect(call, vertex, "gradients", channel_of(&roi, gradient, i % channels));
        call_connect(call, vertex, "out",
                     pop_tensor_flatten(pop_tensor_at(pop_tensor_at(out, i / channels), i % channels)));
        call_set(call, vertex, "image", i / channels);
    }
    call_execute(call, roi.set, name);
    if (pop_tensor_type(data) != POP_FLOAT)
        out = popops_cast(graph, out, pop_tensor_type(data), sequence, name);
    return call_ready(call) ? out : none;
}
