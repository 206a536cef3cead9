/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a graph down: the layout of tensors, to be read again, and a dump of everything for tools. */
#include "graph/saved.h"

#include "base/file.h"

static bool put(pop_graph *graph, pop_where where, const char *api, FILE *file, const void *data, size_t size)
{
    if (fwrite(data, 1, size, file) == size && fflush(file) == 0)
        return true;
    return store_fail(graph->store, POP_FILE_LOAD_ERROR, where, api, "the file cannot be written");
}

static bool check_file(pop_graph *graph, pop_where where, const char *api, const FILE *file, pop_serialization format)
{
    if (!graph_ready(graph))
        return false;
    if (!file)
        return store_fail(graph->store, POP_FILE_LOAD_ERROR, where, api, "the file is NULL");
    if (format != POP_SERIALIZE_BINARY && format != POP_SERIALIZE_JSON)
        return store_fail(graph->store, POP_POPLAR_ERROR, where, api,
                          "%d is no format: POP_SERIALIZE_BINARY and POP_SERIALIZE_JSON are", (int)format);
    return true;
}

bool pop_graph_serialize_tensors_at(pop_where where, pop_graph *graph, FILE *file, pop_tensors tensors,
                                    pop_serialization format)
{
    static const char api[] = "pop_graph_serialize_tensors";
    if (!check_file(graph, where, api, file, format))
        return false;
    for (size_t i = 0; i < tensors.count; ++i)
        if (!graph_tensor(graph, where, api, "", POP_POPLAR_ERROR, tensors.list[i]))
            return false;
    pop_store *store = graph->store;
    struct saved layout = { 0 };
    uint32_t *index = mem_zero(store->variables.count, sizeof(*index));
    for (size_t i = 0; i < tensors.count; ++i)
        saved_collect(&layout, store, tensors.list[i], index);
    free(index);
    bool ok;
    if (format == POP_SERIALIZE_JSON) {
        struct str text = { 0 };
        saved_write_json(&layout, &text);
        ok = put(graph, where, api, file, text.text, text.length);
        str_free(&text);
    } else {
        char *data;
        size_t size;
        saved_write_binary(&layout, &data, &size);
        ok = put(graph, where, api, file, data, size);
        free(data);
    }
    saved_free(&layout);
    return ok;
}

size_t pop_graph_deserialize_tensors_at(pop_where where, pop_graph *graph, FILE *file, pop_serialization format,
                                        pop_tensor *tensors, size_t capacity)
{
    static const char api[] = "pop_graph_deserialize_tensors";
    if (!check_file(graph, where, api, file, format))
        return 0;
    pop_error error = { 0 };
    char *data, text[256] = "";
    size_t size, count = 0;
    if (file_read_stream(file, &data, &size, &error) != POP_OK) {
        store_record(graph->store, &error, where, api);
        return 0;
    }
    struct saved layout = { 0 };
    bool ok = format == POP_SERIALIZE_JSON ? saved_read_json(data, size, &layout, &error)
                                           : saved_read_binary(data, size, &layout, &error);
    if (!ok)
        store_fail(graph->store, POP_PARSE_ERROR, where, api, "%s", error.text);
    else if (!saved_check(&layout, graph_num_tiles(graph->store->top), text, sizeof(text)))
        store_fail(graph->store, POP_PARSE_ERROR, where, api, "%s", text);
    else if (saved_build(&layout, graph, where, api, tensors, tensors ? capacity : 0))
        count = layout.tensors.count;
    saved_free(&layout);
    free(data);
    return count;
}

/* ---- the whole graph, for tools ---- */

static void dump_variables(struct str *out, pop_store *store)
{
    str_add(out, "\"variables\":[");
    for (size_t i = 0; i < store->variables.count; ++i) {
        struct variable *v = &store->variables.data[i];
        str_format(out, "%s\n{\"id\":%zu,\"name\":", i ? "," : "", i);
        saved_quote(out, store_name(store, v->name));
        str_format(out, ",\"type\":\"%s\",\"elements\":%llu,\"constant\":%s,\"mapping\":[",
                   pop_type_name((pop_type)v->type), (unsigned long long)v->elements, v->constant ? "true" : "false");
        tile_map_compact(&v->map);
        for (size_t k = 0; k < v->map.ranges.count; ++k)
            str_format(out, "%s[%llu,%llu,%u]", k ? "," : "", (unsigned long long)v->map.ranges.data[k].begin,
                       (unsigned long long)v->map.ranges.data[k].end, v->map.ranges.data[k].tile);
        str_add(out, "]}");
    }
    str_add(out, "]");
}

struct dump_walk {
    struct str *out;
    bool more;
};

static bool dump_run(const struct run *run, void *context)
{
    struct dump_walk *walk = context;
    str_format(walk->out, "%s[%u,%llu,%llu]", walk->more ? "," : "", run->variable, (unsigned long long)run->offset,
               (unsigned long long)(run->offset + run->count));
    walk->more = true;
    return true;
}

/* [[variable, begin, end], ...] for an edge, a list of such for rows; state is its size. */
static void dump_edge(struct str *out, const pop_store *store, const struct edge *edge)
{
    struct dump_walk walk = { out, false };
    switch (edge->form) {
    case EDGE_RUN:
        str_format(out, "[[%u,%llu,%llu]]", edge->variable, (unsigned long long)edge_offset(edge),
                   (unsigned long long)(edge_offset(edge) + edge->count));
        break;
    case EDGE_VIEW:
        str_add(out, "[");
        view_each_run(store->views.data[edge->variable], dump_run, &walk);
        str_add(out, "]");
        break;
    case EDGE_LIST:
        str_add(out, "[");
        for (uint32_t i = 0; i < edge->count; ++i) {
            str_add(out, i ? "," : "");
            dump_edge(out, store, &store->edges.data[edge_offset(edge) + i]);
        }
        str_add(out, "]");
        break;
    case EDGE_DATA:
    case EDGE_SIZE:
        str_format(out, "{\"size\":%u}", edge->count);
        break;
    default:
        str_add(out, edge->form == EDGE_VALUE ? "{\"size\":1}" : "null");
    }
}

static void dump_vertex(struct str *out, const pop_store *store, size_t index)
{
    const struct vertex *v = &store->vertices.data[index];
    const struct codelet *codelet = store->types.data[v->type].codelet;
    str_format(out, "%s\n{\"id\":%zu,\"type\":", index ? "," : "", index);
    saved_quote(out, codelet->name);
    str_format(out, ",\"computeSet\":%u,\"tile\":", v->set);
    if (v->tile == UNMAPPED_TILE)
        str_add(out, "null");
    else
        str_format(out, "%u", v->tile);
    str_add(out, ",\"fields\":{");
    for (uint32_t i = v->edge; i != NO_EDGE; i = store->edges.data[i].next) {
        str_add(out, i == v->edge ? "" : ",");
        saved_quote(out, codelet->fields[store->edges.data[i].field].name);
        str_add(out, ":");
        dump_edge(out, store, &store->edges.data[i]);
    }
    str_add(out, "}}");
}

bool pop_graph_serialize_at(pop_where where, pop_graph *graph, FILE *file, pop_serialization format)
{
    static const char api[] = "pop_graph_serialize";
    if (!check_file(graph, where, api, file, format))
        return false;
    if (format != POP_SERIALIZE_JSON)
        return store_fail(graph->store, POP_POPLAR_ERROR, where, api,
                          "a whole graph is written as POP_SERIALIZE_JSON only");
    pop_store *store = graph->store;
    char target[POP_TARGET_TEXT_SIZE];
    pop_target_to_text(&store->target, target, sizeof(target));
    struct str out = { 0 };
    str_add(&out, "{\"format\":\"tremula graph\",\"version\":1,\"target\":");
    saved_quote(&out, target);
    str_add(&out, ",\n");
    dump_variables(&out, store);
    str_add(&out, ",\n\"computeSets\":[");
    for (size_t i = 0; i < store->sets.count; ++i) {
        str_format(&out, "%s\n{\"id\":%zu,\"vertices\":%u,\"name\":", i ? "," : "", i,
                   store->sets.data[i].vertex_count);
        saved_quote(&out, store_name(store, store->sets.data[i].name));
        str_add(&out, "}");
    }
    str_add(&out, "],\n\"vertices\":[");
    bool ok = true;
    for (size_t i = 0; i < store->vertices.count && ok; ++i) {
        dump_vertex(&out, store, i);
        if (out.length > 1 << 20) { /* written as it comes: the dump of a large graph is larger still */
            ok = fwrite(out.text, 1, out.length, file) == out.length;
            out.length = 0;
        }
    }
    str_add(&out, "]}\n");
    ok = ok && put(graph, where, api, file, out.text, out.length);
    if (!ok)
        store_fail(store, POP_FILE_LOAD_ERROR, where, api, "the file cannot be written");
    str_free(&out);
    return ok;
}
