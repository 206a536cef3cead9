/* SPDX-License-Identifier: Apache-2.0 */
#include "pva/array.h"

struct array_cursor array_begin(const void *data, size_t size)
{
    return (struct array_cursor){ .data = data, .size = size };
}

/* Sets damaged, and reads zeros from then on, where the data ends within a number or the number has more than 64 bits.
 */
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

uint64_t array_next(struct array_cursor *cursor, uint64_t most, uint64_t *value)
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
        return most;
    }
    uint64_t count = 1;
    if (cursor->run)
        count = cursor->left < most ? cursor->left : most;
    else
        read_difference(cursor);
    cursor->left -= count;
    *value = cursor->damaged ? 0 : cursor->value;
    return count;
}

bool array_decode(const void *data, size_t size, uint64_t *numbers, size_t count)
{
    struct array_cursor cursor = array_begin(data, size);
    for (size_t i = 0; i < count;) {
        uint64_t value, run = array_next(&cursor, count - i, &value);
        for (uint64_t k = 0; k < run; ++k)
            numbers[i++] = value;
    }
    return !cursor.damaged;
}

uint64_t array_at(const void *data, size_t size, uint64_t index)
{
    struct array_cursor cursor = array_begin(data, size);
    for (uint64_t at = 0, value;;) {
        uint64_t run = array_next(&cursor, index - at + 1, &value);
        at += run;
        if (at > index)
            return value;
    }
}
