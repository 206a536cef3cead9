/* SPDX-License-Identifier: Apache-2.0 */
/* Recording calls of libraries. */
#include "graph/store/debug_calls.h"
#include "graph/store/store.h"

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

static void put_word(struct debug_calls *calls, uint64_t word)
{
    *vec_push(&calls->words) = word;
}

static void put_written(pop_store *store, const pop_log_argument *a)
{
    char buffer[512] = "";
    if (a->as.written.value)
        a->as.written.write(buffer, sizeof(buffer), a->as.written.value);
    put_word(&store->calls, intern_add(&store->names, buffer));
}

static void put_values(pop_store *store, const pop_log_argument *a)
{
    struct debug_calls *calls = &store->calls;
    uint64_t bits;
    switch (a->kind) {
    case POP_LOG_TENSOR:
        put_tensor(calls, a->as.tensor);
        return;
    case POP_LOG_TENSORS:
        for (size_t i = 0; a->as.tensors.list && i < a->as.tensors.count; ++i)
            put_tensor(calls, a->as.tensors.list[i]);
        return;
    case POP_LOG_SHAPE:
        for (size_t i = 0; a->as.shape.dims && i < a->as.shape.rank; ++i)
            put_word(calls, a->as.shape.dims[i]);
        return;
    case POP_LOG_DIMS:
        for (size_t i = 0; a->as.dims.list && i < a->as.dims.count; ++i)
            put_word(calls, a->as.dims.list[i]);
        return;
    case POP_LOG_OPTIONS:
        for (size_t i = 0; a->as.options.list && i < a->as.options.count; ++i) {
            put_word(calls, intern_add(&store->names, a->as.options.list[i].key));
            put_word(calls, intern_add(&store->names, a->as.options.list[i].value));
        }
        return;
    case POP_LOG_TEXT:
        put_word(calls, intern_add(&store->names, a->as.text));
        return;
    case POP_LOG_WRITTEN:
        put_written(store, a);
        return;
    case POP_LOG_TYPE:
        put_word(calls, (uint64_t)a->as.type);
        return;
    case POP_LOG_BOOL:
        put_word(calls, a->as.flag);
        return;
    case POP_LOG_NUMBER:
        memcpy(&bits, &a->as.number, sizeof(bits));
        put_word(calls, bits);
        return;
    case POP_LOG_INTEGER:
        put_word(calls, (uint64_t)a->as.integer);
        return;
    case POP_LOG_UNSIGNED:
        put_word(calls, a->as.natural);
        return;
    case POP_LOG_NONE:
    case POP_LOG_KINDS:
        return;
    }
}

const char *debug_argument_name(const char *expression, size_t *length)
{
    const char *from = strrchr(expression, '(');
    from = from ? from + 1 : expression;
    while (*from >= '0' && *from <= '9' && strchr(from, ',')) /* "log_operator(2, op)" */
        from = strchr(from, ',') + 1, from += strspn(from, " ");
    from += strspn(from, "&*");
    *length = strcspn(from, ",)");
    return from;
}

static uint32_t put_name(pop_store *store, const char *expression)
{
    char name[64];
    size_t length;
    const char *from = debug_argument_name(expression ? expression : "", &length);
    length = length < sizeof(name) - 1 ? length : sizeof(name) - 1;
    memcpy(name, from, length);
    name[length] = 0;
    return intern_add(&store->names, name);
}

/* Index + 1 of the value, which another follows. */
static uint32_t add_value(pop_store *store, const pop_log_argument *argument, uint32_t next)
{
    struct debug_calls *calls = &store->calls;
    size_t first = calls->words.count;
    put_values(store, argument);
    *vec_push(&calls->values) = (struct debug_value){ .name = put_name(store, argument->name),
                                                      .kind = (uint8_t)argument->kind,
                                                      .count = (uint32_t)(calls->words.count - first),
                                                      .next = next,
                                                      .first = first };
    return (uint32_t)calls->values.count;
}

static bool is_path(const pop_log_argument *a)
{
    return a->kind == POP_LOG_TEXT && a->name && !strcmp(a->name, "name");
}

pop_where pop_debug_call(pop_graph *graph, pop_where where, const char *layer, const char *api,
                         const pop_log_argument *arguments, size_t count)
{
    if (!graph || !store_ready(graph->store))
        return where;
    uint64_t id = pop_debug_new_id();
    if (id > UINT32_MAX)
        return where;
    pop_store *store = graph->store;
    uint32_t first = 0;
    const char *path = NULL;
    for (size_t i = count; arguments && i > 0; --i) {
        const pop_log_argument *argument = arguments + i - 1;
        if (is_path(argument))
            path = argument->as.text;
        else if (argument->kind != POP_LOG_NONE)
            first = add_value(store, argument, first);
    }
    *vec_push(&store->calls.calls) = (struct debug_call){ .id = (uint32_t)id,
                                                          .parent = where.context,
                                                          .layer = layer,
                                                          .api = api,
                                                          .name = intern_add(&store->names, path),
                                                          .where = store_where(store, where),
                                                          .arguments = first };
    where.context = (unsigned)id;
    return where;
}

/* The call with an id, or NULL. Searches backward, because recent calls are looked up most. */
static struct debug_call *find_call(struct debug_calls *calls, uint32_t id)
{
    for (size_t i = calls->calls.count; i > 0 && calls->calls.data[i - 1].id >= id; --i)
        if (calls->calls.data[i - 1].id == id)
            return &calls->calls.data[i - 1];
    return NULL;
}

void pop_debug_result(pop_graph *graph, pop_where where, const pop_log_argument *result)
{
    if (!graph || !result || !where.context || !store_ready(graph->store))
        return;
    struct debug_call *call = find_call(&graph->store->calls, where.context);
    if (call)
        call->results = add_value(graph->store, result, call->results);
}
