/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/lower/shared_gathers.h"

#include <assert.h>
#include <string.h>

enum { RUN_MAX = 16 }; /* vertices of a run: larger ones would leave threads without work */

void shared_gathers_begin(struct shared_gathers *s)
{
    s->any = false;
}

/* The current vertex is complete. */
static void finish_vertex(struct shared_gathers *s, struct image *image)
{
    if (!s->joined) {
        s->leader = s->vertex;
        s->first = s->own;
        return;
    }
    for (uint64_t i = s->first; i < image->gathers.count; ++i)
        image->gathers.data[i].last_vertex = s->vertex;
}
static void begin_vertex(struct shared_gathers *s, struct image *image, uint32_t vertex)
{
    if (s->any)
        finish_vertex(s, image);
    bool next = s->any && vertex == s->vertex + 1;
    s->earlier.count = 0;
    if (next)
        memcpy(vec_extend(&s->earlier, s->now.count), s->now.data, s->now.count * sizeof(*s->now.data));
    s->now.count = 0;
    s->any = true;
    s->vertex = vertex;
    s->own = image->gathers.count;
    s->open = next && vertex - s->leader < RUN_MAX;
    s->joined = false;
}
void shared_gathers_end(struct shared_gathers *s, struct image *image)
{
    if (s->any)
        finish_vertex(s, image);
    s->any = false;
}

/* Copies to buffers, by their indices + 1. */
static bool same_copy(const struct image *image, uint32_t a, uint32_t b)
{
    const struct image_copy *x = image->copies.data + a - 1, *y = image->copies.data + b - 1;
    const struct image_move *moves = image->moves.data;
    return x->bytes == y->bytes && x->moves == y->moves && x->element_bytes == y->element_bytes &&
           memcmp(moves + x->first_move, moves + y->first_move, x->moves * sizeof(*moves)) == 0;
}

uint64_t shared_gathers_add(struct shared_gathers *s, struct image *image, const struct image_gather *gather,
                            bool share)
{
    if (!s->any || gather->vertex_in_set != s->vertex)
        begin_vertex(s, image, gather->vertex_in_set);
    size_t edge = s->now.count;
    uint64_t index = image->gathers.count;
    if (share && s->open && !gather->after && edge < s->earlier.count) {
        const struct image_gather *before = image->gathers.data + s->earlier.data[edge];
        if (!before->after && same_copy(image, before->before, gather->before)) {
            assert(gather->before == image->copies.count);
            index = s->earlier.data[edge];
            image->moves.count = image->copies.data[--image->copies.count].first_move;
            s->joined = true;
        }
    }
    if (index == image->gathers.count)
        *vec_push(&image->gathers) = *gather;
    *vec_push(&s->now) = index;
    return index;
}

void shared_gathers_free(struct shared_gathers *s)
{
    vec_free(&s->earlier);
    vec_free(&s->now);
}
