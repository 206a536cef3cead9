/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/exchange/marks.h"

#include <assert.h>

enum { FEW_PARTS = 1 << 16 };

void marks_init(struct marks *marks, struct bitmaps *bits, const pop_store *store)
{
    *marks = (struct marks){ .bits = bits,
                             .of = store->variables.data,
                             .spans = mem_zero(store->variables.count, sizeof(*marks->spans)) };
}

void marks_free(struct marks *marks)
{
    free(marks->spans);
    vec_free(&marks->variables);
    vec_free(&marks->parts);
}

static void widen_span(struct marks *marks, struct variable_part part)
{
    struct variable_part *span = &marks->spans[part.variable];
    if (!span->end) {
        *span = part;
        *vec_push(&marks->variables) = part.variable;
    }
    span->begin = part.begin < span->begin ? part.begin : span->begin;
    span->end = part.end > span->end ? part.end : span->end;
}

uint64_t marks_set(struct marks *marks, struct variable_part part)
{
    assert(part.begin < part.end && part.end <= marks->of[part.variable].elements);
    uint64_t fresh = bits_set(marks_bits(marks, part.variable), part.begin, part.end);
    if (!fresh)
        return 0;
    widen_span(marks, part);
    if (marks->parts.count < FEW_PARTS)
        *vec_push(&marks->parts) = part;
    else
        marks->many = true;
    return fresh;
}

void marks_clear(struct marks *marks)
{
    for (size_t i = 0; !marks->many && i < marks->parts.count; ++i)
        bits_clear(marks_bits(marks, marks->parts.data[i].variable), marks->parts.data[i].begin,
                   marks->parts.data[i].end);
    for (size_t i = 0; i < marks->variables.count; ++i) {
        struct variable_part *span = &marks->spans[marks->variables.data[i]];
        if (marks->many)
            bits_clear(marks_bits(marks, span->variable), span->begin, span->end);
        span->end = 0;
    }
    marks->variables.count = marks->parts.count = 0;
    marks->many = false;
}
