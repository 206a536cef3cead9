/* SPDX-License-Identifier: Apache-2.0 */
/* Dumps the whole graph for tools: JSON, or the same as CBOR. */
#include "graph/edge.h"
#include "graph/saved/saved.h"
#include "graph/saved/saved_json.h"
#include "graph/saved/serialize.h"
#include "graph/tile_map.h"
#include "graph/view_runs.h"
#include "target/text.h"

#include <cbor.h>

/* Values one after another.  Maps and arrays are open until they are closed, so nothing is counted first. */
struct dump {
    struct str out;
    bool cbor, needs_comma;
};

typedef size_t (*encoder)(uint64_t value, unsigned char *buffer, size_t size);

static size_t encode_text_start(uint64_t length, unsigned char *buffer, size_t size)
{
    return cbor_encode_string_start((size_t)length, buffer, size);
}

static void put_head(struct dump *dump, encoder encode, uint64_t value)
{
    unsigned char head[16];
    str_add_bytes(&dump->out, (const char *)head, encode(value, head, sizeof(head)));
}

static void put_byte(struct dump *dump, int byte)
{
    char c = (char)byte;
    str_add_bytes(&dump->out, &c, 1);
}

/* Before a value: in JSON a comma where one is due. */
static void separate(struct dump *dump)
{
    if (!dump->cbor && dump->needs_comma)
        put_byte(dump, ',');
    dump->needs_comma = true;
}

static void open_list(struct dump *dump, bool map)
{
    separate(dump);
    put_byte(dump, dump->cbor ? (map ? 0xbf : 0x9f) : map ? '{' : '[');
    dump->needs_comma = false;
}

static void close_list(struct dump *dump, bool map)
{
    put_byte(dump, dump->cbor ? 0xff : map ? '}' : ']');
    dump->needs_comma = true;
}

static void add_text(struct dump *dump, const char *text)
{
    separate(dump);
    if (!dump->cbor) {
        saved_quote(&dump->out, text);
        return;
    }
    put_head(dump, encode_text_start, strlen(text));
    str_add(&dump->out, text);
}

static void add_number(struct dump *dump, uint64_t number)
{
    separate(dump);
    if (dump->cbor)
        put_head(dump, cbor_encode_uint, number);
    else
        str_format(&dump->out, "%llu", (unsigned long long)number);
}

static void add_null(struct dump *dump)
{
    separate(dump);
    if (dump->cbor)
        put_byte(dump, 0xf6);
    else
        str_add(&dump->out, "null");
}

static void add_bool(struct dump *dump, bool truth)
{
    separate(dump);
    if (dump->cbor)
        put_byte(dump, truth ? 0xf5 : 0xf4);
    else
        str_add(&dump->out, truth ? "true" : "false");
}

static void add_key(struct dump *dump, const char *key)
{
    add_text(dump, key);
    if (!dump->cbor)
        put_byte(dump, ':');
    dump->needs_comma = false;
}

/* An entry of a list of its own line, in JSON. */
static void open_entry(struct dump *dump)
{
    separate(dump);
    if (!dump->cbor)
        put_byte(dump, '\n');
    dump->needs_comma = false;
    open_list(dump, true);
}

static void add_run(struct dump *dump, uint64_t first, uint64_t begin, uint64_t end)
{
    open_list(dump, false);
    add_number(dump, first);
    add_number(dump, begin);
    add_number(dump, end);
    close_list(dump, false);
}

/* ---- what a graph holds ---- */

static void dump_variable(struct dump *dump, pop_store *store, size_t index)
{
    struct variable *v = &store->variables.data[index];
    open_entry(dump);
    add_key(dump, "id");
    add_number(dump, index);
    add_key(dump, "name");
    add_text(dump, store_name(store, v->name));
    add_key(dump, "type");
    add_text(dump, pop_type_name((pop_type)v->type));
    add_key(dump, "elements");
    add_number(dump, v->elements);
    add_key(dump, "constant");
    add_bool(dump, v->constant);
    add_key(dump, "mapping");
    open_list(dump, false);
    tile_map_compact(&v->map);
    for (size_t k = 0; k < v->map.ranges.count; ++k)
        add_run(dump, v->map.ranges.data[k].begin, v->map.ranges.data[k].end, v->map.ranges.data[k].tile);
    close_list(dump, false);
    close_list(dump, true);
}

static bool dump_run(const struct run *run, void *context)
{
    add_run(context, run->variable, run->offset, run->offset + run->count);
    return true;
}

static void dump_size(struct dump *dump, uint64_t size)
{
    open_list(dump, true);
    add_key(dump, "size");
    add_number(dump, size);
    close_list(dump, true);
}

/* [[variable, begin, end], ...] for an edge, a list of such for rows; state is its size. */
static void dump_edge(struct dump *dump, const pop_store *store, const struct edge *edge)
{
    switch (edge->form) {
    case EDGE_RUN:
        open_list(dump, false);
        dump_run(&(struct run){ edge->variable, edge->offset, edge->count }, dump);
        close_list(dump, false);
        break;
    case EDGE_VIEW:
        open_list(dump, false);
        view_each_run(edge_view(store, edge), dump_run, dump);
        close_list(dump, false);
        break;
    case EDGE_LIST:
        open_list(dump, false);
        for (uint32_t i = 0; i < edge->count; ++i)
            dump_edge(dump, store, edge_row(store, edge, i));
        close_list(dump, false);
        break;
    case EDGE_DATA:
    case EDGE_SIZE:
        dump_size(dump, edge->count);
        break;
    case EDGE_VALUE:
        dump_size(dump, 1);
        break;
    default:
        add_null(dump);
    }
}

static void dump_vertex(struct dump *dump, const pop_store *store, size_t index)
{
    const struct vertex *v = &store->vertices.data[index];
    const struct codelet *codelet = store->types.data[v->type].codelet;
    open_entry(dump);
    add_key(dump, "id");
    add_number(dump, index);
    add_key(dump, "type");
    add_text(dump, codelet->name);
    add_key(dump, "computeSet");
    add_number(dump, v->set);
    add_key(dump, "tile");
    if (v->tile == UNMAPPED_TILE)
        add_null(dump);
    else
        add_number(dump, v->tile);
    add_key(dump, "fields");
    open_list(dump, true);
    for (uint32_t i = v->edge; i != NO_EDGE; i = edge_next(store->edges.data, i)) {
        add_key(dump, codelet->fields[store->edges.data[i].field].name);
        dump_edge(dump, store, &store->edges.data[i]);
    }
    close_list(dump, true);
    close_list(dump, true);
}

static void dump_set(struct dump *dump, const pop_store *store, size_t index)
{
    open_entry(dump);
    add_key(dump, "id");
    add_number(dump, index);
    add_key(dump, "vertices");
    add_number(dump, store->sets.data[index].vertex_count);
    add_key(dump, "name");
    add_text(dump, store_name(store, store->sets.data[index].name));
    close_list(dump, true);
}

bool pop_graph_serialize_at(pop_where where, pop_graph *graph, FILE *file, pop_serialization format)
{
    static const char api[] = "pop_graph_serialize";
    if (!saved_check_file(graph, where, api, file, format))
        return false;
    pop_store *store = graph->store;
    struct str target = { 0 };
    target_add_text(&store->target, &target);
    struct dump dump = { .cbor = format == POP_SERIALIZE_BINARY };
    open_list(&dump, true);
    add_key(&dump, "format");
    add_text(&dump, "tremula graph");
    add_key(&dump, "version");
    add_number(&dump, 1);
    add_key(&dump, "target");
    add_text(&dump, str_text(&target));
    str_free(&target);
    add_key(&dump, "variables");
    open_list(&dump, false);
    for (size_t i = 0; i < store->variables.count; ++i)
        dump_variable(&dump, store, i);
    close_list(&dump, false);
    add_key(&dump, "computeSets");
    open_list(&dump, false);
    for (size_t i = 0; i < store->sets.count; ++i)
        dump_set(&dump, store, i);
    close_list(&dump, false);
    add_key(&dump, "vertices");
    open_list(&dump, false);
    bool ok = true;
    for (size_t i = 0; i < store->vertices.count && ok; ++i) {
        dump_vertex(&dump, store, i);
        if (dump.out.length > 1 << 20) { /* written in parts, because the dump of a large graph may exceed memory */
            ok = fwrite(dump.out.text, 1, dump.out.length, file) == dump.out.length;
            dump.out.length = 0;
        }
    }
    close_list(&dump, false);
    close_list(&dump, true);
    if (!dump.cbor)
        str_add(&dump.out, "\n");
    if (ok)
        ok = saved_put(graph, where, api, file, dump.out.text, dump.out.length);
    else
        store_fail(store, POP_FILE_LOAD_ERROR, where, api, "the file cannot be written");
    str_free(&dump.out);
    return ok;
}
