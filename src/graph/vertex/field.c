/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of a vertex: look-up, sizes and initial state. */
#include "base/fit.h"
#include "base/mix.h"
#include "graph/store/store.h"
#include "graph/variable/variable.h"
#include "graph/vertex/vertex.h"
#include "graph/view/edge.h"
#include "popc/module/module.h"

#include <poplar/text.h>
#include <stdarg.h>
#include <stdio.h>

static bool unknown_field(const struct field_ref *ref, const char *name)
{
    uint32_t count = ref->codelet->field_count;
    const char **names = mem_alloc(count * sizeof(*names));
    char hint[256] = "";
    for (uint32_t i = 0; i < count; ++i)
        names[i] = ref->codelet->fields[i].name;
    error_hint(hint, sizeof(hint), name ? name : "", names, count);
    free(names);
    return store_fail_in(ref->store, POP_UNKNOWN_FIELD, ref->where, ref->api,
                         store_name(ref->store, ref->store->sets.data[ref->vertex->set].name),
                         "vertex type '%s' has no field '%s'%s", ref->codelet->name, name ? name : "(null)", hint);
}

bool field_find(struct field_ref *ref, pop_graph *graph, pop_where where, const char *api, pop_vertex vertex,
                const char *name)
{
    pop_store *store = graph->store;
    if (vertex.store != store || vertex.id - 1 >= store->vertices.count)
        return store_fail(store, POP_INDEX_ERROR, where, api, "the vertex %s",
                          vertex.id ? "belongs to another graph" : "is null");
    ref->graph = graph;
    ref->store = store;
    ref->where = where;
    ref->api = api;
    ref->vertex = &store->vertices.data[vertex.id - 1];
    ref->group = store->spans.count ? replicate_group_of(store, vertex.id - 1) : 0;
    ref->codelet = store->types.data[ref->vertex->type].codelet;
    /* Starts the search after the last field used, because programs mostly set fields in order. */
    uint32_t count = ref->codelet->field_count;
    uint32_t at = ref->vertex->edge == NO_EDGE ? 0 : store->edges.data[ref->vertex->edge].field + 1u;
    for (uint32_t i = 0; i < count && name; ++i, ++at) {
        at = at < count ? at : 0;
        const struct codelet_field *field = &ref->codelet->fields[at];
        if (same_name(field->name, name)) {
            ref->field = field;
            ref->index = (uint16_t)at;
            return true;
        }
    }
    return unknown_field(ref, name);
}

bool field_fail(const struct field_ref *ref, pop_status status, const char *format, ...)
{
    char text[768];
    va_list arguments;
    va_start(arguments, format);
    pop_text_vformat(text, sizeof(text), format, arguments);
    va_end(arguments);
    return store_fail_in(ref->store, status, ref->where, ref->api,
                         store_name(ref->store, ref->store->sets.data[ref->vertex->set].name),
                         "field '%s' of vertex type '%s' %s", ref->field->name, ref->codelet->name, text);
}

struct edge *vertex_edge(const pop_store *store, const struct vertex *vertex, uint16_t field)
{
    for (uint32_t i = vertex->edge; i != NO_EDGE; i = edge_next(store->edges.data, i))
        if (store->edges.data[i].field == field)
            return &store->edges.data[i];
    return NULL;
}

static bool check_edge_limit(const struct field_ref *ref, uint64_t count)
{
    if (count < UINT32_MAX - 1 && ref->store->edges.count + count < UINT32_MAX - 1)
        return true;
    return field_fail(ref, POP_OVERFLOW_ERROR, "needs %llu edges more, and a graph has at most 2^32 - 2",
                      (unsigned long long)count);
}

struct edge *field_edge_new(const struct field_ref *ref)
{
    pop_store *store = ref->store;
    if (store->edges.count >= UINT32_MAX - 3 && !check_edge_limit(ref, 2))
        return NULL;
    ref->vertex->edge = edge_add(store, ref->vertex->edge, (struct edge){ .field = ref->index });
    return &store->edges.data[ref->vertex->edge];
}

uint32_t field_rows_new(const struct field_ref *ref, uint64_t count)
{
    pop_store *store = ref->store;
    if (!check_edge_limit(ref, count + 2)) /* and those that name them */
        return UINT32_MAX;
    uint32_t first = (uint32_t)store->edges.count;
    struct edge *rows = vec_extend(&store->edges, (size_t)count);
    for (uint64_t i = 0; i < count; ++i)
        rows[i] = (struct edge){ .field = ref->index };
    return first;
}

/* ---- sizes ---- */

void pop_graph_set_field_size_at(pop_where where, pop_graph *graph, pop_vertex vertex, const char *field, size_t size)
{
    struct field_ref ref;
    if (!graph_ready(graph) || !field_find(&ref, graph, where, "pop_graph_set_field_size", vertex, field))
        return;
    if (!field_has_table(ref.field) && !(ref.field->shape == SHAPE_VECTOR && ref.field->direction == FIELD_STATE)) {
        field_fail(&ref, POP_TYPE_ERROR,
                   ref.field->shape == SHAPE_SCALAR ? "is a scalar, it has no size to set"
                                                    : "takes its size from the tensor that is connected to it");
        return;
    }
    if (size >= UINT32_MAX) {
        field_fail(&ref, POP_OVERFLOW_ERROR, "cannot have %zu elements: 2^32 - 2 are the most", size);
        return;
    }
    struct edge *edge = vertex_edge(ref.store, ref.vertex, ref.index);
    if (edge && edge->count == size)
        return;
    if (edge && edge->form != EDGE_SIZE) {
        field_fail(&ref, POP_GRAPH_CONNECTION_ERROR, "already has %u elements, its size cannot become %zu", edge->count,
                   size);
        return;
    }
    if (!edge && !check_edge_limit(&ref, field_has_table(ref.field) ? size + 1 : 1))
        return;
    uint32_t first = field_has_table(ref.field) ? field_rows_new(&ref, size) : 0;
    edge = edge ? edge : field_edge_new(&ref);
    edge->form = field_has_table(ref.field) ? EDGE_LIST : EDGE_SIZE;
    edge->count = (uint32_t)size;
    edge->offset = first;
}

size_t pop_graph_get_field_size(const pop_graph *graph, pop_vertex vertex, const char *field)
{
    if (!graph || !field || vertex.store != graph->store || vertex.id - 1 >= graph->store->vertices.count)
        return 0;
    const pop_store *store = graph->store;
    const struct vertex *v = &store->vertices.data[vertex.id - 1];
    const struct codelet *codelet = store->types.data[v->type].codelet;
    const struct codelet_field *found = codelet_find_field(codelet, field);
    const struct edge *edge = found ? vertex_edge(store, v, (uint16_t)(found - codelet->fields)) : NULL;
    if (!edge || edge->form == EDGE_VALUE || found->shape == SHAPE_SCALAR)
        return 0;
    return (size_t)edge_elements(store, edge);
}

/* ---- what state starts as ---- */

static bool check_state(const struct field_ref *ref, pop_type value_type, const void *values, size_t count)
{
    if (ref->field->direction != FIELD_STATE)
        return field_fail(ref, POP_GRAPH_CONNECTION_ERROR,
                          "is an edge, not state: connect it with pop_graph_connect (or pop_graph_connect_constant)");
    if (!pop_type_size(value_type))
        return field_fail(ref, POP_TYPE_ERROR, "cannot be set from values of type %d, which is no type",
                          (int)value_type);
    if (count && !values)
        return field_fail(ref, POP_POPLAR_ERROR, "cannot be set: the pointer to its values is NULL");
    return field_takes_codes(ref, value_type);
}

bool field_takes_codes(const struct field_ref *ref, pop_type value_type)
{
    return ref->field->type != POP_QUARTER || value_type == POP_QUARTER ||
           field_fail(ref, POP_TYPE_ERROR,
                      "is of type quarter and has no metadata, without which a number has no code: set it from codes, "
                      "values of type quarter, not of %s",
                      pop_type_name(value_type));
}

void field_check_fit(const struct field_ref *ref, pop_type value_type, const void *values, size_t count)
{
    pop_type type = (pop_type)ref->field->type;
    size_t first = fit_first_beyond(value_type, values, type, count);
    if (first == count)
        return;
    char what[200];
    snprintf(what, sizeof(what), "field '%s' of vertex type '%s'", ref->field->name, ref->codelet->name);
    misfit_report(ref->store, ref->where, mix(mix(ref->vertex->type + 1) + ref->index), what, value_type,
                  (const char *)values + first * pop_type_size(value_type), type);
}

static void set_scalar(const struct field_ref *ref, pop_type value_type, const void *value)
{
    if (!check_state(ref, value_type, value, 1))
        return;
    if (ref->field->shape != SHAPE_SCALAR) {
        field_fail(ref, POP_TYPE_ERROR, "is a vector: set it with pop_graph_set_field_vector");
        return;
    }
    struct edge *edge = vertex_edge(ref->store, ref->vertex, ref->index);
    if (!edge && !(edge = field_edge_new(ref)))
        return;
    uint64_t bits = 0;
    field_check_fit(ref, value_type, value, 1);
    pop_convert(value_type, value, (pop_type)ref->field->type, &bits, 1);
    edge_set_value(edge, bits);
}

void pop_graph_set_field_at(pop_where where, pop_graph *graph, pop_vertex vertex, const char *field,
                            pop_type value_type, const void *value)
{
    struct field_ref ref;
    if (graph_ready(graph) && field_find(&ref, graph, where, "pop_graph_set_field", vertex, field))
        set_scalar(&ref, value_type, value);
}

void pop_graph_set_field_double_at(pop_where where, pop_graph *graph, pop_vertex vertex, const char *field,
                                   double value)
{
    struct field_ref ref;
    if (graph_ready(graph) && field_find(&ref, graph, where, "pop_graph_set_field_double", vertex, field))
        set_scalar(&ref, POP_DOUBLE, &value);
}

void pop_graph_set_field_int_at(pop_where where, pop_graph *graph, pop_vertex vertex, const char *field, int64_t value)
{
    struct field_ref ref;
    if (graph_ready(graph) && field_find(&ref, graph, where, "pop_graph_set_field_int", vertex, field))
        set_scalar(&ref, POP_LONGLONG, &value);
}

/* The edge that a vector of values goes to: the field's own, or its row's; NULL and an error when there is none. */
static struct edge *vector_edge(const struct field_ref *ref, size_t index)
{
    struct edge *edge = vertex_edge(ref->store, ref->vertex, ref->index);
    if (ref->field->shape == SHAPE_SCALAR) {
        field_fail(ref, POP_TYPE_ERROR, "is a scalar: set it with pop_graph_set_field");
    } else if (ref->field->shape == SHAPE_VECTOR) {
        if (index == POP_WHOLE)
            return edge ? edge : field_edge_new(ref);
        field_fail(ref, POP_INDEX_ERROR, "is one vector, it has no row %zu: give POP_WHOLE", index);
    } else if (index == POP_WHOLE) {
        field_fail(ref, POP_INDEX_ERROR, "is a vector of vectors: set it row by row, POP_FIELD(\"%s\", row)",
                   ref->field->name);
    } else if (!edge) {
        field_fail(ref, POP_NO_SIZE_SPECIFIED, "has no size yet: set its size first");
    } else if (index >= edge->count) {
        field_fail(ref, POP_INDEX_ERROR, "has no row %zu: its size is %u", index, edge->count);
    } else {
        return edge_row(ref->store, edge, index);
    }
    return NULL;
}

void pop_graph_set_field_vector_at(pop_where where, pop_graph *graph, pop_vertex vertex, pop_field field,
                                   pop_type value_type, const void *values, size_t count)
{
    struct field_ref ref;
    if (!graph_ready(graph) || !field_find(&ref, graph, where, "pop_graph_set_field_vector", vertex, field.name) ||
        !check_state(&ref, value_type, values, count))
        return;
    size_t bytes = pop_type_size((pop_type)ref.field->type);
    if (count >= UINT32_MAX) {
        field_fail(&ref, POP_OVERFLOW_ERROR, "cannot have %zu elements: 2^32 - 2 are the most", count);
        return;
    }
    if (!store_check_data_size(ref.store, count * bytes) || ref.store->data.count + count * bytes >= (uint64_t)1
                                                                                                         << 40) {
        field_fail(&ref, POP_GRAPH_MEMORY_ALLOCATION_ERROR, "cannot be set: there is no host memory for %zu values",
                   count);
        return;
    }
    struct edge *edge = vector_edge(&ref, field.index);
    if (!edge)
        return;
    field_check_fit(&ref, value_type, values, count);
    edge_set_data(edge, store_convert(ref.store, value_type, values, (pop_type)ref.field->type, count),
                  (uint32_t)count);
}
