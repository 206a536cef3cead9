/* SPDX-License-Identifier: Apache-2.0 */
/* Copy, in all its forms: tensor to tensor, streams, remote buffers. */
#include "graph/view/view.h"
#include "program/node.h"

#include "base/log.h"

pop_program pop_copy_at(pop_where where, pop_tensor source, pop_tensor destination, bool dont_outline, const char *name)
{
    pop_program program = { 0 };
    struct program_call call = { destination.store ? destination.store : source.store, where, "pop_copy" };
    if (!store_ready(call.store) || !node_check_tensor(&call, source, "the source") ||
        !node_check_writable(&call, destination, "the destination"))
        return program;
    size_t from = pop_tensor_num_elements(source), to = pop_tensor_num_elements(destination);
    if (from != to) {
        char shapes[2][64];
        pop_tensor_shape_to_string(source, shapes[0], sizeof(shapes[0]));
        pop_tensor_shape_to_string(destination, shapes[1], sizeof(shapes[1]));
        store_fail(call.store, POP_CONTROL_PROGRAM_ERROR, where, call.api,
                   "the source has %zu elements (shape %s), the destination %zu (shape %s)", from, shapes[0], to,
                   shapes[1]);
        return program;
    }
    if (pop_tensor_type(source) != pop_tensor_type(destination)) {
        store_fail(call.store, POP_TYPE_ERROR, where, call.api,
                   "the source has type %s, the destination %s (a Copy does not convert)",
                   pop_type_name(pop_tensor_type(source)), pop_type_name(pop_tensor_type(destination)));
        return program;
    }
    struct program_node *node = node_add(&call, PROGRAM_COPY, name, &program);
    node->source = view_keep(source);
    node->destination = view_keep(destination);
    node->flag = dont_outline;
    if (node->source->piece_count > 1 || node->destination->piece_count > 1)
        LOG(TENSOR, DEBUG, "copy '%s' rearranges %llu elements: %u pieces of the source go to %u of the destination",
            name ? name : "", (unsigned long long)node->source->elements, node->source->piece_count,
            node->destination->piece_count);
    return program;
}

/* Checks that a tensor has the type and size of a stream or buffer. */
static bool check_moved(const struct program_call *call, pop_tensor t, pop_type type, uint64_t elements,
                        const char *what, const char *handle)
{
    if (pop_tensor_type(t) != type)
        return store_fail(call->store, POP_TYPE_ERROR, call->where, call->api, "the tensor has type %s, %s '%s' has %s",
                          pop_type_name(pop_tensor_type(t)), what, handle, pop_type_name(type));
    if (pop_tensor_num_elements(t) != elements)
        return store_fail(call->store, POP_CONTROL_PROGRAM_ERROR, call->where, call->api,
                          "the tensor has %zu elements, a copy of %s '%s' moves %llu", pop_tensor_num_elements(t), what,
                          handle, (unsigned long long)elements);
    return true;
}

static pop_program stream_copy(const struct program_call *call, pop_stream stream, pop_tensor t,
                               pop_stream_type direction, bool optimise_memory, const char *name)
{
    pop_program program = { 0 };
    if (!store_ready(call->store))
        return program;
    if (!stream.id || stream.store != call->store || stream.id > call->store->streams.count) {
        store_fail(call->store, POP_CONTROL_PROGRAM_ERROR, call->where, call->api,
                   stream.id ? "the stream belongs to another graph" : "the stream is null");
        return program;
    }
    const struct stream *s = &call->store->streams.data[stream.id - 1];
    const char *handle = store_name(call->store, s->name);
    bool in = direction == POP_HOST_TO_DEVICE_FIFO;
    if (s->direction != direction) {
        store_fail(call->store, POP_CONTROL_PROGRAM_ERROR, call->where, call->api, "stream '%s' goes from the %s",
                   handle,
                   in ? "device to the host, it cannot be copied from" : "host to the device, it cannot be copied to");
        return program;
    }
    if (!(in ? node_check_writable : node_check_tensor)(call, t, in ? "the destination" : "the source") ||
        !check_moved(call, t, (pop_type)s->type, s->elements, "stream", handle))
        return program;
    struct program_node *node = node_add(call, in ? PROGRAM_STREAM_IN : PROGRAM_STREAM_OUT, name, &program);
    node->object = stream.id - 1;
    node->flag = optimise_memory;
    *(in ? &node->destination : &node->source) = view_keep(t);
    return program;
}

pop_program pop_copy_from_stream_at(pop_where where, pop_stream stream, pop_tensor destination, bool optimise_memory,
                                    const char *name)
{
    struct program_call call = { destination.store ? destination.store : stream.store, where, "pop_copy_from_stream" };
    return stream_copy(&call, stream, destination, POP_HOST_TO_DEVICE_FIFO, optimise_memory, name);
}

pop_program pop_copy_to_stream_at(pop_where where, pop_tensor source, pop_stream stream, bool optimise_memory,
                                  const char *name)
{
    struct program_call call = { source.store ? source.store : stream.store, where, "pop_copy_to_stream" };
    return stream_copy(&call, stream, source, POP_DEVICE_TO_HOST_FIFO, optimise_memory, name);
}

/* Whether offset can choose rows: a list of INT or UNSIGNED_INT, or the null tensor for row 0. */
static bool check_rows(const struct program_call *call, pop_tensor offset, uint64_t *rows)
{
    *rows = 1;
    if (!pop_tensor_valid(offset) && !offset.store)
        return true;
    if (!node_check_tensor(call, offset, "the offset"))
        return false;
    pop_type type = pop_tensor_type(offset);
    if (type != POP_INT && type != POP_UNSIGNED_INT)
        return store_fail(call->store, POP_TYPE_ERROR, call->where, call->api,
                          "the offset has type %s, it must be int or unsigned int", pop_type_name(type));
    *rows = pop_tensor_num_elements(offset);
    return true;
}

static pop_program remote_copy(const struct program_call *call, pop_remote_buffer buffer, pop_tensor t,
                               pop_tensor offset, bool in, const char *name)
{
    pop_program program = { 0 };
    if (!store_ready(call->store))
        return program;
    if (!buffer.id || buffer.store != call->store || buffer.id > call->store->remotes.count) {
        store_fail(call->store, POP_CONTROL_PROGRAM_ERROR, call->where, call->api,
                   buffer.id ? "the remote buffer belongs to another graph" : "the remote buffer is null");
        return program;
    }
    const struct remote_buffer *remote = &call->store->remotes.data[buffer.id - 1];
    uint64_t rows = 1;
    if (!(in ? node_check_writable : node_check_tensor)(call, t, in ? "the destination" : "the source") ||
        !check_rows(call, offset, &rows) ||
        !check_moved(call, t, (pop_type)remote->type, remote->elements * rows, "remote buffer",
                     store_name(call->store, remote->name)))
        return program;
    struct program_node *node = node_add(call, in ? PROGRAM_REMOTE_IN : PROGRAM_REMOTE_OUT, name, &program);
    node->object = buffer.id - 1;
    *(in ? &node->destination : &node->source) = view_keep(t);
    node->control = pop_tensor_valid(offset) ? view_keep(offset) : NULL;
    return program;
}

pop_program pop_copy_from_remote_at(pop_where where, pop_remote_buffer buffer, pop_tensor destination,
                                    pop_tensor offset, const char *name)
{
    struct program_call call = { destination.store ? destination.store : buffer.store, where, "pop_copy_from_remote" };
    return remote_copy(&call, buffer, destination, offset, true, name);
}

pop_program pop_copy_to_remote_at(pop_where where, pop_tensor source, pop_remote_buffer buffer, pop_tensor offset,
                                  const char *name)
{
    struct program_call call = { source.store ? source.store : buffer.store, where, "pop_copy_to_remote" };
    return remote_copy(&call, buffer, source, offset, false, name);
}
