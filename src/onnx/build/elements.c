/* SPDX-License-Identifier: Apache-2.0 */
/* Elements on the host: numbers of any type, and their way into and out of streams. */
#include "onnx/build/build.h"
#include "onnx/model/tensor_file.h"

#include <inttypes.h>
#include <poplar/memory.h>
#include <string.h>

/* The host's type of each type of ONNX; bfloat16 is the upper half of a float. */
static const pop_type host_types[TREMULA_ONNX_TYPES] = {
    [TREMULA_ONNX_FLOAT] = POP_FLOAT,         [TREMULA_ONNX_UINT8] = POP_UNSIGNED_CHAR,
    [TREMULA_ONNX_INT8] = POP_SIGNED_CHAR,    [TREMULA_ONNX_UINT16] = POP_UNSIGNED_SHORT,
    [TREMULA_ONNX_INT16] = POP_SHORT,         [TREMULA_ONNX_INT32] = POP_INT,
    [TREMULA_ONNX_INT64] = POP_LONGLONG,      [TREMULA_ONNX_BOOL] = POP_BOOL,
    [TREMULA_ONNX_FLOAT16] = POP_HALF,        [TREMULA_ONNX_DOUBLE] = POP_DOUBLE,
    [TREMULA_ONNX_UINT32] = POP_UNSIGNED_INT, [TREMULA_ONNX_UINT64] = POP_UNSIGNED_LONGLONG,
};

bool onnx_is_real(tremula_onnx_type type)
{
    return type == TREMULA_ONNX_FLOAT || type == TREMULA_ONNX_FLOAT16 || type == TREMULA_ONNX_DOUBLE ||
           type == TREMULA_ONNX_BFLOAT16;
}

static double bfloat_value(const tremula_onnx_tensor *tensor, size_t i)
{
    uint32_t bits = (uint32_t)((const uint16_t *)tensor->data)[i] << 16;
    float value;
    memcpy(&value, &bits, sizeof(value));
    return (double)value;
}

/* Rounds to nearest even, as conversions of other types do. */
static uint16_t bfloat_bits(double value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof(bits));
    if (single != single)
        return 0x7fc0;
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

double onnx_number(const tremula_onnx_tensor *tensor, size_t i)
{
    if (tensor->type == TREMULA_ONNX_BFLOAT16)
        return bfloat_value(tensor, i);
    double value = 0;
    const char *at = (const char *)tensor->data + i * tremula_onnx_type_size(tensor->type);
    pop_convert(host_types[tensor->type], at, POP_DOUBLE, &value, 1);
    return value;
}

int64_t onnx_integer(const tremula_onnx_tensor *tensor, size_t i)
{
    if (tensor->type == TREMULA_ONNX_BFLOAT16)
        return (int64_t)bfloat_value(tensor, i);
    int64_t value = 0;
    const char *at = (const char *)tensor->data + i * tremula_onnx_type_size(tensor->type);
    pop_convert(host_types[tensor->type], at, POP_LONGLONG, &value, 1);
    return value;
}

void onnx_set_number(tremula_onnx_tensor *tensor, size_t i, double value)
{
    char *at = (char *)tensor->data + i * tremula_onnx_type_size(tensor->type);
    if (tensor->type == TREMULA_ONNX_BFLOAT16)
        ((uint16_t *)tensor->data)[i] = bfloat_bits(value);
    else
        pop_convert(POP_DOUBLE, &value, host_types[tensor->type], at, 1);
}

void onnx_set_integer(tremula_onnx_tensor *tensor, size_t i, int64_t value)
{
    char *at = (char *)tensor->data + i * tremula_onnx_type_size(tensor->type);
    if (tensor->type == TREMULA_ONNX_BFLOAT16)
        ((uint16_t *)tensor->data)[i] = bfloat_bits((double)value);
    else
        pop_convert(POP_LONGLONG, &value, host_types[tensor->type], at, 1);
}

tremula_onnx_tensor onnx_new_tensor(onnx_builder *b, tremula_onnx_type type, pop_shape shape)
{
    tremula_onnx_tensor tensor = { .type = type, .rank = shape.rank };
    size_t count;
    if (shape.rank > TREMULA_ONNX_MAX_RANK ||
        !onnx_count_elements(shape.rank, shape.dims, tremula_onnx_type_size(type), &count) ||
        count > ((size_t)1 << 31)) {
        onnx_complain(b, "its result has more than 2^31 elements or %d dimensions", TREMULA_ONNX_MAX_RANK);
        return tensor;
    }
    for (size_t i = 0; i < shape.rank; ++i)
        tensor.dims[i] = shape.dims[i];
    tensor.data = onnx_new(b->arena, count + 1, tremula_onnx_type_size(type));
    return tensor;
}

tremula_onnx_tensor onnx_int_list(onnx_builder *b, const int64_t *list, size_t count)
{
    tremula_onnx_tensor tensor = onnx_new_tensor(b, TREMULA_ONNX_INT64, POP_SHAPE(count));
    memcpy(tensor.data, list, count * sizeof(*list));
    return tensor;
}

/* ---- streams ---- */

pop_status tremula_onnx_to_stream(const tremula_onnx_tensor *tensor, pop_type type, void *elements, pop_error *error)
{
    size_t count = tremula_onnx_tensor_elements(tensor), size = pop_type_size(type);
    bool narrow = type == POP_INT || type == POP_UNSIGNED_INT;
    for (size_t i = 0; i < count && narrow; ++i) {
        int64_t value = onnx_integer(tensor, i), least = type == POP_INT ? INT32_MIN : 0,
                most = type == POP_INT ? INT32_MAX : UINT32_MAX;
        if (value < least || value > most)
            return onnx_fail(error, POP_INDEX_ERROR,
                             "element %zu is %" PRId64 "; the device's integers are %s of 32 bits", i, value,
                             type == POP_INT ? "signed" : "unsigned");
    }
    if (tensor->type != TREMULA_ONNX_BFLOAT16) {
        pop_convert(host_types[tensor->type], tensor->data, type, elements, count);
        return POP_OK;
    }
    for (size_t i = 0; i < count; ++i) {
        double value = bfloat_value(tensor, i);
        pop_convert(POP_DOUBLE, &value, type, (char *)elements + i * size, 1);
    }
    return POP_OK;
}

void tremula_onnx_from_stream(pop_type type, const void *elements, tremula_onnx_tensor *tensor)
{
    size_t count = tremula_onnx_tensor_elements(tensor), size = pop_type_size(type);
    if (tensor->type != TREMULA_ONNX_BFLOAT16) {
        pop_convert(type, elements, host_types[tensor->type], tensor->data, count);
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        double value = 0;
        pop_convert(type, (const char *)elements + i * size, POP_DOUBLE, &value, 1);
        onnx_set_number(tensor, i, value);
    }
}
