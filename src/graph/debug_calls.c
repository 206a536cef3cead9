/* SPDX-License-Identifier: Apache-2.0 */
/* Recording calls of libraries. */
#include "graph/store.h"

#include <stdatomic.h>

static _Atomic uint64_t last_id; /* ids are unique in a process, since contexts of several graphs share a stream */

uint64_t pop_debug_new_id(void)
{
    return debug_new_ids(1);
}

uint64_t debug_new_ids(uint64_t count)
{
    return atomic_fetch_add_explicit(&last_id, count, memory_order_relaxed) + 1;
}

void debug_calls_free(struct debug_calls *calls)
{
    vec_free(&calls->calls);
    vec_free(&calls->values);
    vec_free(&calls->words);
}

void store_number_contexts(pop_store *store)
{
    store->contexts.variables = debug_new_ids(store->variables.count);
    store->contexts.sets = debug_new_ids(store->sets.count);
    store->contexts.programs = debug_new_ids(store->programs.count);
}

static void put_tensor(struct debug_calls *calls, pop_tensor t)
{
    if (!pop_tensor_valid(t))
        return;
    size_t rank = pop_tensor_rank(t);
    uint64_t *words = vec_extend(&calls->words, rank + 2);
    words[0] = (uint64_t)pop_tensor_type(t);
    words[1] = rank;
    for (size_t i = 0; i < rank; ++i)
        words[i + 2] = pop_tensor_dim(t, (unsigned)i);
}

static void put_values(pop_store *store, const pop_debug_arg *a)
{
    struct debug_calls *calls = &store->calls;
    switch (a->kind) {
    case POP_DEBUG_TENSOR:
        if (a->as.tensor)
            put_tensor(calls, *a->as.tensor);
        return;
    case POP_DEBUG_TENSORS:
        for (size_t i = 0; a->as.tensors.list && i < a->as.tensors.count; ++i)
            put_tensor(calls, a->as.tensors.list[i]);
        return;
    case POP_DEBUG_SHAPE:
        for (size_t i = 0; a->as.shape.dims && i < a->as.shape.rank; ++i)
            *vec_push(&calls->words) = a->as.shape.dims[i];
        return;
    case POP_DEBUG_OPTIONS:
        for (size_t i = 0; a->as.options.list && i < a->as.options.count; ++i) {
            *vec_push(&calls->words) = intern_add(&store->names, a->as.options.list[i].key);
            *vec_push(&calls->words) = intern_add(&store->names, a->as.options.list[i].value);
        }
        return;
    case POP_DEBUG_TEXT:
        *vec_push(&calls->words) = intern_add(&store->names, a->as.text);
        return;
    case POP_DEBUG_TYPE:
        *vec_push(&calls->words) = (uint64_t)a->as.type;
        return;
    case POP_DEBUG_BOOL:
        *vec_push(&calls->words) = a->as.boolean;
        return;
    case POP_DEBUG_REAL:
        memcpy(vec_push(&calls->words), &a->as.real, sizeof(a->as.real));
        return;
    case POP_DEBUG_INT:
    case POP_DEBUG_UINT:
        *vec_push(&calls->words) = a->as.natural;
        return;
    }
}

/* Index + 1 of the value, which another follows. */
static uint32_t add_value(pop_store *store, const pop_debug_arg *argument, uint32_t next)
{
    struct debug_calls *calls = &store->calls;
    size_t first = calls->words.count;
    put_values(store, argument);
    *vec_push(&calls->values) = (struct debug_value){ .name = argument->name ? argument->name : "",
                                                      .kind = (uint8_t)argument->kind,
                                                      .count = (uint32_t)(calls->words.count - first),
                                                      .next = next,
                                                      .first = first };
    return (uint32_t)calls->values.count;
}

pop_where pop_debug_call(pop_graph *graph, pop_where where, const char *layer, const char *api, const char *name,
                         const pop_debug_arg *arguments, size_t count)
{
    if (!graph || !store_ready(graph->store))
        return where;
    uint64_t id = pop_debug_new_id();
    if (id > UINT32_MAX)
        return where;
    pop_store *store = graph->store;
    uint32_t first = 0;
    for (size_t i = count; arguments && i > 0; --i)
        first = add_value(store, arguments + i - 1, first);
    *vec_push(&store->calls.calls) = (struct debug_call){ .id = (uint32_t)id,
                                                          .parent = where.context,
                                                          .layer = layer,
                                                          .api = api,
                                                          .name = intern_add(&store->names, name),
                                                          .where = store_where(store, where),
                                                          .arguments = first };
    where.context = (unsigned)id;
    return where;
}

/* The call with an id, or NULL: the newest calls are asked for most. */
static struct debug_call *find_call(struct debug_calls *calls, uint32_t id)
{
    for (size_t i = calls->calls.count; i > 0 && calls->calls.data[i - 1].id >= id; --i)
        if (calls->calls.data[i - 1].id == id)
            return &calls->calls.data[i - 1];
    return NULL;
}

void pop_debug_result(pop_graph *graph, pop_where where, const pop_debug_arg *result)
{
    if (!graph || !result || !where.context || !store_ready(graph->store))
        return;
    struct debug_call *call = find_call(&graph->store->calls, where.context);
    if (call)
        call->results = add_value(graph->store, result, call->results);
}
