/* SPDX-License-Identifier: Apache-2.0 */
/* Estimators: their queries about a vertex, and limits of fields for the libraries' planners. */
#include "graph/store/store.h"
#include "graph/vertex/vertex.h"
#include "graph/view/edge.h"

#include "popc/device/device_layout.h"
#include "popc/module/module.h"

struct pop_vertex_view {
    const pop_store *store;
    const struct vertex *vertex;
    const struct codelet *codelet;
};

bool store_estimate(pop_store *store, uint32_t vertex, pop_perf *perf)
{
    const struct vertex *v = &store->vertices.data[vertex];
    if (v->estimate) {
        *perf = store->estimates.data[v->estimate - 1];
        return true;
    }
    const struct vertex_type *type = &store->types.data[v->type];
    if (!type->estimator)
        return false;
    struct vertex copy = *v; /* the estimator may add vertices, unless the graph is being compiled */
    pop_vertex_view view = { store, &copy, type->codelet };
    *perf = type->estimator(&view, &store->target, type->estimator_user);
    return true;
}

const char *pop_vertex_view_type(const pop_vertex_view *vertex)
{
    return vertex ? vertex->codelet->name : "";
}

uint32_t pop_vertex_view_compute_set(const pop_vertex_view *vertex)
{
    return vertex ? vertex->vertex->set + 1 : 0;
}

/* Finds a field by name; *edge is NULL if nothing is connected. Returns NULL for an unknown name. */
static const struct codelet_field *find(const pop_vertex_view *vertex, const char *name, const struct edge **edge)
{
    const struct codelet_field *field = vertex && name ? codelet_find_field(vertex->codelet, name) : NULL;
    *edge = field ? vertex_edge(vertex->store, vertex->vertex, (uint16_t)(field - vertex->codelet->fields)) : NULL;
    return field;
}

bool pop_vertex_view_has_field(const pop_vertex_view *vertex, const char *field)
{
    return vertex && field && codelet_find_field(vertex->codelet, field);
}

static size_t rank_of(const struct codelet_field *field)
{
    return field->shape == SHAPE_SCALAR                                         ? 0
           : field->shape == SHAPE_VECTORS || field->shape == SHAPE_VECTOR_LIST ? 2
                                                                                : 1;
}

size_t pop_vertex_view_field_rank(const pop_vertex_view *vertex, const char *field)
{
    const struct edge *edge;
    const struct codelet_field *found = find(vertex, field, &edge);
    return found ? rank_of(found) : 0;
}

static size_t elements_of(const pop_store *store, const struct edge *edge)
{
    return edge->form == EDGE_VALUE ? 1 : edge->form == EDGE_NONE ? 0 : (size_t)edge_elements(store, edge);
}

size_t pop_vertex_view_field_size(const pop_vertex_view *vertex, const char *field, size_t index)
{
    const struct edge *edge;
    const struct codelet_field *found = find(vertex, field, &edge);
    if (found && found->shape == SHAPE_SCALAR)
        return 1;
    if (!edge)
        return 0;
    if (index == POP_WHOLE)
        return elements_of(vertex->store, edge);
    if (edge->form != EDGE_LIST || index >= edge->count)
        return 0;
    return elements_of(vertex->store, edge_row(vertex->store, edge, index));
}

/* Element i of the initial value of a state field, NULL when it has none. */
static const void *value_at(const pop_vertex_view *vertex, const struct codelet_field *field, const struct edge *edge,
                            size_t i, uint64_t *bits)
{
    if (edge && edge->form == EDGE_VALUE && i == 0) {
        *bits = edge_value(edge);
        return bits;
    }
    if (edge && edge->form == EDGE_DATA && i < edge->count)
        return edge_data(vertex->store, edge) + i * pop_type_size((pop_type)field->type);
    if (!edge && field->shape == SHAPE_SCALAR && i == 0 && vertex->codelet->defaults)
        return vertex->codelet->defaults + field->offset;
    return NULL;
}

static double converted(const struct codelet_field *field, const void *from)
{
    double value = 0;
    if (from)
        pop_convert((pop_type)field->type, from, POP_DOUBLE, &value, 1);
    return value;
}

double pop_vertex_view_field_value(const pop_vertex_view *vertex, const char *field, size_t i)
{
    const struct edge *edge;
    uint64_t bits;
    const struct codelet_field *found = find(vertex, field, &edge);
    if (!found || found->direction != FIELD_STATE)
        return 0;
    return converted(found, value_at(vertex, found, edge, i, &bits));
}

double pop_vertex_view_field_row_value(const pop_vertex_view *vertex, const char *field, size_t row, size_t i)
{
    const struct edge *edge;
    uint64_t bits;
    const struct codelet_field *found = find(vertex, field, &edge);
    if (!found || found->direction != FIELD_STATE || !edge || edge->form != EDGE_LIST || row >= edge->count)
        return 0;
    return converted(found, value_at(vertex, found, edge_row(vertex->store, edge, row), i, &bits));
}

size_t pop_vertex_view_field_values(const pop_vertex_view *vertex, const char *field, size_t index, double *values,
                                    size_t max)
{
    const struct edge *edge;
    const struct codelet_field *found = find(vertex, field, &edge);
    if (!found || found->direction != FIELD_STATE)
        return 0;
    if (index != POP_WHOLE)
        edge = edge && edge->form == EDGE_LIST && index < edge->count ? edge_row(vertex->store, edge, index) : NULL;
    uint64_t bits;
    bool data = edge && edge->form == EDGE_DATA;
    const void *first = index == POP_WHOLE || data ? value_at(vertex, found, edge, 0, &bits) : NULL;
    size_t count = !first ? 0 : data ? edge->count : 1;
    count = count < max ? count : max;
    if (count)
        pop_convert((pop_type)found->type, first, POP_DOUBLE, values, count);
    return count;
}

/* ---- layouts ---- */

/* The resolved layouts of a field of the vertex. */
static struct device_field device_field_of(const pop_vertex_view *vertex, const struct codelet_field *field)
{
    struct device_layout layout;
    device_layout_make(&layout, vertex->codelet, &vertex->store->target);
    struct device_field found = layout.fields[field - vertex->codelet->fields];
    device_layout_free(&layout);
    return found;
}

static pop_vector_layout layout_of(uint8_t layout)
{
    static const pop_vector_layout layouts[] = { POP_VECTOR_SPAN,         POP_VECTOR_SHORT_SPAN,
                                                 POP_VECTOR_ONE_PTR,      POP_VECTOR_SCALED_PTR32,
                                                 POP_VECTOR_SCALED_PTR64, POP_VECTOR_SCALED_PTR128 };
    return layout < sizeof(layouts) / sizeof(layouts[0]) ? layouts[layout] : POP_VECTOR_NONE;
}

pop_vector_layout pop_vertex_view_field_layout(const pop_vertex_view *vertex, const char *field, unsigned level)
{
    const struct edge *edge;
    const struct codelet_field *found = find(vertex, field, &edge);
    if (!found || level >= rank_of(found) || found->shape == SHAPE_VECTOR_LIST)
        return POP_VECTOR_NONE;
    struct device_field on_device = device_field_of(vertex, found);
    return layout_of(level ? on_device.inner_layout : on_device.layout);
}

pop_vector_list_layout pop_vertex_view_field_list_layout(const pop_vertex_view *vertex, const char *field)
{
    const struct edge *edge;
    const struct codelet_field *found = find(vertex, field, &edge);
    if (!found || rank_of(found) < 2)
        return POP_VECTOR_LIST_NONE;
    uint8_t inner = device_field_of(vertex, found).inner_layout;
    if (found->shape == SHAPE_VECTOR_LIST)
        return inner == LIST_DELTAN ? POP_VECTOR_LIST_DELTAN : POP_VECTOR_LIST_DELTANELEMENTS;
    switch (layout_of(inner)) {
    case POP_VECTOR_SCALED_PTR32:
        return POP_VECTOR_LIST_SCALED_PTR32;
    case POP_VECTOR_SCALED_PTR64:
        return POP_VECTOR_LIST_SCALED_PTR64;
    case POP_VECTOR_SCALED_PTR128:
        return POP_VECTOR_LIST_SCALED_PTR128;
    default:
        return POP_VECTOR_LIST_ONE_PTR;
    }
}

/* ---- limits ---- */

static const struct codelet_field *limit_field(pop_graph *graph, const char *api, const char *vertex_type,
                                               const char *name)
{
    uint32_t type;
    if (!graph_ready(graph) || !store_loaded_type(graph->store, NO_WHERE, api, "", vertex_type, &type))
        return NULL;
    const struct codelet *codelet = graph->store->types.data[type].codelet;
    const struct codelet_field *field = name ? codelet_find_field(codelet, name) : NULL;
    if (field)
        return field;
    const char **names = mem_alloc(codelet->field_count * sizeof(*names));
    char hint[256];
    for (uint32_t i = 0; i < codelet->field_count; ++i)
        names[i] = codelet->fields[i].name;
    error_hint(hint, sizeof(hint), name ? name : "", names, codelet->field_count);
    free(names);
    store_fail(graph->store, POP_UNKNOWN_FIELD, NO_WHERE, api, "vertex type '%s' has no field '%s'%s", codelet->name,
               name ? name : "(null)", hint);
    return NULL;
}

/* Entries that the count of a layout can say (docs/reference/ipu-model.md, 3.2). */
static uint64_t largest_count(uint8_t layout)
{
    return layout == LAYOUT_SHORT_SPAN ? 2047 : UINT32_MAX;
}

/* The counts of a vector list's rows: 14 bits beside a delta in bytes, or what a delta in elements leaves of 32. */
static uint64_t largest_row(uint8_t layout, size_t bytes, const char *arch)
{
    bool in_bytes = layout == LIST_DELTAN || (layout == LIST_COMPACT_DELTAN && strcmp(arch, "ipu1") == 0);
    unsigned shift = 0;
    while ((bytes >> shift) > 1)
        ++shift;
    return ((uint64_t)1 << (in_bytes ? 14 : 11 + shift)) - 1;
}

uint64_t pop_graph_max_field_dim(pop_graph *graph, const char *vertex_type, const char *field, unsigned dim)
{
    static const char api[] = "pop_graph_max_field_dim";
    const struct codelet_field *found = limit_field(graph, api, vertex_type, field);
    if (!found)
        return 0;
    if (dim >= rank_of(found)) {
        store_fail(graph->store, POP_INDEX_ERROR, NO_WHERE, api,
                   "field '%s' of vertex type '%s' has %zu dimensions, there is no %u", field, vertex_type,
                   rank_of(found), dim);
        return 0;
    }
    const pop_target *target = &graph->target;
    size_t bytes = pop_type_size((pop_type)found->type);
    uint64_t memory = target->bytes_per_tile / bytes, count = largest_count(found->layout);
    if (found->shape == SHAPE_VECTOR_LIST)
        count = dim ? largest_row(found->inner_layout, bytes, target->arch) : UINT32_MAX;
    else if (dim)
        count = largest_count(found->inner_layout);
    return count < memory ? count : memory;
}

double pop_graph_max_vertex_field_value(pop_graph *graph, const char *vertex_type, const char *field)
{
    static const char api[] = "pop_graph_max_vertex_field_value";
    const struct codelet_field *found = limit_field(graph, api, vertex_type, field);
    if (!found)
        return 0;
    if (found->direction != FIELD_STATE) {
        store_fail(graph->store, POP_TYPE_ERROR, NO_WHERE, api,
                   "field '%s' of vertex type '%s' is an edge, only state has values", field, vertex_type);
        return 0;
    }
    double lowest, max = 0;
    pop_error error = { 0 };
    if (pop_target_type_limits(&graph->target, (pop_type)found->type, &lowest, &max, &error) != POP_OK)
        store_record(graph->store, &error, NO_WHERE, api);
    return max;
}
