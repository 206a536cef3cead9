/* SPDX-License-Identifier: Apache-2.0 */
/* The host's side of a graph: handles, streams, remote buffers, host functions, and functions of the device. */
#include "graph/store/store.h"
#include "graph/variable/variable.h"
#include "graph/view/view.h"

#include "base/options.h"
#include "base/str.h"

static bool check_handle(pop_graph *graph, pop_where where, const char *api, const char *handle)
{
    if (!graph_ready(graph))
        return false;
    if (handle && *handle)
        return true;
    return store_fail(graph->store, POP_GRAPH_OBJECT_CREATION_ERROR, where, api, "the handle is %s",
                      handle ? "empty" : "NULL");
}

static bool taken(pop_graph *graph, pop_where where, const char *api, const char *what, const char *handle)
{
    return store_fail_in(graph->store, POP_GRAPH_OBJECT_CREATION_ERROR, where, api, handle,
                         "there already is a %s '%s' in this graph", what, handle);
}

static bool check_elements(pop_graph *graph, pop_where where, const char *api, const char *handle, pop_type type,
                           uint64_t elements)
{
    if (!pop_type_is_supported(type))
        return store_fail_in(graph->store, POP_TYPE_ERROR, where, api, handle, "no device has elements of type %s",
                             pop_type_name(type));
    if (elements > (uint64_t)1 << 40)
        return store_fail_in(graph->store, POP_OVERFLOW_ERROR, where, api, handle,
                             "%llu elements: at most 2^40 are allowed", (unsigned long long)elements);
    return true;
}

/* ---- host access to tensors; reads and writes have names of their own ---- */

static bool has_handle(const struct host_handle *handles, size_t count, uint32_t name)
{
    for (size_t i = 0; i < count; ++i)
        if (handles[i].name == name)
            return true;
    return false;
}

/* The handle of a QUARTER tensor's metadata, 0 for tensors without. */
static uint32_t metadata_handle(pop_store *store, const char *handle, pop_tensor metadata)
{
    if (!pop_tensor_valid(metadata))
        return 0;
    struct str name = { 0 };
    str_format(&name, "%s/metadata", handle);
    uint32_t interned = intern_add(&store->names, str_text(&name));
    str_free(&name);
    return interned;
}

void pop_graph_create_host_write_at(pop_where where, pop_graph *graph, const char *handle, pop_tensor t)
{
    static const char api[] = "pop_graph_create_host_write";
    if (!check_handle(graph, where, api, handle) ||
        !graph_tensor(graph, where, api, handle, POP_GRAPH_OBJECT_CREATION_ERROR, t))
        return;
    pop_store *store = graph->store;
    uint32_t name = intern_add(&store->names, handle);
    if (has_handle(store->host_writes.data, store->host_writes.count, name))
        taken(graph, where, api, "host write", handle);
    else if (!pop_tensor_is_parallel_writeable(t))
        store_fail_in(store, POP_GRAPH_OBJECT_CREATION_ERROR, where, api, handle,
                      "the tensor cannot be written: it holds %s",
                      pop_tensor_contains_constant(t) ? "constants" : "elements more than once");
    else
        *vec_push(&store->host_writes) = (struct host_handle){ name, view_keep(t) };
    pop_tensor metadata = metadata_of(t);
    name = metadata_handle(store, handle, metadata);
    if (name && !pop_tensor_contains_constant(metadata) && graph_ready(graph) &&
        !has_handle(store->host_writes.data, store->host_writes.count, name))
        *vec_push(&store->host_writes) = (struct host_handle){ name, view_keep(metadata) };
}

void pop_graph_create_host_read_at(pop_where where, pop_graph *graph, const char *handle, pop_tensor t)
{
    static const char api[] = "pop_graph_create_host_read";
    if (!check_handle(graph, where, api, handle) ||
        !graph_tensor(graph, where, api, handle, POP_GRAPH_OBJECT_CREATION_ERROR, t))
        return;
    pop_store *store = graph->store;
    uint32_t name = intern_add(&store->names, handle);
    if (has_handle(store->host_reads.data, store->host_reads.count, name))
        taken(graph, where, api, "host read", handle);
    else
        *vec_push(&store->host_reads) = (struct host_handle){ name, view_keep(t) };
    pop_tensor metadata = metadata_of(t);
    name = metadata_handle(store, handle, metadata);
    if (name && graph_ready(graph) && !has_handle(store->host_reads.data, store->host_reads.count, name))
        *vec_push(&store->host_reads) = (struct host_handle){ name, view_keep(metadata) };
}

/* ---- streams ---- */

/* Of one transfer, which the device takes in pieces of 128 MiB (the guide). */
#define LARGEST_STREAM ((uint64_t)1 << 40)

static bool check_stream(pop_graph *graph, pop_where where, const char *api, const char *handle,
                         const struct stream *stream)
{
    if (!check_handle(graph, where, api, handle) ||
        !check_elements(graph, where, api, handle, (pop_type)stream->type, stream->elements))
        return false;
    uint64_t bytes = stream->elements * pop_type_size((pop_type)stream->type);
    if (bytes > LARGEST_STREAM)
        return store_fail_in(graph->store, POP_STREAM_MEMORY_ALLOCATION_ERROR, where, api, handle,
                             "a transfer of %llu bytes: the engine keeps a buffer of at most 2^40 bytes for a stream",
                             (unsigned long long)bytes);
    return true;
}

/* An integer of a stream's options; false and the error recorded when it is none. */
static bool stream_options(pop_graph *graph, pop_where where, const char *api, pop_options options,
                           uint32_t *buffering_depth)
{
    struct option_set set = { 0 };
    pop_error error = { 0 };
    bool ok = options_apply(&set, "stream", options, NULL, where, api, &error) == POP_OK;
    int64_t depth = ok ? options_int(&set, "stream", "bufferingDepth") : 1;
    if (ok && depth > 0)
        options_log_idle(&set, "stream", NULL);
    options_free(&set);
    if (!ok)
        return store_record(graph->store, &error, where, api);
    if (depth < 1 || depth > UINT32_MAX)
        return store_fail(graph->store, POP_INVALID_OPTION, where, api, "bufferingDepth is %lld: 1 or more is allowed",
                          (long long)depth);
    *buffering_depth = (uint32_t)depth;
    return true;
}

static pop_stream add_stream(pop_where where, const char *api, pop_graph *graph, const char *handle,
                             struct stream stream, pop_options options)
{
    pop_stream none = { 0 };
    if (!check_stream(graph, where, api, handle, &stream) ||
        !stream_options(graph, where, api, options, &stream.buffering_depth))
        return none;
    pop_store *store = graph->store;
    stream.name = intern_add(&store->names, handle);
    stream.where = store_where(store, where);
    stream.group = graph->group;
    stream.copies = 1;
    for (size_t i = 0; i < store->streams.count;
         ++i) /* an engine finds streams by handle alone, so handles are unique over both directions */
        if (store->streams.data[i].name == stream.name)
            return taken(graph, where, api, "stream", handle), none;
    *vec_push(&store->streams) = stream;
    return (pop_stream){ store, (uint32_t)store->streams.count };
}

pop_stream pop_graph_add_host_to_device_fifo_at(pop_where where, pop_graph *graph, const char *handle, pop_type type,
                                                size_t elements, pop_replicated_stream_mode mode, pop_options options)
{
    static const char api[] = "pop_graph_add_host_to_device_fifo";
    struct stream stream = {
        .type = (uint8_t)type, .direction = POP_HOST_TO_DEVICE_FIFO, .mode = (uint8_t)mode, .elements = elements
    };
    if (graph_ready(graph) && mode != POP_STREAM_REPLICATE && mode != POP_STREAM_BROADCAST)
        store_fail(graph->store, POP_GRAPH_OBJECT_CREATION_ERROR, where, api,
                   "the mode of stream '%s' is %d: POP_STREAM_REPLICATE (%d) and POP_STREAM_BROADCAST (%d) are allowed",
                   handle ? handle : "", (int)mode, (int)POP_STREAM_REPLICATE, (int)POP_STREAM_BROADCAST);
    return add_stream(where, api, graph, handle, stream, options);
}

pop_stream pop_graph_add_device_to_host_fifo_at(pop_where where, pop_graph *graph, const char *handle, pop_type type,
                                                size_t elements, pop_options options)
{
    struct stream stream = { .type = (uint8_t)type, .direction = POP_DEVICE_TO_HOST_FIFO, .elements = elements };
    return add_stream(where, "pop_graph_add_device_to_host_fifo", graph, handle, stream, options);
}

static const struct stream *stream_of(pop_stream stream)
{
    return stream.store && stream.id && stream.id <= stream.store->streams.count
               ? &stream.store->streams.data[stream.id - 1]
               : NULL;
}

const char *pop_stream_handle(pop_stream stream)
{
    const struct stream *s = stream_of(stream);
    return s ? store_name(stream.store, s->name) : "";
}

pop_type pop_stream_element_type(pop_stream stream)
{
    const struct stream *s = stream_of(stream);
    return s ? (pop_type)s->type : POP_TYPE_NULL;
}

size_t pop_stream_num_elements(pop_stream stream)
{
    const struct stream *s = stream_of(stream);
    return s ? (size_t)s->elements : 0;
}

pop_stream_type pop_stream_direction(pop_stream stream)
{
    const struct stream *s = stream_of(stream);
    return s ? (pop_stream_type)s->direction : POP_HOST_TO_DEVICE_FIFO;
}

pop_replicated_stream_mode pop_stream_replicated_mode(pop_stream stream)
{
    const struct stream *s = stream_of(stream);
    return s ? (pop_replicated_stream_mode)s->mode : POP_STREAM_REPLICATE;
}

/* ---- remote buffers ---- */

pop_remote_buffer pop_graph_add_remote_buffer_at(pop_where where, pop_graph *graph, const char *handle, pop_type type,
                                                 size_t elements, size_t repeats, bool rearrange_on_host,
                                                 bool optimise_memory)
{
    static const char api[] = "pop_graph_add_remote_buffer";
    pop_remote_buffer none = { 0 };
    if (!check_handle(graph, where, api, handle) || !check_elements(graph, where, api, handle, type, elements))
        return none;
    pop_store *store = graph->store;
    if (!repeats) {
        store_fail_in(store, POP_GRAPH_OBJECT_CREATION_ERROR, where, api, handle,
                      "repeats is 0: a remote buffer has at least one row");
        return none;
    }
    if (elements && repeats > ((uint64_t)1 << 40) / elements) {
        store_fail_in(store, POP_OVERFLOW_ERROR, where, api, handle,
                      "%zu rows of %zu elements: at most 2^40 elements are allowed", repeats, elements);
        return none;
    }
    struct remote_buffer buffer = { .type = (uint8_t)type,
                                    .rearrange = rearrange_on_host,
                                    .optimise = optimise_memory };
    buffer.group = graph->group;
    buffer.copies = 1;
    buffer.elements = elements;
    buffer.repeats = repeats;
    buffer.name = intern_add(&store->names, handle);
    for (size_t i = 0; i < store->remotes.count; ++i)
        if (store->remotes.data[i].name == buffer.name)
            return taken(graph, where, api, "remote buffer", handle), none;
    *vec_push(&store->remotes) = buffer;
    return (pop_remote_buffer){ store, (uint32_t)store->remotes.count };
}

static const struct remote_buffer *remote_of(pop_remote_buffer buffer)
{
    return buffer.store && buffer.id && buffer.id <= buffer.store->remotes.count
               ? &buffer.store->remotes.data[buffer.id - 1]
               : NULL;
}

const char *pop_remote_buffer_handle(pop_remote_buffer buffer)
{
    const struct remote_buffer *b = remote_of(buffer);
    return b ? store_name(buffer.store, b->name) : "";
}

const char *pop_host_function_handle(pop_host_function function)
{
    const pop_store *store = function.store;
    return store && function.id && function.id <= store->host_functions.count
               ? store_name(store, store->host_functions.data[function.id - 1].name)
               : "";
}

pop_type pop_remote_buffer_element_type(pop_remote_buffer buffer)
{
    const struct remote_buffer *b = remote_of(buffer);
    return b ? (pop_type)b->type : POP_TYPE_NULL;
}

size_t pop_remote_buffer_num_elements(pop_remote_buffer buffer)
{
    const struct remote_buffer *b = remote_of(buffer);
    return b ? (size_t)b->elements : 0;
}

size_t pop_remote_buffer_repeats(pop_remote_buffer buffer)
{
    const struct remote_buffer *b = remote_of(buffer);
    return b ? (size_t)b->repeats : 0;
}

bool pop_remote_buffer_rearrange_on_host(pop_remote_buffer buffer)
{
    const struct remote_buffer *b = remote_of(buffer);
    return b && b->rearrange;
}

bool pop_remote_buffer_optimise_memory(pop_remote_buffer buffer)
{
    const struct remote_buffer *b = remote_of(buffer);
    return b && b->optimise;
}

/* ---- functions ---- */

pop_host_function pop_graph_add_host_function_at(pop_where where, pop_graph *graph, const char *handle,
                                                 const pop_host_argument *inputs, size_t num_inputs,
                                                 const pop_host_argument *outputs, size_t num_outputs)
{
    static const char api[] = "pop_graph_add_host_function";
    pop_host_function none = { 0 };
    if (!check_handle(graph, where, api, handle))
        return none;
    pop_store *store = graph->store;
    size_t count = num_inputs + num_outputs;
    if (num_inputs > UINT16_MAX || num_outputs > UINT16_MAX || (num_inputs && !inputs) || (num_outputs && !outputs)) {
        store_fail_in(store, POP_GRAPH_OBJECT_CREATION_ERROR, where, api, handle,
                      "the lists of arguments are NULL or too long");
        return none;
    }
    for (size_t i = 0; i < count; ++i) {
        const pop_host_argument *argument = i < num_inputs ? &inputs[i] : &outputs[i - num_inputs];
        if (!check_elements(graph, where, api, handle, argument->type, argument->elements))
            return none;
    }
    if (graph->group) {
        store_fail_in(store, POP_GRAPH_REPLICATION_ERROR, where, api, handle,
                      "a graph of createReplicatedGraph has no host functions: add it to the parent, and call it with "
                      "one replica's tensors (getNonReplicatedTensor)");
        return none;
    }
    uint32_t name = intern_add(&store->names, handle);
    for (size_t i = 0; i < store->host_functions.count; ++i)
        if (store->host_functions.data[i].name == name)
            return taken(graph, where, api, "host function", handle), none;
    struct host_function function = { .name = name,
                                      .input_count = (uint32_t)num_inputs,
                                      .output_count = (uint32_t)num_outputs };
    function.arguments = mem_alloc(count * sizeof(*function.arguments));
    for (size_t i = 0; i < count; ++i)
        function.arguments[i] = i < num_inputs ? inputs[i] : outputs[i - num_inputs];
    *vec_push(&store->host_functions) = function;
    return (pop_host_function){ store, (uint32_t)store->host_functions.count };
}

pop_function pop_graph_add_function_at(pop_where where, pop_graph *graph, pop_program program)
{
    static const char api[] = "pop_graph_add_function";
    pop_function none = { 0 };
    if (!graph_ready(graph))
        return none;
    pop_store *store = graph->store;
    if (program.store != store || !program.id || program.id > store->programs.count) {
        store_fail(store, POP_CONTROL_PROGRAM_ERROR, where, api, "the program %s",
                   program.id ? "belongs to another graph" : "is null");
        return none;
    }
    *vec_push(&store->functions) = (struct graph_function){ program.id - 1 };
    return (pop_function){ store, (uint32_t)store->functions.count };
}

bool pop_graph_has_function(const pop_graph *graph, pop_function function)
{
    return graph && (!function.store || function.store == graph->store) && function.id &&
           function.id <= graph->store->functions.count;
}
