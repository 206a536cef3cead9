/* SPDX-License-Identifier: Apache-2.0 */
/* Resize and Upsample: along one dimension after the other, each output element is a sum of input elements whose places
 * and weights are known when the graph is built.  Nearest neighbours are views; other modes are products with a matrix
 * of weights. */
#include "onnx/build/build.h"

#include <math.h>
#include <poplin/mat_mul.h>
#include <string.h>

/* How one dimension is resized. */
struct resize {
    const char *coordinates, *nearest;
    size_t from, to;
    double scale, start, end; /* of tf_crop_and_resize */
};

/* The place in the input that element i of the output comes from. */
static double source_place(const struct resize *r, size_t i)
{
    double x = (double)i, from = (double)r->from, to = (double)r->to;
    if (strcmp(r->coordinates, "align_corners") == 0)
        return to > 1 ? x * (from - 1) / (from * r->scale - 1) : 0; /* ONNX's reference does not round the size here */
    if (strcmp(r->coordinates, "asymmetric") == 0)
        return x / r->scale;
    if (strcmp(r->coordinates, "pytorch_half_pixel") == 0)
        return to > 1 ? (x + 0.5) / r->scale - 0.5 : 0;
    if (strcmp(r->coordinates, "tf_half_pixel_for_nn") == 0)
        return (x + 0.5) / r->scale;
    if (strcmp(r->coordinates, "tf_crop_and_resize") == 0)
        return to > 1 ? r->start * (from - 1) + x * (r->end - r->start) * (from - 1) / (to - 1)
                      : 0.5 * (r->start + r->end) * (from - 1);
    return (x + 0.5) / r->scale - 0.5;
}

static size_t nearest_index(const struct resize *r, double place)
{
    double index = strcmp(r->nearest, "floor") == 0               ? floor(place)
                   : strcmp(r->nearest, "ceil") == 0              ? ceil(place)
                   : strcmp(r->nearest, "round_prefer_ceil") == 0 ? floor(place + 0.5)
                                                                  : ceil(place - 0.5);
    return index < 0 ? 0 : index > (double)r->from - 1 ? r->from - 1 : (size_t)index;
}

static pop_tensor resize_nearest(onnx_builder *b, pop_tensor t, unsigned dim, const struct resize *r)
{
    pop_tensor *list = onnx_new(b->arena, r->to + 1, sizeof(*list));
    for (size_t i = 0; i < r->to; ++i) {
        size_t from = nearest_index(r, source_place(r, i));
        list[i] = pop_tensor_slice_at(b->where, t, from, from + 1, dim);
    }
    return pop_tensor_concat_at(b->where, (pop_tensors){ r->to, list }, dim);
}

/* Weights of the elements around a place, from floor(place) - 1 on (Keys' cubic convolution with coefficient a). */
static void cubic_weights(double fraction, double a, double weights[4])
{
    for (int i = 0; i < 4; ++i) {
        double x = fabs(fraction - (i - 1));
        weights[i] = x <= 1  ? ((a + 2) * x - (a + 3)) * x * x + 1
                     : x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
                             : 0;
    }
}

/* The matrix {from, to}; extrapolated elements, whose place is outside, have no weights: *outside tells which. */
static double *weight_matrix(onnx_builder *b, const struct resize *r, bool cubic, bool *outside)
{
    double *matrix = onnx_new(b->arena, r->from * r->to + 1, sizeof(*matrix)),
           a = onnx_float(b, "cubic_coeff_a", -0.75);
    bool exclude = onnx_int(b, "exclude_outside", 0), crop = strcmp(r->coordinates, "tf_crop_and_resize") == 0;
    for (size_t i = 0; i < r->to; ++i) {
        double place = source_place(r, i), base = floor(place), weights[4] = { 0, 1 - (place - base), place - base, 0 },
               sum = 0;
        outside[i] = crop && (place < 0 || place > (double)r->from - 1);
        if (cubic)
            cubic_weights(place - base, a, weights);
        for (int k = 0; k < 4; ++k) {
            double at = base + k - 1;
            bool in = at >= 0 && at <= (double)r->from - 1;
            weights[k] = exclude && !in ? 0 : weights[k];
            sum += weights[k];
        }
        for (int k = 0; k < 4 && !outside[i]; ++k) {
            double at = base + k - 1;
            size_t from = at < 0 ? 0 : at > (double)r->from - 1 ? r->from - 1 : (size_t)at;
            matrix[from * r->to + i] += exclude ? weights[k] / sum : weights[k];
        }
    }
    return matrix;
}

static pop_tensor resize_smooth(onnx_builder *b, pop_tensor t, unsigned dim, const struct resize *r, bool cubic)
{
    bool *outside = onnx_new(b->arena, r->to + 1, sizeof(*outside)), any = false;
    double *matrix = weight_matrix(b, r, cubic, outside);
    unsigned last = (unsigned)pop_tensor_rank(t) - 1;
    t = pop_tensor_dim_roll_at(b->where, t, dim, last);
    pop_shape shape = onnx_shape(b, t);
    size_t rows = pop_tensor_num_elements(t) / r->from, dims[TREMULA_ONNX_MAX_RANK];
    memcpy(dims, shape.dims, shape.rank * sizeof(*dims));
    dims[last] = r->to;
    pop_tensor weights = onnx_real_constant(b, pop_tensor_type(t), POP_SHAPE(r->from, r->to), matrix);
    t = poplin_mat_mul_at(b->where, b->graph, onnx_reshape(b, t, POP_SHAPE(rows, r->from)), weights, b->program,
                          b->name, onnx_poplin_options(b), b->cache);
    if (!onnx_ok(b))
        return t;
    double value = onnx_float(b, "extrapolation_value", 0), *values = onnx_new(b->arena, r->to + 1, sizeof(*values));
    for (size_t i = 0; i < r->to; ++i) {
        values[i] = outside[i] ? value : 0;
        any = any || outside[i];
    }
    if (any) /* what is outside has weights of 0 */
        t = ONNX_BINARY(b, ADD, t, onnx_real_constant(b, pop_tensor_type(t), POP_SHAPE(1, r->to), values));
    return pop_tensor_dim_roll_at(b->where, onnx_reshape(b, t, (pop_shape){ shape.rank, dims }), last, dim);
}

/* What sets after 17 added. */
static bool has_later_options(const onnx_builder *b)
{
    return onnx_int(b, "antialias", 0) || onnx_has(b, "axes") ||
           strcmp(onnx_text(b, "keep_aspect_ratio_policy", "stretch"), "stretch") != 0 ||
           strcmp(onnx_text(b, "coordinate_transformation_mode", ""), "half_pixel_symmetric") == 0;
}

static bool build_resize(onnx_builder *b)
{
    bool upsample = b->node->row->op == 1, old = upsample || b->model->opset < 11;
    size_t rank = onnx_rank_of(b, 0), scales_input = old ? 1 : 2, attributes;
    const float *listed = onnx_floats(b, "scales", &attributes);
    const tremula_onnx_tensor *scales = NULL, *sizes = NULL, *roi = NULL;
    if (onnx_input(b, scales_input) && tremula_onnx_tensor_elements(&onnx_input(b, scales_input)->host))
        scales = onnx_known(b, scales_input);
    if (!old && onnx_input(b, 3) && tremula_onnx_tensor_elements(&onnx_input(b, 3)->host))
        sizes = onnx_known(b, 3);
    const char *mode = onnx_text(b, "mode", "nearest"),
               *coordinates = onnx_text(b, "coordinate_transformation_mode", old ? "asymmetric" : "half_pixel");
    if (strcmp(coordinates, "tf_crop_and_resize") == 0)
        roi = onnx_known(b, 1);
    pop_tensor t = onnx_tensor(b, 0);
    if (!onnx_ok(b))
        return false;
    const tremula_onnx_tensor *list = sizes ? sizes : scales;
    size_t given = list ? tremula_onnx_tensor_elements(list) : attributes;
    if (has_later_options(b))
        return onnx_complain(b, "antialias, axes, keep_aspect_ratio_policy and half_pixel_symmetric are not supported");
    if (given != rank || (!list && !listed) || (roi && tremula_onnx_tensor_elements(roi) != 2 * rank))
        return onnx_complain(b, "it has no scales or sizes for each of %zu dimensions", rank);
    for (unsigned i = 0; i < rank && onnx_ok(b); ++i) {
        struct resize r = { coordinates,
                            onnx_text(b, "nearest_mode", old ? "floor" : "round_prefer_floor"),
                            pop_tensor_dim(t, i),
                            0,
                            1,
                            0,
                            1 };
        r.start = roi ? onnx_number(roi, i) : 0;
        r.end = roi ? onnx_number(roi, i + rank) : 1;
        double span = roi ? r.end - r.start : 1;
        r.scale = sizes ? 0 : scales ? onnx_number(scales, i) : (double)listed[i];
        double wanted = sizes ? onnx_number(sizes, i) : floor((double)r.from * span * r.scale + 1e-9);
        if (!(wanted >= 1 && wanted < 1e7) || r.from == 0)
            return onnx_complain(b, "dimension %u becomes %.0f elements", i, wanted);
        r.to = (size_t)wanted;
        r.scale = sizes ? wanted / (double)r.from : r.scale;
        if (r.to == r.from && r.scale == 1 && !roi)
            continue;
        t = *mode == 'n' ? resize_nearest(b, t, i, &r) : resize_smooth(b, t, i, &r, *mode == 'c');
    }
    return onnx_give_like(b, t);
}

const onnx_operator onnx_resize_operators[] = {
    { ONNX_ROW("Resize", 10), build_resize, NULL, 0, NULL },
    { ONNX_ROW("Upsample", 7), build_resize, NULL, 1, NULL },
    { { 0 }, NULL, NULL, 0, NULL },
};
