/* SPDX-License-Identifier: Apache-2.0 */
#include "report/array.h"

/* Fewer equal elements than this are cheaper as differences of 0. */
enum { SHORTEST_RUN = 4 };

static void put(struct array *array, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        *vec_push(&array->bytes) = (unsigned char)(number | 0x80);
    *vec_push(&array->bytes) = (unsigned char)number;
}

static uint64_t zigzag(uint64_t difference)
{
    return difference << 1 ^ (uint64_t) - (int64_t)(difference >> 63);
}

static void put_singles(struct array *array)
{
    if (!array->singles.count)
        return;
    put(array, (uint64_t)array->singles.count << 1 | 1);
    for (size_t i = 0; i < array->singles.count; ++i)
        put(array, zigzag(array->singles.data[i]));
    array->singles.count = 0;
}

static void put_run(struct array *array)
{
    uint64_t difference = array->value - array->last;
    if (array->count >= SHORTEST_RUN) {
        put_singles(array);
        put(array, array->count << 1);
        put(array, zigzag(difference));
    } else {
        for (uint64_t i = 0; i < array->count; ++i)
            *vec_push(&array->singles) = i ? 0 : difference;
    }
    array->last = array->value;
    array->count = 0;
}

void array_begin(struct array *array)
{
    array->bytes.count = array->singles.count = 0;
    array->last = array->value = array->count = array->sum = array->max = 0;
}

void array_add(struct array *array, uint64_t value, uint64_t count)
{
    if (!count)
        return;
    array->sum += value * count;
    array->max = value > array->max ? value : array->max;
    if (array->count && value != array->value)
        put_run(array);
    array->value = value;
    array->count += count;
}

void array_end(struct array *array)
{
    if (array->value) /* zeros at the end are not written */
        put_run(array);
    array->count = 0;
    put_singles(array);
}

void array_free(struct array *array)
{
    vec_free(&array->bytes);
    vec_free(&array->singles);
}

void array_of(struct array *array, const uint64_t *values, size_t count)
{
    array_begin(array);
    for (size_t i = 0; i < count; ++i)
        array_add(array, values[i], 1);
    array_end(array);
}
