/* SPDX-License-Identifier: Apache-2.0 */
/* Operators whose results are known when a graph is built, and casts. */
#include "onnx/build/build.h"

#include <math.h>
#include <popops/cast.h>
#include <string.h>

static bool fold_constant(onnx_builder *b)
{
    size_t count;
    const int64_t *ints = onnx_ints(b, "value_ints", &count);
    if (ints)
        return onnx_give_known(b, 0, onnx_int_list(b, ints, count));
    const float *floats = onnx_floats(b, "value_floats", &count);
    bool scalar = onnx_has(b, "value_float") || onnx_has(b, "value_int");
    if (floats || scalar) {
        tremula_onnx_type type = onnx_has(b, "value_int") ? TREMULA_ONNX_INT64 : TREMULA_ONNX_FLOAT;
        tremula_onnx_tensor tensor = onnx_new_tensor(b, type, scalar ? POP_SHAPE() : POP_SHAPE(count));
        for (size_t i = 0; i < count && !scalar; ++i)
            onnx_set_number(&tensor, i, (double)floats[i]);
        if (scalar && type == TREMULA_ONNX_INT64)
            onnx_set_integer(&tensor, 0, onnx_int(b, "value_int", 0));
        else if (scalar)
            onnx_set_number(&tensor, 0, onnx_float(b, "value_float", 0));
        return onnx_give_known(b, 0, tensor);
    }
    const onnx_attribute *value = onnx_find_attribute(b->node, "value");
    if (!value || value->kind != ONNX_ATTRIBUTE_TENSOR)
        return onnx_complain(b, "it has no value of a type that is supported");
    return onnx_give_known(b, 0, *value->as.tensor);
}

static bool build_shape(onnx_builder *b)
{
    pop_shape shape = onnx_shape_of(b, 0);
    int64_t rank = (int64_t)shape.rank, start = onnx_int(b, "start", 0), end = onnx_int(b, "end", rank);
    int64_t dims[TREMULA_ONNX_MAX_RANK];
    start = start < 0 ? start + rank : start;
    end = end < 0 ? end + rank : end;
    start = start < 0 ? 0 : start;
    end = end > rank ? rank : end;
    for (int64_t i = start; i < end; ++i)
        dims[i - start] = (int64_t)shape.dims[i];
    return onnx_give_known(b, 0, onnx_int_list(b, dims, end > start ? (size_t)(end - start) : 0));
}

static bool build_size(onnx_builder *b)
{
    tremula_onnx_tensor size = onnx_new_tensor(b, TREMULA_ONNX_INT64, POP_SHAPE());
    onnx_set_integer(&size, 0, (int64_t)tremula_onnx_tensor_elements(&onnx_input(b, 0)->host));
    return onnx_give_known(b, 0, size);
}

static bool fold_constant_of_shape(onnx_builder *b)
{
    size_t rank, dims[TREMULA_ONNX_MAX_RANK];
    const int64_t *shape = onnx_known_ints(b, 0, &rank);
    const onnx_attribute *value = onnx_find_attribute(b->node, "value");
    bool given = value && value->kind == ONNX_ATTRIBUTE_TENSOR && tremula_onnx_tensor_elements(value->as.tensor) == 1;
    if (b->failed || rank > TREMULA_ONNX_MAX_RANK)
        return onnx_complain(b, "its shape has %zu dimensions; at most %d are supported", rank, TREMULA_ONNX_MAX_RANK);
    for (size_t i = 0; i < rank; ++i)
        dims[i] = shape[i] < 0 ? 0 : (size_t)shape[i];
    tremula_onnx_tensor tensor =
        onnx_new_tensor(b, given ? value->as.tensor->type : TREMULA_ONNX_FLOAT, (pop_shape){ rank, dims });
    size_t size = tremula_onnx_type_size(tensor.type);
    for (size_t i = 0, n = tensor.data && given ? tremula_onnx_tensor_elements(&tensor) : 0; i < n; ++i)
        memcpy((char *)tensor.data + i * size, value->as.tensor->data, size);
    return onnx_give_known(b, 0, tensor);
}

static bool fold_range(onnx_builder *b)
{
    const tremula_onnx_tensor *start = onnx_known(b, 0), *limit = onnx_known(b, 1), *delta = onnx_known(b, 2);
    if (b->failed)
        return false;
    double first = onnx_number(start, 0), step = onnx_number(delta, 0),
           length = ceil((onnx_number(limit, 0) - first) / step);
    if (step == 0 || length > 1e9)
        return onnx_complain(b, "its range has more than 10^9 elements");
    size_t count = length > 0 ? (size_t)length : 0;
    tremula_onnx_tensor tensor = onnx_new_tensor(b, start->type, POP_SHAPE(count));
    for (size_t i = 0; i < count && tensor.data; ++i)
        onnx_set_number(&tensor, i, first + (double)i * step);
    return onnx_give_known(b, 0, tensor);
}

static bool build_eye_like(onnx_builder *b)
{
    pop_shape shape = onnx_shape_of(b, 0);
    int64_t k = onnx_int(b, "k", 0);
    if (shape.rank != 2)
        return onnx_complain(b, "its input has %zu dimensions, not 2", shape.rank);
    tremula_onnx_tensor eye = onnx_new_tensor(b, (tremula_onnx_type)onnx_int(b, "dtype", onnx_type_of(b, 0)), shape);
    for (size_t i = 0; i < shape.dims[0] && eye.data; ++i)
        if ((int64_t)i + k >= 0 && (int64_t)i + k < (int64_t)shape.dims[1])
            onnx_set_number(&eye, i * shape.dims[1] + (size_t)((int64_t)i + k), 1);
    return onnx_give_known(b, 0, eye);
}

/* ---- casts ---- */

static bool is_integer(tremula_onnx_type type)
{
    return !onnx_is_real(type) && type != TREMULA_ONNX_BOOL;
}

/* An integer of 8 or 16 bits keeps the low bits of a wider one, as ONNX's does. */
static bool cast_to(onnx_builder *b, tremula_onnx_type type)
{
    pop_tensor t = onnx_tensor(b, 0);
    pop_type device = onnx_device_type(b, type);
    if (!onnx_ok(b))
        return false;
    if (device == POP_TYPE_NULL)
        return onnx_complain(b, "it casts to %s, which has no type on the device", tremula_onnx_type_name(type));
    pop_tensor result = onnx_cast(b, t, device);
    if (is_integer(type) && tremula_onnx_type_size(type) < tremula_onnx_type_size(onnx_type_of(b, 0))) {
        static const pop_type narrow[] = { [TREMULA_ONNX_UINT8] = POP_UNSIGNED_CHAR,
                                           [TREMULA_ONNX_INT8] = POP_SIGNED_CHAR,
                                           [TREMULA_ONNX_UINT16] = POP_UNSIGNED_SHORT,
                                           [TREMULA_ONNX_INT16] = POP_SHORT };
        pop_type less = (size_t)type < sizeof(narrow) / sizeof(narrow[0]) ? narrow[type] : POP_TYPE_NULL;
        if (less != POP_TYPE_NULL)
            result = onnx_cast(b, onnx_cast(b, result, less), device);
    }
    return onnx_give(b, 0, result, type);
}

static bool fold_to(onnx_builder *b, tremula_onnx_type type)
{
    const onnx_value *in = onnx_input(b, 0);
    if (tremula_onnx_type_size(type) == 0)
        return onnx_complain(b, "it casts to %s, which is not supported", tremula_onnx_type_name(type));
    tremula_onnx_tensor result = onnx_new_tensor(b, type, onnx_shape_of(b, 0));
    for (size_t i = 0, n = result.data ? tremula_onnx_tensor_elements(&result) : 0; i < n; ++i)
        if (onnx_is_real(in->type))
            onnx_set_number(&result, i, onnx_number(&in->host, i));
        else
            onnx_set_integer(&result, i, onnx_integer(&in->host, i));
    return onnx_give_known(b, 0, result);
}

static bool build_cast(onnx_builder *b)
{
    return cast_to(b, (tremula_onnx_type)onnx_int(b, "to", 0));
}

static bool fold_cast(onnx_builder *b)
{
    return fold_to(b, (tremula_onnx_type)onnx_int(b, "to", 0));
}

static bool build_cast_like(onnx_builder *b)
{
    return cast_to(b, onnx_type_of(b, 1));
}

static bool fold_cast_like(onnx_builder *b)
{
    return fold_to(b, onnx_type_of(b, 1));
}

const onnx_operator onnx_constant_operators[] = {
    { ONNX_ROW("Cast", 6), build_cast, fold_cast, 0, NULL },
    { ONNX_ROW("CastLike", 15), build_cast_like, fold_cast_like, 0, NULL },
    { ONNX_ROW("Constant", 1), NULL, fold_constant, 0, NULL },
    { ONNX_ROW("ConstantOfShape", 9), NULL, fold_constant_of_shape, 0, NULL },
    { ONNX_ROW("EyeLike", 9), build_eye_like, build_eye_like, 0, NULL },
    { ONNX_ROW("Range", 11), NULL, fold_range, 0, NULL },
    { ONNX_ROW("Shape", 1), build_shape, build_shape, 0, NULL },
    { ONNX_ROW("Size", 1), build_size, build_size, 0, NULL },
    { { 0 }, NULL, NULL, 0, NULL },
};
