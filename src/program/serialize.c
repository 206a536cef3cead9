/* SPDX-License-Identifier: Apache-2.0 */
/* Programs in the dump of a graph: the roots, and each program that they reach once, by its number. */
#include "graph/saved/dump_graph.h"
#include "graph/store/store.h"
#include "program/node.h"

/* What is dumped: programs in the order in which they are found from the roots. */
struct reached {
    const pop_store *store;
    const pop_program *roots;
    size_t count;
    bool *seen; /* programs that are in order */
    VEC(uint32_t) order;
};

static void reach(struct reached *reached, uint32_t index)
{
    if (index >= reached->store->programs.count || reached->seen[index])
        return;
    reached->seen[index] = true;
    *vec_push(&reached->order) = index;
}

static void dump_view(struct dump *dump, const char *key, const struct view *view)
{
    if (!view)
        return;
    dump_key(dump, key);
    dump_open(dump, false);
    view_each_run(view, dump_run, dump);
    dump_close(dump, false);
}

/* The object of a step, by a key that says which kind it is. */
static void dump_object(struct dump *dump, const pop_store *store, const struct program_node *node)
{
    const char *key = NULL, *text = NULL;
    switch ((enum program_kind)node->kind) {
    case PROGRAM_EXECUTE:
        dump_key(dump, "computeSet");
        dump_number(dump, node->object);
        break;
    case PROGRAM_CALL:
        dump_key(dump, "function");
        dump_number(dump, node->object);
        break;
    case PROGRAM_REPEAT:
        dump_key(dump, "count");
        dump_number(dump, node->count);
        break;
    case PROGRAM_STREAM_IN:
    case PROGRAM_STREAM_OUT:
        key = node->kind == PROGRAM_STREAM_IN ? "fromStream" : "toStream";
        text = store_name(store, store->streams.data[node->object].name);
        break;
    case PROGRAM_REMOTE_IN:
    case PROGRAM_REMOTE_OUT:
        key = node->kind == PROGRAM_REMOTE_IN ? "fromRemoteBuffer" : "toRemoteBuffer";
        text = store_name(store, store->remotes.data[node->object].name);
        break;
    case PROGRAM_CALL_HOST:
        key = "hostFunction";
        text = store_name(store, store->host_functions.data[node->object].name);
        break;
    default:
        key = node->text ? "text" : NULL;
        text = node->text;
    }
    if (key) {
        dump_key(dump, key);
        dump_text(dump, text);
    }
}

/* A child, or null where an alternative is empty. */
static void dump_child(struct dump *dump, uint32_t index)
{
    if (index == NO_PROGRAM)
        dump_null(dump);
    else
        dump_number(dump, index);
}

static void dump_program(struct dump *dump, const pop_store *store, uint32_t index)
{
    const struct program_node *node = store->programs.data[index];
    dump_open_entry(dump);
    dump_key(dump, "id");
    dump_number(dump, index);
    dump_key(dump, "kind");
    dump_text(dump, program_kind_name((enum program_kind)node->kind));
    dump_key(dump, "name");
    dump_text(dump, store_name(store, node->name));
    dump_object(dump, store, node);
    dump_view(dump, "source", node->source);
    dump_view(dump, "destination", node->destination);
    dump_view(dump, "control", node->control);
    if (node->values.count) {
        dump_key(dump, "values");
        dump_open(dump, false);
        for (size_t i = 0; i < node->values.count; ++i)
            dump_integer(dump, node->values.data[i]);
        dump_close(dump, false);
    }
    if (node->children.count) {
        dump_key(dump, "children");
        dump_open(dump, false);
        for (size_t i = 0; i < node->children.count; ++i)
            dump_child(dump, node->children.data[i]);
        dump_close(dump, false);
    }
    dump_close(dump, true);
}

/* The function that a step calls, with its program. */
static void dump_functions(struct dump *dump, const pop_store *store)
{
    dump_key(dump, "functions");
    dump_open(dump, false);
    for (size_t i = 0; i < store->functions.count; ++i)
        dump_child(dump, store->functions.data[i].program);
    dump_close(dump, false);
}

static void dump_programs(struct dump *dump, const pop_store *store, void *context)
{
    struct reached *reached = context;
    dump_key(dump, "programs");
    dump_open(dump, false);
    for (size_t i = 0; i < reached->count; ++i) {
        dump_number(dump, reached->roots[i].id - 1);
        reach(reached, reached->roots[i].id - 1);
    }
    dump_close(dump, false);
    dump_functions(dump, store);
    dump_key(dump, "steps");
    dump_open(dump, false);
    for (size_t i = 0; i < reached->order.count; ++i) {
        const struct program_node *node = store->programs.data[reached->order.data[i]];
        dump_program(dump, store, reached->order.data[i]);
        for (size_t k = 0; k < node->children.count; ++k)
            reach(reached, node->children.data[k]);
        if (node->kind == PROGRAM_CALL)
            reach(reached, store->functions.data[node->object].program);
    }
    dump_close(dump, false);
}

bool pop_graph_serialize_programs_at(pop_where where, pop_graph *graph, FILE *file, const pop_program *programs,
                                     size_t count, pop_serialization format)
{
    static const char api[] = "pop_graph_serialize_programs";
    if (!graph_ready(graph))
        return false;
    pop_store *store = graph->store;
    if (count && !programs)
        return store_fail(store, POP_CONTROL_PROGRAM_ERROR, where, api, "the list of programs is NULL");
    if (!node_check_programs(&(struct program_call){ store, where, api }, programs, count))
        return false;
    struct reached reached = { store, programs, count, mem_zero(store->programs.count, sizeof(bool)), { 0 } };
    bool ok = dump_graph(&(struct dump_call){ where, api, dump_programs, &reached }, graph, file, format);
    free(reached.seen);
    vec_free(&reached.order);
    return ok;
}
