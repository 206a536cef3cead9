/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of what is in a tile's memory all the time beside variables: vertex state, stacks, code, headers
 * (docs/concepts/memory.md has the rules). */
#include "compiler/placement/place_sizes.h"
#include "compiler/common/edges.h"
#include "compiler/placement/place.h"
#include "compiler/placement/placement.h"

#include "base/sort.h"
#include "compiler/common/tables.h"
#include "popc/device/device_layout.h"
#include "popc/popc.h"
#include "popc/tile_vertex.h"
#include "target/copy_cost.h"
#include "target/memory_cost.h"

/* A vertex type, as it is used here. */
struct type_size {
    bool known, extras;          /* extras: each vertex has tables or state of its own length */
    struct device_code code;     /* nothing where code is not counted */
    const struct module *module; /* of the code of a vertex in assembly; NULL: it is in C or C++ */
    struct device_layout layout;
};
/* What the codelets of a source file share on a tile; those in assembly have object 0. */
struct shared_code {
    const struct module *module;
    uint32_t object, tile;
    uint32_t code, data;
};
struct sizing {
    struct compiler *c;
    const struct place_inputs *in;
    struct place_sizes *to;
    struct type_size *types;        /* by store type */
    struct model_vertices *by_tile; /* of one set */
    VEC(uint32_t) touched;
    struct model_vertices **of_types; /* by the model's type, then tile; NULL: it has no vertices */
    uint32_t *store_type;             /* by type of the model: type of the store, or NONE */
    VEC(struct shared_code) shared;
};

static void add(struct sizing *s, uint32_t tile, enum model_category category, uint64_t bytes)
{
    s->to->fixed[tile][category] += bytes;
}

/* The code of a vertex in assembly is that of its label; false: it has none, and its compute runs. */
static bool assembly_code(const struct sizing *s, const struct codelet *codelet, struct type_size *size)
{
    const pop_store *store = s->c->store;
    enum device_arch arch = device_arch_of(&store->target);
    return codelet->external && arch != DEVICE_ARCHS &&
           tile_vertex_code(codelet, store->modules.data, store->modules.count, arch, &size->code, &size->module);
}

static struct type_size *type_size(struct sizing *s, uint32_t type)
{
    struct type_size *size = &s->types[type];
    const struct codelet *codelet = s->c->store->types.data[type].codelet;
    if (size->known)
        return size;
    size->known = true;
    device_layout_make(&size->layout, codelet, &s->c->store->target);
    for (uint32_t f = 0; f < codelet->field_count; ++f)
        size->extras |= size->layout.fields[f].entry_bytes || size->layout.fields[f].element_bytes;
    if (s->to->code && !assembly_code(s, codelet, size) &&
        !device_code_of(codelet->module, codelet, &s->c->store->target, &size->code))
        size->code = (struct device_code){ 0 };
    return size;
}

static void count_edge(const pop_store *store, const struct edge *edge, uint64_t *entries, uint64_t *elements)
{
    if (edge->form == EDGE_LIST) {
        *entries = edge->count;
        for (uint64_t i = 0; i < edge->count; ++i)
            *elements += edge_elements(store, edge_row(store, edge, i));
    } else {
        *elements = edge_elements(store, edge);
    }
}

static void vertex_extra(const struct sizing *s, const struct type_size *size, uint32_t vertex,
                         struct device_extra *extra)
{
    const pop_store *store = s->c->store;
    for (uint32_t e = store->vertices.data[vertex].edge; e != NO_EDGE; e = edge_next(store->edges.data, e)) {
        const struct edge *edge = &store->edges.data[e];
        const struct device_field *field = &size->layout.fields[edge->field];
        uint64_t entries = 0, elements = 0;
        if (!field->entry_bytes && !field->element_bytes)
            continue;
        count_edge(store, edge, &entries, &elements);
        device_extra_add(extra, field, entries, elements);
    }
}

static struct model_vertices *entry(struct sizing *s, uint32_t tile)
{
    if (!s->by_tile[tile].tiles) {
        s->by_tile[tile] = (struct model_vertices){ .tile = tile, .tiles = 1 };
        *vec_push(&s->touched) = tile;
    }
    return &s->by_tile[tile];
}

static void add_vertices(struct model_vertices *to, const struct model_vertices *v)
{
    to->code += v->code;
    to->copy_pointers += v->copy_pointers;
    to->descriptors += v->descriptors;
    to->edge_pointers += v->edge_pointers;
    to->padding += v->padding;
    to->vertex_data += v->vertex_data;
}

/* The code of a type is on a tile once. */
static void add_of_type(struct sizing *s, const struct model_vertices *v)
{
    assert(v->of < s->c->image->model.types.count && v->tile < s->to->tiles);
    if (!s->of_types[v->of])
        s->of_types[v->of] = mem_zero(s->to->tiles, sizeof(**s->of_types));
    struct model_vertices *to = &s->of_types[v->of][v->tile];
    uint64_t code = v->code;
    if (to->tiles)
        add_vertices(to, v);
    else
        *to = *v;
    to->code = code;
}

static void size_span(struct sizing *s, const struct vertex_group *group, uint64_t first, struct tile_span span)
{
    const struct type_size *size = type_size(s, group->type);
    const struct device_layout *layout = &size->layout;
    struct device_extra extra = { 0 };
    for (uint64_t i = first; size->extras && i < first + span.count; ++i)
        vertex_extra(s, size, s->in->order->vertices[i], &extra);
    uint64_t n = span.count;
    struct model_vertices v = { .of = s->in->schedule->type_of[group->type] - 1,
                                .tile = span.tile,
                                .tiles = 1,
                                .code = size->code.bytes,
                                .descriptors = extra.descriptor_bytes,
                                .edge_pointers = n * layout->edge_pointer_bytes + extra.edge_pointer_bytes,
                                .padding = n * layout->padding_bytes + extra.padding_bytes,
                                .vertex_data = n * layout->fields_bytes + extra.fields_bytes };
    add_vertices(entry(s, span.tile), &v);
    add_of_type(s, &v);
    add(s, span.tile, MODEL_VERTEX_INSTANCE_STATE_CATEGORY, n * layout->state_bytes);
    add(s, span.tile, MODEL_VERTEX_FIELD_DATA_CATEGORY, device_extra_field_data(&extra));
    add(s, span.tile, MODEL_VECTOR_LIST_DESCRIPTOR_CATEGORY, extra.descriptor_bytes);
}

static uint64_t number(const void *at)
{
    return *(const uint32_t *)at;
}

static bool same_bytes(const struct model_vertices *a, const struct model_vertices *b)
{
    return a->of == b->of && a->code == b->code && a->copy_pointers == b->copy_pointers &&
           a->descriptors == b->descriptors && a->edge_pointers == b->edge_pointers && a->padding == b->padding &&
           a->vertex_data == b->vertex_data;
}

/* As the last entry of its table, or with it when it goes on. */
#define APPEND(table, v)                                                                                               \
    do {                                                                                                               \
        struct model_vertices *last = (table)->count ? &(table)->data[(table)->count - 1] : NULL;                      \
        if (last && same_bytes(last, v) && last->tile + last->tiles == (v)->tile)                                      \
            ++last->tiles;                                                                                             \
        else                                                                                                           \
            *vec_push(table) = *(v);                                                                                   \
    } while (0)

static void finish_set(struct sizing *s, uint32_t set)
{
    struct model *model = &s->c->image->model;
    sort_by_key(s->touched.data, s->touched.count, sizeof(uint32_t), number);
    for (size_t i = 0; i < s->touched.count; ++i) {
        struct model_vertices *v = &s->by_tile[s->touched.data[i]];
        v->of = set;
        APPEND(&model->set_vertices, v);
        v->tiles = 0;
    }
    s->touched.count = 0;
}

static void size_set(struct sizing *s, uint32_t set)
{
    const struct order_result *order = s->in->order;
    const struct used_set *used = &order->sets.data[set];
    for (uint32_t g = 0; g < used->groups; ++g) {
        const struct vertex_group *group = &order->groups.data[used->first_group + g];
        uint64_t first = group->first;
        for (size_t i = 0; i < group->spans; first += order->spans.data[group->first_span + i++].count)
            size_span(s, group, first, order->spans.data[group->first_span + i]);
    }
    finish_set(s, set);
}

/* The compiler's own copy vertices; of a set's, which are known by type alone, each of its tiles has as many. */
static void size_copies(struct sizing *s, uint32_t set)
{
    const struct model *model = &s->c->image->model;
    const struct model_set *of = &model->sets.data[set];
    uint64_t tiles = 0;
    for (uint64_t i = of->first_part; i < of->first_part + of->parts; ++i)
        tiles += model->parts.data[i].tiles;
    for (uint64_t k = of->first_share; tiles && k < of->first_share + of->shares; ++k) {
        const struct model_share *share = &model->shares.data[k];
        const struct model_type *type = &model->types.data[share->type];
        uint64_t each = share->vertices / tiles, more = share->vertices % tiles;
        uint64_t pointers =
            type->state_bytes < MEMORY_COPY_POINTER_BYTES ? type->state_bytes : MEMORY_COPY_POINTER_BYTES;
        uint64_t descriptor = type->state_bytes - pointers;
        uint32_t code = s->to->code ? copy_code_bytes(image_string(s->c->image, type->name)) : 0;
        for (uint64_t i = of->first_part; i < of->first_part + of->parts; ++i)
            for (uint32_t tile = model->parts.data[i].tile;
                 tile < model->parts.data[i].tile + model->parts.data[i].tiles; ++tile) {
                uint64_t n = each + (more ? 1 : 0);
                more -= more ? 1 : 0;
                struct model_vertices v = { .of = share->type,
                                            .tile = tile,
                                            .tiles = 1,
                                            .code = code,
                                            .copy_pointers = n * pointers,
                                            .descriptors = n * descriptor };
                if (!n)
                    continue;
                add_vertices(entry(s, tile), &v);
                add_of_type(s, &v);
                add(s, tile, MODEL_VERTEX_INSTANCE_STATE_CATEGORY, n * pointers);
                add(s, tile, MODEL_COPY_DESCRIPTOR_CATEGORY, n * descriptor);
            }
    }
    finish_set(s, set);
}

static int by_object(const void *left, const void *right)
{
    const struct shared_code *a = left, *b = right;
    if (a->module != b->module) /* the order of modules does not show */
        return a->module < b->module ? -1 : 1;
    if (a->object != b->object)
        return a->object < b->object ? -1 : 1;
    return a->tile < b->tile ? -1 : a->tile > b->tile;
}

static void note_shared(struct sizing *s, const struct model_vertices *v)
{
    uint32_t type = s->store_type[v->of];
    if (type == NONE || !(s->types[type].code.shared_bytes | s->types[type].code.data_bytes))
        return;
    const struct codelet *codelet = s->c->store->types.data[type].codelet;
    const struct type_size *size = s->types + type;
    *vec_push(&s->shared) =
        size->module ? (struct shared_code){ size->module, 0, v->tile, size->code.shared_bytes, size->code.data_bytes }
                     : (struct shared_code){ codelet->module, codelet->object, v->tile, size->code.shared_bytes,
                                             size->code.data_bytes };
}

/* Counted once per tile; the functions that codelets of a file use overlap. */
static void finish_shared(struct sizing *s)
{
    if (s->shared.count)
        qsort(s->shared.data, s->shared.count, sizeof(*s->shared.data), by_object);
    for (size_t i = 0; i < s->shared.count;) {
        struct shared_code max = s->shared.data[i];
        for (++i; i < s->shared.count && !by_object(&max, &s->shared.data[i]); ++i) {
            max.code = s->shared.data[i].code > max.code ? s->shared.data[i].code : max.code;
            max.data = s->shared.data[i].data > max.data ? s->shared.data[i].data : max.data;
        }
        add(s, max.tile, MODEL_SHARED_CODE_STORAGE_CATEGORY, max.code);
        add(s, max.tile, MODEL_SHARED_DATA_STORAGE_CATEGORY, max.data);
    }
}

static void finish_types(struct sizing *s)
{
    struct model *model = &s->c->image->model;
    for (size_t type = 0; type < model->types.count; ++type) {
        for (uint32_t tile = 0; s->of_types[type] && tile < s->to->tiles; ++tile) {
            const struct model_vertices *v = &s->of_types[type][tile];
            if (!v->tiles)
                continue;
            note_shared(s, v);
            add(s, tile, MODEL_VERTEX_CODE_CATEGORY, v->code);
            APPEND(&model->type_vertices, v);
        }
    }
    finish_shared(s);
}

/* ---- exchanges ---- */

static void size_flows(struct sizing *s, const struct model_exchange *exchange, enum exchange_list list)
{
    const struct model *model = &s->c->image->model;
    for (uint64_t i = exchange->first_flow; i < exchange->first_flow + exchange->flows; ++i) {
        const struct model_flow *flow = &model->flows.data[i];
        for (uint32_t tile = flow->tile; tile < flow->tile + flow->tiles; ++tile) {
            if (list == EXCHANGES_INTERNAL) {
                if (s->to->code)
                    add(s, tile, MODEL_INTERNAL_EXCHANGE_CODE_CATEGORY, flow->code_bytes);
                continue;
            }
            bool host = list == EXCHANGES_HOST;
            uint64_t packets = host ? flow->packets : memory_global_packets(flow->sent);
            add(s, tile,
                host ? MODEL_HOST_EXCHANGE_PACKET_HEADER_CATEGORY : MODEL_GLOBAL_EXCHANGE_PACKET_HEADER_CATEGORY,
                packets * MEMORY_PACKET_HEADER_BYTES);
            if (s->to->code)
                add(s, tile, host ? MODEL_HOST_EXCHANGE_CODE_CATEGORY : MODEL_GLOBAL_EXCHANGE_CODE_CATEGORY,
                    flow->code_bytes);
        }
    }
}

/* ---- control code ---- */

/* What a tile's code depends on. */
enum { IDLE, HOLDS, WORKS }; /* nothing; variables, exchanges or copies; vertices too */

static unsigned char *tile_uses(const struct sizing *s)
{
    const struct compiler *c = s->c;
    const struct model *model = &c->image->model;
    unsigned char *use = mem_zero(s->to->tiles, sizeof(*use));
    for (size_t i = 0; i < model->flows.count; ++i)
        memset(use + model->flows.data[i].tile, HOLDS, model->flows.data[i].tiles);
    for (uint32_t v = 0; v < c->store->variables.count; ++v)
        for (size_t r = 0; s->in->storage->offset[v] != NO_STORAGE && r < c->store->variables.data[v].map.ranges.count;
             ++r)
            use[c->store->variables.data[v].map.ranges.data[r].tile] = HOLDS;
    for (size_t i = 0; i < model->parts.count; ++i)
        memset(use + model->parts.data[i].tile, HOLDS, model->parts.data[i].tiles);
    for (size_t i = 0; i < s->in->order->spans.count; ++i)
        use[s->in->order->spans.data[i].tile] = WORKS;
    return use;
}

/* Tiles that nothing uses have none: published totals of a program on 16 tiles are the same on machines with 1,216 and
 * with 1,472 (docs/concepts/accuracy.md). */
static void size_control(struct sizing *s, const unsigned char *use)
{
    const struct model *model = &s->c->image->model;
    int64_t *change = mem_zero(s->to->tiles + 1, sizeof(*change)), now = 0;
    control_code_start(&s->c->store->target, change);
    for (size_t i = 0; i < model->steps.count; ++i)
        control_code_add(model, &model->steps.data[i], &s->c->store->target, change);
    for (uint32_t tile = 0; tile < s->to->tiles; ++tile) {
        now += change[tile];
        if (use[tile] != IDLE)
            add(s, tile, MODEL_CONTROL_CODE_CATEGORY, (uint64_t)now * s->c->store->target.instruction_bytes);
    }
    free(change);
}

/* ---- instrumentation ---- */

enum { RESULT = 4 }; /* bytes of a count of cycles (docs/reference/ipu-model.md, 3.1) */

static void instrument_sets(struct sizing *s)
{
    const struct order_result *order = s->in->order;
    const struct model *model = &s->c->image->model;
    const struct instrumentation *i = &s->c->options->instrumentation;
    if (i->level == INSTRUMENT_VERTEX) {
        for (size_t g = 0; g < order->groups.count; ++g)
            for (size_t k = 0; k < order->groups.data[g].spans; ++k) {
                struct tile_span span = order->spans.data[order->groups.data[g].first_span + k];
                add(s, span.tile, MODEL_INSTRUMENTATION_RESULTS_CATEGORY, (uint64_t)RESULT * span.count);
            }
        return;
    }
    if (i->level != INSTRUMENT_TILE) {
        uint32_t step = i->level == INSTRUMENT_IPU ? s->c->store->target.tiles_per_ipu : s->to->tiles;
        for (uint32_t tile = (uint32_t)i->profiling_tile; tile < s->to->tiles; tile += step)
            add(s, tile, MODEL_INSTRUMENTATION_RESULTS_CATEGORY, RESULT * model->sets.count);
        return;
    }
    for (size_t p = 0; p < model->parts.count; ++p)
        for (uint32_t tile = model->parts.data[p].tile; tile < model->parts.data[p].tile + model->parts.data[p].tiles;
             ++tile)
            add(s, tile, MODEL_INSTRUMENTATION_RESULTS_CATEGORY, RESULT);
}

/* A record for each program that branches, on a tile of each IPU. */
static void instrument_branches(struct sizing *s)
{
    const struct model *model = &s->c->image->model;
    uint32_t tiles = s->c->store->target.tiles_per_ipu;
    uint64_t branches = 0;
    for (size_t i = 0; i < model->steps.count; ++i) {
        unsigned kind = model->steps.data[i].kind;
        branches += kind == MODEL_IF || kind == MODEL_IF_ELSE || kind == MODEL_SWITCH || kind == MODEL_REPEAT_WHILE;
    }
    int64_t chosen = s->c->options->instrumentation.branch_tile;
    for (uint32_t tile = chosen == OPTION_LAST_TILE ? tiles - 1 : (uint32_t)chosen; tile < s->to->tiles; tile += tiles)
        add(s, tile, MODEL_INSTRUMENTATION_RESULTS_CATEGORY, RESULT * branches);
}

/* The buffers of lightweight profiling. */
static void instrument_blocks(struct sizing *s)
{
    const struct model *model = &s->c->image->model;
    for (size_t i = 1; i < model->blocks.count; ++i)
        add(s, model->blocks.data[i], MODEL_INSTRUMENTATION_RESULTS_CATEGORY, s->in->blocks->buffer);
}

static void instrument_exchange(struct sizing *s, const struct model_exchange *exchange)
{
    for (uint64_t i = exchange->first_flow; i < exchange->first_flow + exchange->flows; ++i) {
        const struct model_flow *flow = &s->c->image->model.flows.data[i];
        for (uint32_t tile = flow->tile; tile < flow->tile + flow->tiles; ++tile)
            add(s, tile, MODEL_INSTRUMENTATION_RESULTS_CATEGORY, RESULT);
    }
}

static void size_exchanges(struct sizing *s)
{
    const struct model *model = &s->c->image->model;
    bool external = s->c->options->instrumentation.external_exchange;
    for (size_t i = 0; i < model->exchanges.count; ++i)
        size_flows(s, &model->exchanges.data[i], EXCHANGES_INTERNAL);
    for (size_t i = 0; i < model->global_exchanges.count; ++i) {
        size_flows(s, &model->global_exchanges.data[i], EXCHANGES_GLOBAL);
        if (external)
            instrument_exchange(s, &model->global_exchanges.data[i]);
    }
    for (size_t i = 0; i < model->host_exchanges.count; ++i) {
        size_flows(s, &model->host_exchanges.data[i], EXCHANGES_HOST);
        if (external)
            instrument_exchange(s, &model->host_exchanges.data[i]);
    }
}

/* Saturates at 2^32 bytes, more than any tile memory. */
static uint64_t stack_bytes(int64_t option)
{
    uint64_t bytes = (uint64_t)option;
    return bytes < UINT32_MAX ? bytes : UINT32_MAX;
}

/* What each worker of a tile needs for its vertices: what was measured, or a default where nothing was, or where a
 * codelet has buffers for the host's vectors on its stack, which the device does not need. */
static void find_measured(const struct sizing *s, uint32_t *worker)
{
    enum { DEFAULT = 512, GRAIN = 8 };
    for (size_t of = 0; of < s->c->image->model.types.count; ++of) {
        uint32_t type = s->store_type[of];
        if (!s->of_types[of] || type == NONE || s->c->store->types.data[type].codelet->kind == VERTEX_SUPERVISOR)
            continue;
        const struct device_code *code = &s->types[type].code;
        bool known = code->stack_measured && code->stack_bytes < DEFAULT;
        uint32_t bytes = known ? (code->stack_bytes + GRAIN - 1) / GRAIN * GRAIN : DEFAULT;
        for (uint32_t tile = 0; tile < s->to->tiles; ++tile)
            if (s->of_types[of][tile].tiles)
                worker[tile] = bytes > worker[tile] ? bytes : worker[tile];
    }
}

/* The supervisor's on tiles that do or hold anything, those of workers where vertices run, copies aside,
 * which keep all in registers. */
static void size_stacks(struct sizing *s, const unsigned char *use)
{
    const struct compiler *c = s->c;
    uint64_t supervisor = stack_bytes(c->options->supervisor_stack_bytes),
             all = memory_stack_bytes(&c->store->target, stack_bytes(c->options->worker_stack_bytes), supervisor);
    uint32_t *measured = mem_zero(s->to->tiles, sizeof(*measured));
    if (!c->options->worker_stack_bytes)
        find_measured(s, measured);
    for (uint32_t tile = 0; tile < s->to->tiles; ++tile)
        add(s, tile, MODEL_STACK_CATEGORY,
            use[tile] == IDLE    ? 0
            : use[tile] == HOLDS ? supervisor
                                 : all + memory_stack_bytes(&c->store->target, measured[tile], 0));
    free(measured);
}

void place_sizes(struct compiler *c, const struct place_inputs *in, struct place_sizes *sizes)
{
    const struct instrumentation *instrumentation = &c->options->instrumentation;
    struct sizing s = { .c = c, .in = in, .to = sizes };
    sizes->tiles = pop_target_num_tiles(&c->store->target);
    sizes->fixed = mem_zero(sizes->tiles, sizeof(*sizes->fixed));
    sizes->code = c->store->target.compile_ipu_code || c->store->target.type == POP_TARGET_IPU;
    if (sizes->code)
        popc_measure_together(c->store->modules.data, c->store->modules.count, &c->store->target);
    s.types = mem_zero(c->store->types.count, sizeof(*s.types));
    s.by_tile = mem_zero(sizes->tiles, sizeof(*s.by_tile));
    s.of_types = mem_zero(c->image->model.types.count, sizeof(*s.of_types));
    s.store_type = mem_alloc((c->image->model.types.count + 1) * sizeof(*s.store_type));
    memset(s.store_type, 0xff, c->image->model.types.count * sizeof(*s.store_type));
    for (uint32_t type = 0; type < c->store->types.count; ++type)
        if (in->schedule->type_of[type])
            s.store_type[in->schedule->type_of[type] - 1] = type;
    for (uint32_t set = 0; set < in->order->sets.count; ++set)
        size_set(&s, set);
    for (uint32_t set = (uint32_t)in->order->sets.count; set < c->image->model.sets.count; ++set)
        size_copies(&s, set);
    finish_types(&s);
    size_exchanges(&s);
    unsigned char *use = tile_uses(&s);
    if (sizes->code)
        size_control(&s, use);
    if (instrumentation->compute)
        instrument_sets(&s);
    if (instrumentation->control_flow)
        instrument_branches(&s);
    instrument_blocks(&s);
    if (sizes->code)
        size_stacks(&s, use);
    free(use);
    for (size_t i = 0; i < c->store->types.count; ++i)
        if (s.types[i].known)
            device_layout_free(&s.types[i].layout);
    free(s.types);
    free(s.by_tile);
    vec_free(&s.touched);
    for (size_t type = 0; type < c->image->model.types.count; ++type)
        free(s.of_types[type]);
    free(s.of_types);
    vec_free(&s.shared);
    free(s.store_type);
}
