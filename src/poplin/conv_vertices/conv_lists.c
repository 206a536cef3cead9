/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/conv_vertices/conv_lists.h"
#include "poplin/conv_vertices/conv_vertex.h"

/* What is left of a vertex's worklists. */
struct rest {
    const double *next, *end;
};

/* Reads a worker's list of one kernel position to items, which has space for the rest of the worklists.  Returns the
 * number of elements in it. */
static unsigned read_list(struct rest *rest, unsigned *items, size_t *count)
{
    unsigned sum = 0;
    size_t listed = rest->next < rest->end ? (size_t)*rest->next++ : 0;
    for (*count = 0; *count < listed && rest->end - rest->next >= 3; rest->next += 3) {
        items[*count] = (unsigned)rest->next[1];
        sum += items[(*count)++];
    }
    return sum;
}

/* Positions are in the order of the kernel: position p is in row p / width, and `height` such rows are computed
 * together. */
struct conv_lists conv_lists_of(const pop_vertex_view *vertex, unsigned positions, unsigned width, unsigned height)
{
    unsigned workers = conv_vertex_field(vertex, "num_workers");
    size_t total = pop_vertex_view_field_size(vertex, "worklists", POP_WHOLE), used = 0;
    struct conv_lists found = { poplibs_zeros((size_t)positions * workers, sizeof(*found.lists)),
                                poplibs_new(total, sizeof(*found.items)) };
    unsigned *sums = poplibs_zeros((size_t)positions * workers, sizeof(*sums));
    double *values = poplibs_new(total, sizeof(*values));
    struct rest rest = { values, values + pop_vertex_view_field_values(vertex, "worklists", POP_WHOLE, values, total) };
    for (unsigned p = 0; p < positions; ++p)
        for (unsigned w = 0; w < workers; ++w) {
            unsigned row = p / width / height * width + p % width, place = row * workers + w;
            size_t count;
            unsigned sum = read_list(&rest, found.items + used, &count);
            if (sum < sums[place] || (sum == sums[place] && found.lists[place].items))
                continue;
            sums[place] = sum;
            found.lists[place] = (struct worklist){ found.items + used, count };
            used += count;
        }
    free(sums);
    free(values);
    return found;
}
struct conv_lists conv_lists(const pop_vertex_view *vertex)
{
    return conv_lists_of(vertex, conv_vertex_field(vertex, "kernel_size"), conv_vertex_field(vertex, "filter_width"),
                         conv_vertex_field(vertex, "filter_height"));
}
