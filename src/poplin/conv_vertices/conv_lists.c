/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/conv_vertices/conv_lists.h"
#include "poplin/conv_vertices/conv_vertex.h"

static unsigned next_of(const pop_vertex_view *vertex, size_t *at)
{
    return (unsigned)pop_vertex_view_field_value(vertex, "worklists", (*at)++);
}

/* Reads a worker's list of one kernel position to items, which has space for the rest of the worklists.  Returns the
 * number of elements in it. */
static unsigned read_list(const pop_vertex_view *vertex, size_t *at, unsigned *items, size_t *count)
{
    unsigned sum = 0;
    *count = next_of(vertex, at);
    for (size_t i = 0; i < *count; ++i) {
        items[i] = (unsigned)pop_vertex_view_field_value(vertex, "worklists", *at + 1);
        sum += items[i];
        *at += 3;
    }
    return sum;
}

/* Positions are in the order of the kernel: position p is in row p / width, and `height` such rows are computed
 * together. */
struct conv_lists conv_lists_of(const pop_vertex_view *vertex, unsigned positions, unsigned width, unsigned height)
{
    unsigned workers = conv_vertex_field(vertex, "num_workers");
    size_t total = pop_vertex_view_field_size(vertex, "worklists", POP_WHOLE), used = 0, at = 0;
    struct conv_lists found = { poplibs_zeros((size_t)positions * workers, sizeof(*found.lists)),
                                poplibs_new(total, sizeof(*found.items)) };
    unsigned *sums = poplibs_zeros((size_t)positions * workers, sizeof(*sums));
    for (unsigned p = 0; p < positions; ++p)
        for (unsigned w = 0; w < workers; ++w) {
            unsigned row = p / width / height * width + p % width, place = row * workers + w;
            size_t count;
            unsigned sum = read_list(vertex, &at, found.items + used, &count);
            if (sum < sums[place] || (sum == sums[place] && found.lists[place].items))
                continue;
            sums[place] = sum;
            found.lists[place] = (struct worklist){ found.items + used, count };
            used += count;
        }
    free(sums);
    return found;
}
struct conv_lists conv_lists(const pop_vertex_view *vertex)
{
    return conv_lists_of(vertex, conv_vertex_field(vertex, "kernel_size"), conv_vertex_field(vertex, "filter_width"),
                         conv_vertex_field(vertex, "filter_height"));
}
