/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/convolution/conv_worklists.h"

#include <assert.h>

void conv_axes_make(struct conv_axes *axes)
{
    size_t numbers = 0, lists = 0;
    for (unsigned d = 0; d < axes->dims; ++d) {
        numbers += 2 * axes->positions[d] * axes->output[d];
        lists += axes->positions[d];
    }
    axes->numbers = poplibs_new(numbers, sizeof(*axes->numbers));
    axes->list[0] = poplibs_new(lists, sizeof(*axes->list[0]));
    assert(axes->dims >= 1 && axes->dims <= POPLIN_MAX_FIELD_DIMS);
    unsigned *at = axes->numbers;
    for (unsigned d = 0; d < axes->dims; ++d) {
        if (d)
            axes->list[d] = axes->list[d - 1] + axes->positions[d - 1];
        for (size_t k = 0; k < axes->positions[d]; ++k, at += 2 * axes->output[d])
            axes->list[d][k] = (struct conv_axis){ at, at + axes->output[d], 0 };
    }
}
void conv_axes_free(struct conv_axes *axes)
{
    free(axes->list[0]);
    free(axes->numbers);
}

static void put(struct conv_worklists *list, size_t number)
{
    list->max = (unsigned)poplibs_max(list->max, number);
    *poplibs_push(list) = (unsigned)number;
}

/* One kernel position: the rows and columns of the part's output to which it contributes. */
struct position {
    const struct conv_axes *all;
    struct conv_axis axes[POPLIN_MAX_FIELD_DIMS];
    unsigned last; /* the dimension of the columns */
};

/* Appends the item for columns [begin, end) of a row; rows are numbered over batch and outer field dimensions. */
static void put_item(struct conv_worklists *list, const struct position *position, size_t number, size_t begin,
                     size_t end)
{
    const struct conv_axes *all = position->all;
    const struct conv_axis *columns = &position->axes[position->last];
    size_t rest = number, outer[POPLIN_MAX_FIELD_DIMS];
    for (unsigned d = position->last; d-- > 0; rest /= position->axes[d].count)
        outer[d] = rest % position->axes[d].count;
    size_t in = rest, out = rest;
    for (unsigned d = 0; d < position->last; ++d) {
        in = in * all->input[d] + position->axes[d].ins[outer[d]];
        out = out * all->output[d] + position->axes[d].outs[outer[d]];
    }
    assert(begin < end && end <= columns->count && rest < all->batch);
    put(list, out * all->output[position->last] + columns->outs[begin]);
    put(list, end - begin);
    put(list, in * all->input[position->last] + columns->ins[begin]);
}

/* Appends a worker's items.  Rows are divided into so many pieces that all workers get the same number of pieces. */
static void put_worker(struct conv_worklists *list, const struct position *position, unsigned worker, unsigned workers)
{
    size_t rows = position->all->batch, width = position->axes[position->last].count, place = list->count;
    for (unsigned d = 0; d < position->last; ++d)
        rows *= position->axes[d].count;
    size_t pieces = workers / poplibs_gcd(rows, workers), begin = worker * (rows * pieces) / workers,
           end = (worker + 1) * (rows * pieces) / workers;
    assert(worker < workers && rows * pieces % workers == 0);
    put(list, 0);
    while (begin < end) {
        size_t number = begin / pieces, stop = poplibs_min(end, (number + 1) * pieces);
        size_t from = poplibs_ceil_div((begin - number * pieces) * width, pieces),
               to = poplibs_ceil_div((stop - number * pieces) * width, pieces);
        if (from < to)
            put_item(list, position, number, from, to);
        begin = stop;
    }
    assert((list->count - place - 1) % 3 == 0);
    list->list[place] = (unsigned)((list->count - place - 1) / 3);
}

struct conv_worklists conv_worklists_make(const struct conv_axes *axes, unsigned workers)
{
    struct conv_worklists list = { 0 };
    size_t positions = 1;
    for (unsigned d = 0; d < axes->dims; ++d)
        positions *= axes->positions[d];
    for (size_t p = 0; p < positions; ++p) {
        struct position position = { .all = axes, .last = axes->dims - 1 };
        size_t rest = p;
        for (unsigned d = axes->dims; d-- > 0; rest /= axes->positions[d])
            position.axes[d] = axes->list[d][rest % axes->positions[d]];
        for (unsigned worker = 0; worker < workers; ++worker)
            put_worker(&list, &position, worker, workers);
    }
    return list;
}
