/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a graph's store as debug contexts. Layers: "poplar" for objects of the graph, and a library's own layer for
 * its calls. */
#include "report/report.h"

#include "program/node.h"
#include "report/debug_process.h"
#include "value/value.h"

static pop_profile_value text_of_dims(const uint64_t *dims, uint64_t rank)
{
    struct {
        char text[512];
        size_t used;
    } out = { "[", 1 };
    for (uint64_t i = 0; i < rank && out.used < sizeof(out.text) - 32; ++i)
        out.used += (size_t)snprintf(out.text + out.used, sizeof(out.text) - out.used, "%s%llu", i ? ", " : "",
                                     (unsigned long long)dims[i]);
    snprintf(out.text + out.used, sizeof(out.text) - out.used, "]");
    return pop_profile_string(out.text);
}

/* words: type, rank, dimensions. */
static pop_profile_value tensor_value(const uint64_t *words)
{
    pop_profile_value map = pop_profile_map_new();
    pop_profile_set(&map, "shape", text_of_dims(words + 2, words[1]));
    pop_profile_set(&map, "type", pop_profile_string(pop_type_name((pop_type)words[0])));
    return map;
}

static pop_profile_value tensors_value(const uint64_t *words, uint64_t count)
{
    pop_profile_value list = pop_profile_vector_new();
    for (uint64_t i = 0; i < count; i += 2 + words[i + 1])
        pop_profile_push(&list, tensor_value(words + i));
    return list;
}

static pop_profile_value options_value(const pop_store *store, const uint64_t *words, uint64_t count)
{
    pop_profile_value map = pop_profile_map_new();
    for (uint64_t i = 0; i < count; i += 2)
        pop_profile_set(&map, store_name(store, (uint32_t)words[i]),
                        pop_profile_string(store_name(store, (uint32_t)words[i + 1])));
    return map;
}

static double as_real(uint64_t bits)
{
    double real;
    memcpy(&real, &bits, sizeof(real));
    return real;
}

static pop_profile_value value_of(const pop_store *store, const struct debug_value *value)
{
    const uint64_t *words = store->calls.words.data + value->first;
    if (!value->count && value->kind == POP_LOG_TENSOR)
        return (pop_profile_value){ 0 };
    switch ((pop_log_kind)value->kind) {
    case POP_LOG_TENSOR:
        return tensor_value(words);
    case POP_LOG_TENSORS:
        return tensors_value(words, value->count);
    case POP_LOG_SHAPE:
    case POP_LOG_DIMS:
        return text_of_dims(words, value->count);
    case POP_LOG_TYPE:
        return pop_profile_string(pop_type_name((pop_type)words[0]));
    case POP_LOG_INTEGER:
        return pop_profile_int((int64_t)words[0]);
    case POP_LOG_UNSIGNED:
        return pop_profile_uint(words[0]);
    case POP_LOG_NUMBER:
        return pop_profile_double(as_real(words[0]));
    case POP_LOG_BOOL:
        return pop_profile_bool(words[0]);
    case POP_LOG_TEXT:
    case POP_LOG_WRITTEN:
        return pop_profile_string(store_name(store, (uint32_t)words[0]));
    case POP_LOG_OPTIONS:
        return options_value(store, words, value->count);
    case POP_LOG_NONE:
    case POP_LOG_KINDS:
        break;
    }
    return (pop_profile_value){ 0 };
}

static void add_values(const pop_store *store, pop_profile_value *map, const char *key, uint32_t first)
{
    if (!first)
        return;
    pop_profile_value values = pop_profile_map_new();
    for (uint32_t at = first; at; at = store->calls.values.data[at - 1].next) {
        const struct debug_value *value = &store->calls.values.data[at - 1];
        pop_profile_set(&values, store_name(store, value->name), value_of(store, value));
    }
    pop_profile_set(map, key, values);
}

static void put_calls(struct debug_stream *stream, const pop_store *store)
{
    for (size_t i = 0; i < store->calls.calls.count; ++i) {
        const struct debug_call *call = &store->calls.calls.data[i];
        pop_profile_value map = pop_profile_map_new();
        pop_profile_set(&map, "api", pop_profile_string(call->api));
        add_values(store, &map, "args", call->arguments);
        add_values(store, &map, "outputs", call->results);
        struct debug_context context = { .id = call->id,
                                         .parent = call->parent,
                                         .layer = call->layer,
                                         .name = store_name(store, call->name),
                                         .where = store->wheres.data[call->where] };
        debug_stream_put(stream, &context, map);
    }
}

/* Writes an object of the graph with its category and its name there. */
static void put_object(struct debug_stream *stream, const pop_store *store, uint64_t id, const char *category,
                       uint32_t name, uint32_t where, pop_profile_value map)
{
    pop_where place = store->wheres.data[where];
    struct debug_context context = {
        .id = id, .parent = place.context, .layer = "poplar", .name = store_name(store, name), .where = place
    };
    pop_profile_set(&map, "category", pop_profile_string(category));
    debug_stream_put(stream, &context, map);
}

static void put_variables(struct debug_stream *stream, const pop_store *store)
{
    for (size_t i = 0; i < store->variables.count; ++i) {
        const struct variable *variable = &store->variables.data[i];
        pop_profile_value map = pop_profile_map_new();
        pop_profile_set(&map, "elements", pop_profile_uint(variable->elements));
        pop_profile_set(&map, "type", pop_profile_string(pop_type_name((pop_type)variable->type)));
        pop_profile_set(&map, "constant", pop_profile_bool(variable->constant));
        put_object(stream, store, store->contexts.variables + i, "variable", variable->name, variable->where, map);
    }
}

/* Vertices of one set and type that one source line made. */
struct vertices {
    uint32_t set, type, where;
    uint64_t count;
};
static bool same_vertices(const struct vertices *a, const struct vertices *b)
{
    return a->set == b->set && a->type == b->type && a->where == b->where;
}
static int order_vertices(const void *left, const void *right)
{
    const struct vertices *a = left, *b = right;
    if (a->set != b->set)
        return a->set < b->set ? -1 : 1;
    if (a->type != b->type)
        return a->type < b->type ? -1 : 1;
    return (a->where > b->where) - (a->where < b->where);
}

/* Vertices sorted by set; the caller frees them. */
static struct vertices *collect_vertices(const pop_store *store, size_t *count)
{
    VEC(struct vertices) found = { 0 };
    for (size_t i = 0; i < store->vertices.count; ++i) {
        const struct vertex *v = &store->vertices.data[i];
        struct vertices one = { v->set, v->type, v->where, 1 };
        if (found.count && same_vertices(&found.data[found.count - 1], &one))
            ++found.data[found.count - 1].count;
        else
            *vec_push(&found) = one;
    }
    size_t kept = 0;
    if (found.count)
        qsort(found.data, found.count, sizeof(*found.data), order_vertices);
    for (size_t i = 0; i < found.count; ++i) {
        if (kept && same_vertices(&found.data[kept - 1], &found.data[i]))
            found.data[kept - 1].count += found.data[i].count;
        else
            found.data[kept++] = found.data[i];
    }
    *count = kept;
    return found.data;
}

static pop_profile_value vertices_value(struct debug_stream *stream, const pop_store *store, const struct vertices *v)
{
    pop_where where = store->wheres.data[v->where];
    pop_profile_value map = pop_profile_map_new();
    pop_profile_set(&map, "type", pop_profile_string(store_name(store, store->types.data[v->type].name)));
    pop_profile_set(&map, "count", pop_profile_uint(v->count));
    if (where.context)
        pop_profile_set(&map, "parentId", pop_profile_uint(where.context));
    if (where.file) {
        pop_profile_set(&map, "fileName", pop_profile_uint(intern_add(&stream->strings, where.file)));
        pop_profile_set(&map, "lineNumber", pop_profile_int(where.line));
    }
    return map;
}

static void put_sets(struct debug_stream *stream, const pop_store *store)
{
    size_t count, at = 0;
    struct vertices *vertices = collect_vertices(store, &count);
    for (size_t i = 0; i < store->sets.count; ++i) {
        pop_profile_value map = pop_profile_map_new();
        pop_profile_value *list = pop_profile_set(&map, "vertices", pop_profile_vector_new());
        for (; at < count && vertices[at].set == i; ++at)
            pop_profile_push(list, vertices_value(stream, store, &vertices[at]));
        put_object(stream, store, store->contexts.sets + i, "computeset", store->sets.data[i].name,
                   store->sets.data[i].where, map);
    }
    free(vertices);
}

static void put_programs(struct debug_stream *stream, const pop_store *store)
{
    for (size_t i = 0; i < store->programs.count; ++i) {
        const struct program_node *node = store->programs.data[i];
        pop_profile_value map = pop_profile_map_new();
        pop_profile_set(&map, "class", pop_profile_string(program_kind_name((enum program_kind)node->kind)));
        if (node->kind == PROGRAM_EXECUTE)
            pop_profile_set(&map, "computeSet", pop_profile_uint(store->contexts.sets + node->object));
        put_object(stream, store, store->contexts.programs + i, "program", node->name, node->where, map);
    }
}

void debug_graph_put(struct debug_stream *stream, const void *user)
{
    const pop_store *store = user;
    put_calls(stream, store);
    put_variables(stream, store);
    put_sets(stream, store);
    put_programs(stream, store);
}

void debug_graph_stream(const pop_store *store)
{
    debug_process_put(debug_graph_put, store);
}
