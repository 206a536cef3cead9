/* SPDX-License-Identifier: Apache-2.0 */
/* Dumps the whole graph for tools: JSON, or the same as CBOR. */
#include "graph/saved/dump_graph.h"
#include "graph/graph.h"
#include "graph/saved/saved.h"
#include "graph/view/edge.h"
#include "graph/view/view.h"
#include "target/target.h"

/* ---- what a graph holds ---- */

static void dump_variable(struct dump *dump, pop_store *store, size_t index)
{
    struct variable *v = &store->variables.data[index];
    dump_open_entry(dump);
    dump_key(dump, "id");
    dump_number(dump, index);
    dump_key(dump, "name");
    dump_text(dump, store_name(store, v->name));
    dump_key(dump, "type");
    dump_text(dump, pop_type_name((pop_type)v->type));
    dump_key(dump, "elements");
    dump_number(dump, v->elements);
    dump_key(dump, "constant");
    dump_bool(dump, v->constant);
    dump_key(dump, "mapping");
    dump_open(dump, false);
    tile_map_compact(&v->map);
    for (size_t k = 0; k < v->map.ranges.count; ++k)
        dump_three(dump, v->map.ranges.data[k].begin, v->map.ranges.data[k].end, v->map.ranges.data[k].tile);
    dump_close(dump, false);
    dump_close(dump, true);
}

bool dump_run(const struct run *run, void *context)
{
    dump_three(context, run->variable, run->offset, run->offset + run->count);
    return true;
}

static void dump_size(struct dump *dump, uint64_t size)
{
    dump_open(dump, true);
    dump_key(dump, "size");
    dump_number(dump, size);
    dump_close(dump, true);
}

/* [[variable, begin, end], ...] for an edge, a list of such for rows; state is its size. */
static void dump_edge(struct dump *dump, const pop_store *store, const struct edge *edge)
{
    switch (edge->form) {
    case EDGE_RUN:
        dump_open(dump, false);
        dump_run(&(struct run){ edge->variable, edge->offset, edge->count }, dump);
        dump_close(dump, false);
        break;
    case EDGE_VIEW:
        dump_open(dump, false);
        view_each_run(edge_view(store, edge), dump_run, dump);
        dump_close(dump, false);
        break;
    case EDGE_LIST:
        dump_open(dump, false);
        for (uint32_t i = 0; i < edge->count; ++i)
            dump_edge(dump, store, edge_row(store, edge, i));
        dump_close(dump, false);
        break;
    case EDGE_DATA:
    case EDGE_SIZE:
        dump_size(dump, edge->count);
        break;
    case EDGE_VALUE:
        dump_size(dump, 1);
        break;
    default:
        dump_null(dump);
    }
}

static void dump_vertex(struct dump *dump, const pop_store *store, size_t index)
{
    const struct vertex *v = &store->vertices.data[index];
    const struct codelet *codelet = store->types.data[v->type].codelet;
    dump_open_entry(dump);
    dump_key(dump, "id");
    dump_number(dump, index);
    dump_key(dump, "type");
    dump_text(dump, codelet->name);
    dump_key(dump, "computeSet");
    dump_number(dump, v->set);
    dump_key(dump, "tile");
    if (v->tile == UNMAPPED_TILE)
        dump_null(dump);
    else
        dump_number(dump, v->tile);
    dump_key(dump, "fields");
    dump_open(dump, true);
    for (uint32_t i = v->edge; i != NO_EDGE; i = edge_next(store->edges.data, i)) {
        dump_key(dump, codelet->fields[store->edges.data[i].field].name);
        dump_edge(dump, store, &store->edges.data[i]);
    }
    dump_close(dump, true);
    dump_close(dump, true);
}

static void dump_set(struct dump *dump, const pop_store *store, size_t index)
{
    dump_open_entry(dump);
    dump_key(dump, "id");
    dump_number(dump, index);
    dump_key(dump, "vertices");
    dump_number(dump, store->sets.data[index].vertex_count);
    dump_key(dump, "name");
    dump_text(dump, store_name(store, store->sets.data[index].name));
    dump_close(dump, true);
}

/* Target, variables and compute sets: all but the vertices. */
static void dump_head(struct dump *dump, pop_store *store)
{
    struct str target = { 0 };
    target_add_text(&store->target, &target);
    dump_key(dump, "format");
    dump_text(dump, "tremula graph");
    dump_key(dump, "version");
    dump_number(dump, 1);
    dump_key(dump, "target");
    dump_text(dump, str_text(&target));
    str_free(&target);
    dump_key(dump, "variables");
    dump_open(dump, false);
    for (size_t i = 0; i < store->variables.count; ++i)
        dump_variable(dump, store, i);
    dump_close(dump, false);
    dump_key(dump, "computeSets");
    dump_open(dump, false);
    for (size_t i = 0; i < store->sets.count; ++i)
        dump_set(dump, store, i);
    dump_close(dump, false);
}

/* The vertices; false if the file cannot be written. */
static bool dump_vertices(struct dump *dump, const pop_store *store, FILE *file)
{
    dump_key(dump, "vertices");
    dump_open(dump, false);
    for (size_t i = 0; i < store->vertices.count; ++i) {
        dump_vertex(dump, store, i);
        if (dump->out.length > 1 << 20) { /* written in parts, because the dump of a large graph may exceed memory */
            if (fwrite(dump->out.text, 1, dump->out.length, file) != dump->out.length)
                return false;
            dump->out.length = 0;
        }
    }
    dump_close(dump, false);
    return true;
}

bool dump_graph(const struct dump_call *call, pop_graph *graph, FILE *file, pop_serialization format)
{
    if (!saved_check_file(graph, call->where, call->api, file, format))
        return false;
    pop_store *store = graph->store;
    struct dump dump = { .cbor = format == POP_SERIALIZE_BINARY };
    dump_open(&dump, true);
    dump_head(&dump, store);
    bool ok = dump_vertices(&dump, store, file);
    if (ok && call->more)
        call->more(&dump, store, call->context);
    dump_close(&dump, true);
    if (!dump.cbor)
        str_add(&dump.out, "\n");
    if (ok)
        ok = saved_put(graph, call->where, call->api, file, dump.out.text, dump.out.length);
    else
        store_fail(store, POP_FILE_LOAD_ERROR, call->where, call->api, "the file cannot be written");
    str_free(&dump.out);
    return ok;
}

bool pop_graph_serialize_at(pop_where where, pop_graph *graph, FILE *file, pop_serialization format)
{
    return dump_graph(&(struct dump_call){ where, "pop_graph_serialize", NULL, NULL }, graph, file, format);
}
