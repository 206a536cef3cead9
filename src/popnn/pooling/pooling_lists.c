/* SPDX-License-Identifier: Apache-2.0 */
/* The output elements of all images are shared evenly by the workers, and each share is cut at the ends of rows. */
#include "popnn/pooling/pooling.h"

#include "poplibs/call.h"

#include <assert.h>
#include <stdlib.h>

enum { LIMIT = 65535 };

bool pool_can_list(const struct pool_part *part, bool backward, bool max)
{
    uint64_t in = (uint64_t)part->batch, out = (uint64_t)part->batch;
    bool fits = part->groups <= LIMIT && part->channels <= LIMIT;
    for (int i = 0; i < part->dims; ++i) {
        const struct pool_dim *d = &part->dim[i];
        in *= (uint64_t)d->in_size;
        out *= (uint64_t)d->out_size;
        fits = fits && in && out && in <= LIMIT && out <= LIMIT && d->stride <= LIMIT;
        for (int o = 0; fits && max && !backward && o < d->out_size; ++o)
            fits = pool_covered(d, d->out_begin + o) > 0;
    }
    return fits;
}

/* The items of n elements of a row from x on; returns the number of values.  Forward, an item reads input elements that
 * are a stride apart; backward, it writes elements that are a stride apart. */
static size_t list_items(const struct pool_part *part, const int *place, int x, int n, bool backward,
                         unsigned short *items)
{
    struct pool_walk walk = pool_walk_of(part, !backward);
    const struct pool_dim *d = &part->dim[part->dims - 1];
    int window[6] = { 0 };
    size_t count = 0;
    do {
        int row = pool_row_of(part, place, window, !backward);
        for (int k = 0; k < d->kernel && row >= 0; ++k) {
            /* Output element o of the part overlaps its input element o stride + shift. */
            int shift = d->out_begin * d->stride - d->padding + k - d->in_begin, low = backward ? x : 0,
                high = backward ? x + n : d->in_size;
            int first = pool_max(pool_ceil_div(low - shift, d->stride), backward ? 0 : x),
                end = pool_min(pool_ceil_div(high - shift, d->stride), backward ? d->out_size : x + n);
            if (first >= end)
                continue;
            int in = first * d->stride + shift;
            items[count++] = (unsigned short)((backward ? in : first) - x);
            items[count++] = (unsigned short)(backward ? row * d->out_size + first : row * d->in_size + in);
            items[count++] = (unsigned short)(end - first - 1);
        }
    } while (pool_next_place(window, walk.kernel, part->dims - 1));
    return count;
}

struct lists {
    const struct call *call;
    pop_vertex vertex;
    const struct pool_part *part;
    bool backward;
    size_t rows;
    unsigned short *items, *bases;
};

/* Adds the lists of the elements [begin, end) of the output of all images. */
static void add_rows(struct lists *lists, size_t begin, size_t end)
{
    const struct call *call = lists->call;
    const struct pool_part *part = lists->part;
    struct pool_walk walk = pool_walk_of(part, !lists->backward);
    const struct pool_dim *d = &part->dim[part->dims - 1];
    size_t width = (size_t)(lists->backward ? d->in_size : d->out_size),
           read = (size_t)(lists->backward ? walk.rows * d->out_size : walk.in_rows * d->in_size);
    for (size_t n; begin < end; begin += n) {
        size_t rest = begin / width, x = begin % width;
        int place[6] = { 0 };
        for (int i = part->dims - 1; i-- > 0; rest /= (size_t)walk.sizes[i])
            place[i] = (int)(rest % (size_t)walk.sizes[i]);
        n = poplibs_min(width - x, end - begin);
        lists->bases[2 * lists->rows] = (unsigned short)begin;
        lists->bases[2 * lists->rows + 1] = (unsigned short)(rest * read);
        size_t count = list_items(part, place, (int)x, (int)n, lists->backward, lists->items);
        pop_graph_set_field_vector(call->graph, lists->vertex, POP_FIELD("workList", lists->rows++), POP_UNSIGNED_SHORT,
                                   lists->items, count);
    }
}

void pool_set_lists(const struct call *call, pop_vertex vertex, const struct pool_part *part, bool backward)
{
    pop_graph *graph = call->graph;
    assert(pool_can_list(part, backward, false));
    struct pool_walk walk = pool_walk_of(part, !backward);
    const struct pool_dim *d = &part->dim[part->dims - 1];
    size_t workers = pop_graph_target(graph)->num_worker_contexts, rows = (size_t)part->batch,
           width = (size_t)(backward ? d->in_size : d->out_size);
    for (int i = 0; i + 1 < part->dims; ++i)
        rows *= (size_t)walk.sizes[i];
    size_t elements = rows * width, items = 3 * (size_t)walk.windows * (size_t)d->kernel;
    unsigned short *numbers = malloc((workers + 2 * (rows + workers) + items) * sizeof(*numbers));
    if (!numbers) {
        call_fail(call, POP_GRAPH_MEMORY_ALLOCATION_ERROR, "there is no host memory for the work lists of %zu rows",
                  rows);
        return;
    }
    struct lists lists = {
        call, vertex, part, backward, 0, numbers + workers + 2 * (rows + workers), numbers + workers
    };
    size_t count = 0;
    for (size_t i = 0; i < workers; ++i) {
        size_t begin = i * elements / workers, end = (i + 1) * elements / workers;
        count += begin < end ? (end - 1) / width - begin / width + 1 : 0;
        numbers[i] = (unsigned short)count;
    }
    pop_graph_set_field_size(graph, vertex, "workList", count);
    for (size_t i = 0; i < workers; ++i)
        add_rows(&lists, i * elements / workers, (i + 1) * elements / workers);
    assert(lists.rows == count && count <= rows + workers);
    pop_graph_set_field_vector(graph, vertex, POP_FIELD("startPos", POP_WHOLE), POP_UNSIGNED_SHORT, numbers, workers);
    pop_graph_set_field_vector(graph, vertex, POP_FIELD("offsetBase", POP_WHOLE), POP_UNSIGNED_SHORT, lists.bases,
                               2 * lists.rows);
    pop_graph_set_field_int(graph, vertex, "numChans", part->channels);
    pop_graph_set_field_int(graph, vertex, "numGroups", part->groups);
    pop_graph_set_field_int(graph, vertex, "inStride", backward ? 1 : d->stride);
    pop_graph_set_field_int(graph, vertex, "outStride", backward ? d->stride : 1);
    free(numbers);
}
