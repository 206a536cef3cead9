/* SPDX-License-Identifier: Apache-2.0 */
#include "value/array.h"

/* ---- writing ---- */

/* Shorter runs of equal elements are smaller when coded as differences of 0. */
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
    if (array->value) /* trailing zeros are not written */
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

/* ---- reading ---- */

struct array_cursor array_cursor(const void *data, size_t size)
{
    return (struct array_cursor){ .data = data, .size = size };
}

/* Where the data ends within a number, or a number has more than 64 bits: sets damaged and returns 0 from then on. */
static uint64_t read_number(struct array_cursor *cursor)
{
    uint64_t number = 0;
    for (unsigned shift = 0; cursor->at < cursor->size; shift += 7) {
        unsigned char byte = cursor->data[cursor->at++];
        if (shift == 63 && byte > 1)
            break;
        number |= (uint64_t)(byte & 127) << shift;
        if (!(byte & 128))
            return number;
        if (shift == 63)
            break;
    }
    cursor->damaged = true;
    cursor->at = cursor->size;
    return 0;
}

static void read_difference(struct array_cursor *cursor)
{
    uint64_t coded = read_number(cursor);
    cursor->value += coded >> 1 ^ (0 - (coded & 1));
}

uint64_t array_next(struct array_cursor *cursor, uint64_t max, uint64_t *value)
{
    if (!cursor->left && cursor->at < cursor->size) {
        uint64_t token = read_number(cursor);
        cursor->run = !(token & 1);
        cursor->left = token >> 1;
        if (!cursor->left)
            cursor->damaged = true;
        else if (cursor->run)
            read_difference(cursor);
    }
    if (cursor->damaged || !cursor->left) {
        cursor->left = 0;
        cursor->at = cursor->size;
        *value = 0;
        return max;
    }
    uint64_t count = 1;
    if (cursor->run)
        count = cursor->left < max ? cursor->left : max;
    else
        read_difference(cursor);
    cursor->left -= count;
    *value = cursor->damaged ? 0 : cursor->value;
    return count;
}

bool array_decode(const void *data, size_t size, uint64_t *numbers, size_t count)
{
    struct array_cursor cursor = array_cursor(data, size);
    for (size_t i = 0; i < count;) {
        uint64_t value, run = array_next(&cursor, count - i, &value);
        for (uint64_t k = 0; k < run; ++k)
            numbers[i++] = value;
    }
    return !cursor.damaged;
}

uint64_t array_at(const void *data, size_t size, uint64_t index)
{
    struct array_cursor cursor = array_cursor(data, size);
    for (uint64_t at = 0, value;;) {
        uint64_t run = array_next(&cursor, index - at + 1, &value);
        at += run;
        if (at > index)
            return value;
    }
}
