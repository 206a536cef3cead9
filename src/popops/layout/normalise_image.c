/* SPDX-License-Identifier: Apache-2.0 */
/* Normalisation of images: a tile's workers share its pixels. */
#include "poplibs/log.h"
#include "poplibs/tiles.h"

#include <popops/normalise_image.h>
#include <poputil/tile_mapping.h>

enum { CHANNELS = 3, PADDED = 4, MAX_DIMS = 16 };

/* Checks that images can have this type and shape. */
static bool check_image(const struct call *call, pop_type type, pop_shape shape)
{
    char text[128];
    if (type != POP_UNSIGNED_CHAR && type != POP_HALF && type != POP_FLOAT)
        return call_fail(call, POP_TYPE_ERROR, "images cannot be %s; they are unsigned char, half or float",
                         pop_type_name(type));
    if (!shape.rank || shape.rank > MAX_DIMS || shape.dims[shape.rank - 1] != CHANNELS)
        return call_fail(
            call, POP_POPLAR_ERROR, "images of shape %s: the rank must be 1 to %d and the last dimension %d channels",
            poplibs_shape_text(text, sizeof(text), (pop_shape){ poplibs_min(shape.rank, MAX_DIMS), shape.dims }),
            MAX_DIMS, CHANNELS);
    return true;
}

pop_tensor popops_create_normalise_image_input_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                                  const char *name)
{
    POPLIBS_CALL(graph, log_type(type), shape, name);
    pop_tensor none = { 0 };
    if (!call_ready(call) || !check_image(call, type, shape))
        return none;
    /* The number of pixels that fill whole words. */
    unsigned grain = (unsigned)(CHANNELS * (4 / pop_type_size(type)));
    pop_tensor t = pop_graph_add_variable(graph, type, shape, name);
    poputil_map_tensor_linearly_grain(graph, t, grain, grain);
    return call_ready(call) ? t : none;
}

static bool check_operand(const struct call *call, const char *what, pop_tensor t, pop_type type)
{
    char text[64];
    if (!call_takes(call, what, t))
        return false;
    return (pop_tensor_type(t) == type && pop_tensor_rank(t) == 1 && pop_tensor_dim(t, 0) == CHANNELS) ||
           call_fail(call, POP_POPLAR_ERROR, "%s of %s %s; they must be %s {%d}", what,
                     pop_type_name(pop_tensor_type(t)), poplibs_shape_of(text, sizeof(text), t), pop_type_name(type),
                     CHANNELS);
}

struct images {
    const struct call *call;
    pop_tensor in, out, offsets, scales; /* in {pixels, 3}, out {pixels, 4} */
    float scale;
    char vertex[64];
};

/* Adds the vertex of one worker, for an interval of a tile's pixels. */
static void add_vertex(const struct images *images, pop_compute_set set, pop_interval pixels, unsigned tile)
{
    const struct call *call = images->call;
    pop_tensor in = pop_tensor_flatten(pop_tensor_slice(images->in, pixels.begin, pixels.end, 0));
    pop_tensor out = pop_tensor_flatten(pop_tensor_slice(images->out, pixels.begin, pixels.end, 0));
    pop_vertex vertex = call_vertex(call, set, images->vertex, tile);
    call_connect(call, vertex, "in", in);
    call_connect(call, vertex, "offsets", images->offsets);
    call_connect(call, vertex, "scales", images->scales);
    call_connect(call, vertex, "out", out);
    pop_graph_set_field_double(call->graph, vertex, "scale", images->scale);
}

static void add_vertices(const struct images *images, pop_compute_set set)
{
    const struct call *call = images->call;
    pop_interval_lists mapping;
    size_t workers = pop_graph_target(call->graph)->num_worker_contexts;
    pop_tensor first = pop_tensor_flatten(pop_tensor_slice(images->in, 0, 1, 1));
    if (!pop_graph_get_tile_mapping(call->graph, first, NULL, &mapping))
        return;
    for (size_t tile = 0; tile < mapping.count; ++tile) {
        size_t share = poplibs_ceil_div(poplibs_list_elements(&mapping, tile), workers);
        for (size_t i = mapping.first[tile]; i < mapping.first[tile + 1]; ++i) {
            pop_interval here = mapping.intervals[i];
            pop_graph_set_tile_mapping(call->graph, pop_tensor_slice(images->out, here.begin, here.end, 0),
                                       (unsigned)tile);
            for (size_t pixel = here.begin; pixel < here.end; pixel += share)
                add_vertex(images, set, (pop_interval){ pixel, poplibs_min(pixel + share, here.end) }, (unsigned)tile);
        }
    }
    pop_interval_lists_free(&mapping);
}

pop_tensor popops_normalise_image_at(pop_where where, pop_graph *graph, pop_tensor in, float in_scale,
                                     pop_tensor offsets, pop_tensor scales, pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, in, in_scale, offsets, scales, name);
    pop_tensor none = { 0 };
    size_t shape[MAX_DIMS];
    if (!call_ready(call) || !call_takes(call, "the tensor of images", in))
        return none;
    size_t rank = pop_tensor_shape(in, shape, MAX_DIMS);
    pop_type type = pop_tensor_type(in), out_type = type == POP_FLOAT ? POP_FLOAT : POP_HALF;
    if (!check_image(call, type, (pop_shape){ rank, shape }) ||
        !check_operand(call, "the offsets", offsets, out_type) || !check_operand(call, "the scales", scales, out_type))
        return none;
    size_t pixels = pop_tensor_num_elements(in) / CHANNELS;
    struct images images = { .call = call, .offsets = offsets, .scales = scales, .scale = in_scale };
    shape[rank - 1] = PADDED;
    pop_tensor result = pop_graph_add_variable(graph, out_type, (pop_shape){ rank, shape }, name);
    if (!pixels)
        return call_ready(call) ? result : none;
    images.in = pop_tensor_reshape(in, POP_SHAPE(pixels, CHANNELS));
    images.out = pop_tensor_reshape(result, POP_SHAPE(pixels, PADDED));
    snprintf(images.vertex, sizeof(images.vertex), "popops::NormaliseImage<%s,%s>", pop_type_name(type),
             pop_type_name(out_type));
    pop_compute_set set = pop_graph_add_compute_set(graph, call_path(call, name, "NormaliseImage"));
    add_vertices(&images, set);
    call_execute(call, set, name);
    return call_ready(call) ? result : none;
}
