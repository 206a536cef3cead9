/* SPDX-License-Identifier: Apache-2.0 */
#include "popops/collectives/collectives.h"

#include <assert.h>
#include <popops/dynamic_slice.h>
#include <popops/element_wise.h>

enum { MAX_LANES = 4 };

/* One direction of a ring.  The place of a member in the ring is its rank; in a swapped lane the two members of each
 * pair are exchanged.  Row i of the fragments belongs to the member at place i. */
struct lane {
    const struct collective *c;
    int direction; /* 1: to the next place, -1: to the previous one */
    bool swapped;
    unsigned steps;               /* that each fragment moves */
    size_t begin, end;            /* the lane's columns of the rows */
    pop_tensor fragments;         /* {members, columns} */
    pop_tensor send, recv, slice; /* {1, columns} */
    pop_tensor index;             /* {1}: the index of the row in recv */
};
struct lanes {
    struct collective *c;
    struct lane list[MAX_LANES];
    unsigned count;
    bool shared; /* two lanes share one set of fragments and meet in the middle */
};

/* ---- places ---- */

static unsigned place_of(const struct lane *lane, unsigned rank)
{
    return lane->swapped ? rank ^ 1 : rank;
}

static unsigned moved(const struct lane *lane, unsigned place, int by)
{
    int members = (int)lane->c->members;
    return (unsigned)((((int)place + lane->direction * by) % members + members) % members);
}

static unsigned next_member(const void *context, unsigned rank)
{
    const struct lane *lane = context;
    return place_of(lane, moved(lane, place_of(lane, rank), 1));
}

/* The place of the fragment that a member sends first; the fragment arrives at its owner after all steps. */
static unsigned first_place(const void *context, unsigned rank)
{
    const struct lane *lane = context;
    return moved(lane, place_of(lane, rank), (int)lane->steps);
}

static unsigned own_place(const void *context, unsigned rank)
{
    return place_of(context, rank);
}

/* Reorders rows by rank to rows by place; the function is its own inverse. */
static pop_tensor by_place(const struct lane *lane, pop_tensor rows)
{
    const struct call *call = lane->c->call;
    size_t members = pop_tensor_dim(rows, 0), columns = pop_tensor_dim(rows, 1);
    assert(!lane->swapped || members % 2 == 0);
    if (!lane->swapped)
        return rows;
    pop_tensor pairs = pop_tensor_reshape(rows, POP_SHAPE(members / 2, 2, columns));
    return pop_tensor_reshape(pop_tensor_reverse(pairs, 1), POP_SHAPE(members, columns));
}

/* ---- lanes ---- */

static void add_lane(struct lanes *lanes, int direction, bool swapped, unsigned steps)
{
    assert(lanes->count < MAX_LANES && (direction == 1 || direction == -1));
    lanes->list[lanes->count++] =
        (struct lane){ .c = lanes->c, .direction = direction, .swapped = swapped, .steps = steps };
}

static void choose_lanes(struct lanes *lanes, struct collective *c)
{
    unsigned around = c->members - 1, half = c->members / 2;
    *lanes = (struct lanes){ .c = c };
    switch (c->method) {
    case METHOD_CLOCKWISE:
        add_lane(lanes, 1, false, around);
        return;
    case METHOD_ANTICLOCKWISE:
        add_lane(lanes, -1, false, around);
        return;
    case METHOD_MEET_IN_MIDDLE:
        lanes->shared = true;
        add_lane(lanes, 1, false, half);
        if (around > half)
            add_lane(lanes, -1, false, around - half);
        return;
    case METHOD_QUAD:
        if (c->members % 2 == 0 && c->members > 2) {
            add_lane(lanes, 1, true, around);
            add_lane(lanes, -1, true, around);
        }
        /* fall through */
    default:
        add_lane(lanes, 1, false, around);
        add_lane(lanes, -1, false, around);
    }
}

static pop_tensor clone_row(const struct lane *lane)
{
    const struct call *call = lane->c->call;
    return pop_graph_clone(call->graph, POP_TYPE_NULL, pop_tensor_slice(lane->fragments, 0, 1, 0),
                           POP_CLONE_CREATE_NEW_ORDER, lane->c->path);
}

/* Creates the variables of all lanes, which divide the columns among themselves. */
static void open_lanes(struct lanes *lanes, pop_type type, size_t columns)
{
    struct collective *c = lanes->c;
    const struct call *call = c->call;
    for (unsigned i = 0; i < lanes->count; ++i) {
        struct lane *lane = &lanes->list[i];
        lane->begin = lanes->shared ? 0 : columns * i / lanes->count;
        lane->end = lanes->shared ? columns : columns * (i + 1) / lanes->count;
        lane->fragments =
            lanes->shared && i
                ? lanes->list[0].fragments
                : popops_create_sliceable_tensor(call->graph, type, POP_SHAPE(c->members, lane->end - lane->begin),
                                                 POP_DIMS(0), POP_SHAPE(1), 0, c->path);
        lane->send = clone_row(lane);
        lane->recv = clone_row(lane);
        lane->slice = clone_row(lane);
        lane->index = pop_graph_add_variable(call->graph, POP_UNSIGNED_INT, POP_SHAPE(1), c->path);
        pop_graph_set_tile_mapping(call->graph, lane->index, 0);
    }
}

/* Removes lanes that would have no columns. */
static void drop_empty(struct lanes *lanes, size_t columns)
{
    while (!lanes->shared && lanes->count > 1 && columns < lanes->count)
        --lanes->count;
}

static void copy(const struct collective *c, pop_program sequence, pop_tensor from, pop_tensor to)
{
    const struct call *call = c->call;
    pop_sequence_add(sequence, pop_copy(from, to, false, c->path));
}

static void exchange(struct lanes *lanes, pop_program sequence, unsigned count)
{
    struct group_copy parts[MAX_LANES];
    assert(count <= lanes->count);
    for (unsigned i = 0; i < count; ++i)
        parts[i] = (struct group_copy){ lanes->list[i].send, lanes->list[i].recv, next_member, &lanes->list[i] };
    group_exchange(lanes->c, sequence, parts, count);
}

/* Each step receives the row one place before the one received in the step before. */
static void step_index(const struct lane *lane, pop_program sequence)
{
    const struct collective *c = lane->c;
    const struct call *call = c->call;
    unsigned back = lane->direction > 0 ? c->members - 1 : 1;
    popops_operand index = popops_operand_of_tensor(lane->index);
    popops_binary_in_place_at(call->where, POPOPS_BINARY_ADD, call->graph, index, popops_operand_of_unsigned(back),
                              sequence, c->path);
    popops_binary_in_place_at(call->where, POPOPS_BINARY_REMAINDER, call->graph, index,
                              popops_operand_of_unsigned(c->members), sequence, c->path);
}

static void read_row(const struct lane *lane, pop_program sequence, pop_tensor to)
{
    const struct call *call = lane->c->call;
    popops_dynamic_slice_with_output(call->graph, to, lane->fragments, lane->index, POP_DIMS(0), POP_SHAPE(1), sequence,
                                     lane->c->path);
}

static void write_row(const struct lane *lane, pop_program sequence, pop_tensor from, pop_tensor index)
{
    const struct call *call = lane->c->call;
    popops_dynamic_update(call->graph, lane->fragments, from, index, POP_DIMS(0), POP_SHAPE(1), sequence,
                          lane->c->path);
}

/* A step for the first `count` lanes: only the first one when two lanes that meet have different numbers of steps. */
typedef void step_fn(struct lanes *lanes, pop_program sequence, unsigned count);

static void repeat(struct lanes *lanes, unsigned times, unsigned count, step_fn *step)
{
    struct collective *c = lanes->c;
    const struct call *call = c->call;
    if (!times)
        return;
    pop_program body = pop_sequence(call->graph, c->path);
    step(lanes, body, count);
    pop_sequence_add(call->sequence, pop_repeat(times, body, c->path));
}

static void reduce_step(struct lanes *lanes, pop_program sequence, unsigned count)
{
    exchange(lanes, sequence, count);
    for (unsigned i = 0; i < count; ++i) {
        struct lane *lane = &lanes->list[i];
        step_index(lane, sequence);
        read_row(lane, sequence, lane->slice);
        combine(lanes->c, sequence, lane->recv, lane->slice, lane->send);
    }
}

static void gather_step(struct lanes *lanes, pop_program sequence, unsigned count)
{
    exchange(lanes, sequence, count);
    for (unsigned i = 0; i < count; ++i) {
        struct lane *lane = &lanes->list[i];
        step_index(lane, sequence);
        write_row(lane, sequence, lane->recv, lane->index);
        copy(lanes->c, sequence, lane->recv, lane->send);
    }
}

/* Two lanes meet at the owner, which adds its own part only once. */
static void meet(struct lanes *lanes)
{
    struct collective *c = lanes->c;
    const struct call *call = c->call;
    struct lane *lane = &lanes->list[0];
    exchange(lanes, call->sequence, 2);
    step_index(lane, call->sequence);
    read_row(lane, call->sequence, lane->slice);
    combine(c, call->sequence, lane->recv, lane->slice, lane->send);
    combine(c, call->sequence, lane->send, lanes->list[1].recv, lane->send);
}

/* Concatenates the lanes' columns; lanes that share their columns count once. */
static pop_tensor joined(const struct lanes *lanes, bool fragments)
{
    const struct call *call = lanes->c->call;
    pop_tensor list[MAX_LANES];
    unsigned count = lanes->shared ? 1 : lanes->count;
    for (unsigned i = 0; i < count; ++i)
        list[i] = fragments ? by_place(&lanes->list[i], lanes->list[i].fragments) : lanes->list[i].send;
    return pop_tensor_concat((pop_tensors){ count, list }, 1);
}

pop_tensor ring_reduce_scatter(struct collective *c, pop_tensor rows)
{
    const struct call *call = c->call;
    struct lanes lanes;
    choose_lanes(&lanes, c);
    drop_empty(&lanes, pop_tensor_dim(rows, 1));
    open_lanes(&lanes, pop_tensor_type(rows), pop_tensor_dim(rows, 1));
    for (unsigned i = 0; i < lanes.count && call_ready(call); ++i) {
        struct lane *lane = &lanes.list[i];
        if (!i || !lanes.shared)
            copy(c, call->sequence, by_place(lane, pop_tensor_slice(rows, lane->begin, lane->end, 1)), lane->fragments);
        copy(c, call->sequence, group_constant(c, first_place, lane, POP_UNSIGNED_INT), lane->index);
        read_row(lane, call->sequence, lane->send);
    }
    unsigned steps = lanes.list[0].steps, both = lanes.shared && lanes.count == 2 ? lanes.list[1].steps : 0;
    if (!call_ready(call))
        return (pop_tensor){ 0 };
    if (both) {
        repeat(&lanes, steps - both, 1, reduce_step);
        repeat(&lanes, both - 1, 2, reduce_step);
        meet(&lanes);
    } else {
        repeat(&lanes, steps, lanes.count, reduce_step);
    }
    return pop_tensor_flatten(joined(&lanes, false));
}

pop_tensor ring_all_gather(struct collective *c, pop_tensor own)
{
    const struct call *call = c->call;
    struct lanes lanes;
    size_t columns = pop_tensor_num_elements(own);
    choose_lanes(&lanes, c);
    drop_empty(&lanes, columns);
    open_lanes(&lanes, pop_tensor_type(own), columns);
    pop_tensor row = pop_tensor_reshape(own, POP_SHAPE(1, columns));
    for (unsigned i = 0; i < lanes.count && call_ready(call); ++i) {
        struct lane *lane = &lanes.list[i];
        pop_tensor place = group_constant(c, own_place, lane, POP_UNSIGNED_INT);
        copy(c, call->sequence, pop_tensor_slice(row, lane->begin, lane->end, 1), lane->send);
        copy(c, call->sequence, place, lane->index);
        if (!i || !lanes.shared)
            write_row(lane, call->sequence, lane->send, place);
    }
    unsigned steps = lanes.list[0].steps, both = lanes.shared && lanes.count == 2 ? lanes.list[1].steps : steps;
    if (!call_ready(call))
        return (pop_tensor){ 0 };
    repeat(&lanes, both, lanes.count, gather_step);
    repeat(&lanes, steps - both, 1, gather_step);
    return joined(&lanes, true);
}
