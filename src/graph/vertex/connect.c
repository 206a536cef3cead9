/* SPDX-License-Identifier: Apache-2.0 */
/* Connecting tensors to fields. All checks precede all changes. */
#include "graph/store/store.h"
#include "graph/variable/variable.h"
#include "graph/vertex/vertex.h"
#include "graph/view/edge.h"
#include "graph/view/tensor.h"
#include "graph/view/view.h"

#include <assert.h>

static bool same_type(uint8_t a, uint8_t b)
{
    bool chars = (a == POP_CHAR || a == POP_SIGNED_CHAR) && (b == POP_CHAR || b == POP_SIGNED_CHAR);
    return a == b || chars;
}

/* A tensor to be connected; nearly all are a single run, which is computed once. */
struct edge_use {
    const pop_tensor *t;
    bool single;
    struct run run;
    const struct view *view; /* NULL: not kept yet */
};

/* Finds the run, with one walk for it and for the view if there is none.  The two commonest forms are inlined, since
 * ten million edges are common (5 % of building time). */
static inline void find_run(struct edge_use *use)
{
    const pop_tensor *t = use->t;
    use->view = NULL;
    use->single = true;
    if (!t->form && !(t->source & COMPOSITE) && t->digits <= 1 && (!t->digits || t->digit[0].stride == 1)) {
        use->run = (struct run){ t->source, t->offset, t->digits ? t->digit[0].extent : 1 };
    } else if (t->source & COMPOSITE && !(t->form & FORM_EMPTY)) {
        use->view = view_keep_unless_run(*t, &use->run);
        use->single = !use->view;
    } else {
        use->single = tensor_single_run(*t, &use->run);
    }
}

static bool holds_constant(const pop_store *store, const struct edge_use *use)
{
    if (!use->single)
        return pop_tensor_contains_constant(*use->t);
    return use->run.count && store->variables.data[use->run.variable].constant;
}

/* Checks that the field is an edge and accepts the tensor's type; shapes are checked elsewhere. */
static bool check_tensor(const struct field_ref *ref, const pop_tensor *t, struct edge_use *use)
{
    if (ref->field->direction == FIELD_STATE)
        return field_fail(ref, POP_GRAPH_CONNECTION_ERROR, "is state, not an edge: give it an initial value");
    if (t->store != ref->store)
        return field_fail(ref, POP_GRAPH_CONNECTION_ERROR, "cannot be connected to a %s",
                          t->store ? "tensor of another graph" : "null tensor");
    if (t->type != ref->field->type && !same_type(t->type, ref->field->type))
        return field_fail(ref, POP_TYPE_ERROR, "has elements of type %s, the tensor's are %s",
                          pop_type_name((pop_type)ref->field->type), pop_type_name((pop_type)t->type));
    if (ref->store->groups.count &&
        !replicate_check(ref->store, ref->group, ref->where, ref->api,
                         store_name(ref->store, ref->store->sets.data[ref->vertex->set].name), *t))
        return false;
    use->t = t;
    find_run(use);
    if (ref->field->direction == FIELD_INPUT)
        return true;
    if (holds_constant(ref->store, use))
        return field_fail(ref, POP_GRAPH_CONNECTION_ERROR, "writes, and the tensor holds constants (%s)",
                          tensor_debug_name(*t));
    if (ref->group && replicate_holds_others(ref->store, *t))
        return field_fail(ref, POP_GRAPH_REPLICATION_ERROR,
                          "writes in each of %u replicas, and the tensor ('%s') is not replicated: all would write it",
                          ref->store->groups.data[ref->group - 1].replicas, tensor_debug_name(*t));
    if (!use->single && pop_tensor_contains_aliases(*t))
        return field_fail(
            ref, POP_GRAPH_CONNECTION_ERROR,
            "writes, and the tensor holds elements more than once (of %s): it is broadcast or joined with itself",
            tensor_debug_name(*t));
    return true;
}

/* Sets the edge to a tensor that has been checked. */
static void fill_edge(const struct field_ref *ref, struct edge *edge, const struct edge_use *use)
{
    assert(edge->form == EDGE_NONE);
    pop_store *store = ref->store;
    if (use->single && use->run.count <= UINT32_MAX && use->run.offset <= UINT32_MAX) {
        edge->form = EDGE_RUN;
        edge->variable = use->run.count ? use->run.variable : 0;
        edge->count = (uint32_t)use->run.count;
        edge->offset = use->run.count ? (uint32_t)use->run.offset : 0;
    } else {
        edge->form = EDGE_VIEW;
        edge->variable = (uint32_t)store->views.count;
        *vec_push(&store->views) = use->view ? use->view : view_keep(*use->t);
    }
    ++store->edge_count;
}

static bool one_element(const struct edge_use *use)
{
    return use->t->rank <= 1 && (use->single ? use->run.count : pop_tensor_num_elements(*use->t)) == 1;
}

/* A tensor for one row (or scalar) of a vector of edges. */
static bool check_row(const struct field_ref *ref, const pop_tensor *t, size_t row, struct edge_use *use)
{
    if (!check_tensor(ref, t, use))
        return false;
    if (ref->field->shape == SHAPE_SCALARS ? one_element(use) : t->rank == 1)
        return true;
    char shape[128];
    pop_tensor_shape_to_string(*t, shape, sizeof(shape));
    return field_fail(ref, POP_GRAPH_CONNECTION_ERROR, "takes %s at [%zu], the tensor's shape is %s",
                      ref->field->shape == SHAPE_SCALARS ? "one element" : "a tensor of rank 1", row, shape);
}

/* The first of count edges in a row that nothing is connected to: new ones, or those that pop_graph_set_field_size
 * made. */
static uint32_t free_rows(const struct field_ref *ref, size_t count)
{
    const pop_store *store = ref->store;
    struct edge *edge = vertex_edge(store, ref->vertex, ref->index);
    if (edge) {
        for (uint32_t i = 0; i < edge->count; ++i)
            if (edge_row(store, edge, i)->form != EDGE_NONE) {
                field_fail(ref, POP_GRAPH_CONNECTION_ERROR, "is already connected");
                return UINT32_MAX;
            }
        if (edge->count != count) {
            field_fail(ref, POP_GRAPH_CONNECTION_ERROR, "was given the size %u, %zu tensors are connected to it",
                       edge->count, count);
            return UINT32_MAX;
        }
        return edge->offset;
    }
    uint32_t first = field_rows_new(ref, count);
    if (first == UINT32_MAX)
        return first;
    edge = field_edge_new(ref);
    edge->form = EDGE_LIST;
    edge->count = (uint32_t)count;
    edge->offset = first;
    return first;
}

struct scalar_walk {
    const struct field_ref *ref;
    pop_tensor t;
    uint32_t first, done;
};

static bool connect_scalars(const struct run *run, void *context)
{
    struct scalar_walk *walk = context;
    pop_store *store = walk->ref->store;
    for (uint64_t i = 0; i < run->count; ++i, ++walk->done) {
        struct edge *edge = &store->edges.data[walk->first + walk->done];
        if (run->offset + i > UINT32_MAX) {
            pop_tensor element = pop_tensor_slice_at(walk->ref->where, walk->t, walk->done, walk->done + 1, 0);
            fill_edge(walk->ref, edge, &(struct edge_use){ .t = &element });
            continue;
        }
        edge->form = EDGE_RUN;
        edge->variable = run->variable;
        edge->count = 1;
        edge->offset = (uint32_t)(run->offset + i);
        ++store->edge_count;
    }
    return true;
}

/* Connects the elements of a tensor of rank 1 one by one, or the rows of one of rank 2. */
static void connect_rows(const struct field_ref *ref, pop_tensor t)
{
    size_t count = pop_tensor_dim(t, 0);
    uint32_t first = free_rows(ref, count);
    if (first == UINT32_MAX)
        return;
    if (ref->field->shape == SHAPE_SCALARS) {
        struct scalar_walk walk = { .ref = ref, .t = t, .first = first };
        if (count)
            tensor_each_run(t, connect_scalars, &walk);
        return;
    }
    size_t mark = tensor_nodes_mark(ref->store->nodes);
    for (size_t i = 0; i < count; ++i) {
        pop_tensor row = pop_tensor_at_at(ref->where, t, i);
        struct edge_use use = { .t = &row };
        find_run(&use);
        fill_edge(ref, &ref->store->edges.data[first + i], &use);
    }
    tensor_nodes_release(ref->store->nodes, mark);
}

static bool check_shape(const struct field_ref *ref, const struct edge_use *use)
{
    static const char *const wants[] = { "takes one element, of rank 0 or 1", "takes a tensor of rank 1",
                                         "takes a tensor of rank 2, by row", "takes a tensor of rank 2, by row",
                                         "takes a tensor of rank 1, by element" };
    unsigned rank = use->t->rank;
    bool fits;
    switch (ref->field->shape) {
    case SHAPE_SCALAR:
        fits = one_element(use);
        break;
    case SHAPE_VECTOR:
    case SHAPE_SCALARS:
        fits = rank == 1;
        break;
    default:
        fits = rank == 2;
    }
    if (fits)
        return true;
    char shape[128];
    pop_tensor_shape_to_string(*use->t, shape, sizeof(shape));
    return field_fail(ref, POP_GRAPH_CONNECTION_ERROR, "%s, the tensor's shape is %s", wants[ref->field->shape], shape);
}

/* The field that follows a vector of 8-bit floats takes their metadata. */
static void connect_metadata(const struct field_ref *of, const pop_tensor *t)
{
    struct field_ref ref = *of;
    pop_tensor metadata = metadata_of(*t);
    if (++ref.index == ref.codelet->field_count || (++ref.field)->type != POP_QUARTER_METADATA)
        return;
    struct edge *edge = field_edge_new(&ref);
    struct edge_use use = { .t = &metadata };
    find_run(&use);
    if (edge)
        fill_edge(&ref, edge, &use);
}

void field_connect(pop_where where, const char *api, pop_graph *graph, pop_vertex vertex, const char *field,
                   const pop_tensor *t)
{
    struct field_ref ref;
    struct edge_use use;
    if (!field_find(&ref, graph, where, api, vertex, field) || !check_tensor(&ref, t, &use) || !check_shape(&ref, &use))
        return;
    if (ref.field->shape != SHAPE_SCALAR && ref.field->shape != SHAPE_VECTOR) {
        connect_rows(&ref, *t);
        return;
    }
    if (vertex_edge(ref.store, ref.vertex, ref.index)) {
        field_fail(&ref, POP_GRAPH_CONNECTION_ERROR, "is already connected");
        return;
    }
    struct edge *edge = field_edge_new(&ref);
    if (edge)
        fill_edge(&ref, edge, &use);
    if (edge && t->type == POP_QUARTER)
        connect_metadata(&ref, t);
}

void pop_graph_connect_at(pop_where where, pop_graph *graph, pop_vertex vertex, const char *field, pop_tensor t)
{
    if (graph_ready(graph))
        field_connect(where, "pop_graph_connect", graph, vertex, field, &t);
}

void pop_graph_connect_index_at(pop_where where, pop_graph *graph, pop_vertex vertex, const char *field, size_t index,
                                pop_tensor t)
{
    struct field_ref ref;
    if (!graph_ready(graph) || !field_find(&ref, graph, where, "pop_graph_connect_index", vertex, field))
        return;
    if (ref.field->shape == SHAPE_SCALAR || ref.field->shape == SHAPE_VECTOR) {
        field_fail(&ref, POP_GRAPH_CONNECTION_ERROR, "is one edge: connect it whole with pop_graph_connect");
        return;
    }
    struct edge_use use;
    if (!check_row(&ref, &t, index, &use))
        return;
    const struct edge *edge = vertex_edge(ref.store, ref.vertex, ref.index);
    if (!edge) {
        field_fail(&ref, POP_NO_SIZE_SPECIFIED, "has no size yet: set its size first");
    } else if (index >= edge->count) {
        field_fail(&ref, POP_INDEX_ERROR, "has no element %zu: its size is %u", index, edge->count);
    } else {
        struct edge *row = edge_row(ref.store, edge, index);
        if (row->form != EDGE_NONE)
            field_fail(&ref, POP_GRAPH_CONNECTION_ERROR, "is already connected at [%zu]", index);
        else
            fill_edge(&ref, row, &use);
    }
}

void pop_graph_connect_list_at(pop_where where, pop_graph *graph, pop_vertex vertex, const char *field,
                               pop_tensors list)
{
    struct field_ref ref;
    if (!graph_ready(graph) || !field_find(&ref, graph, where, "pop_graph_connect_list", vertex, field))
        return;
    if (ref.field->direction == FIELD_STATE) {
        check_tensor(&ref, &(pop_tensor){ 0 }, NULL);
        return;
    }
    if (ref.field->shape == SHAPE_SCALAR || ref.field->shape == SHAPE_VECTOR) {
        field_fail(&ref, POP_GRAPH_CONNECTION_ERROR,
                   "is one edge, not a list: join the tensors with pop_tensor_concat and connect that");
        return;
    }
    if (!store_has_list(ref.store, POP_GRAPH_CONNECTION_ERROR, where, "pop_graph_connect_list", "tensors", list.count,
                        list.list))
        return;
    struct edge_use *uses = mem_alloc((list.count + 1) * sizeof(*uses));
    size_t checked = 0;
    while (checked < list.count && check_row(&ref, &list.list[checked], checked, &uses[checked]))
        ++checked;
    uint32_t first = checked < list.count ? UINT32_MAX : free_rows(&ref, list.count);
    for (size_t i = 0; i < list.count && first != UINT32_MAX; ++i)
        fill_edge(&ref, &ref.store->edges.data[first + i], &uses[i]);
    free(uses);
}

/* A constant that is where its readers are; one serves all that read the same value, as far as a small cache
 * remembers. */
static uint32_t hidden_constant(const struct field_ref *ref, uint64_t bits)
{
    assert(ref->field->direction == FIELD_INPUT && ref->field->shape == SHAPE_SCALAR);
    pop_store *store = ref->store;
    pop_type type = (pop_type)ref->field->type;
    uint32_t *known = &store->constant_cache[(bits ^ bits >> 17 ^ bits >> 40 ^ (uint64_t)type * 7) % STORE_CACHE];
    if (*known) {
        const struct variable *variable = &store->variables.data[*known - 1];
        const unsigned char *data = store->data.data + store->initials.data[variable->initial].data;
        if (variable->type == type && memcmp(data, &bits, pop_type_size(type)) == 0)
            return *known - 1;
    }
    uint32_t index = variable_add(store, ref->where, ref->api, type, 1, "<const>");
    if (index == UINT32_MAX)
        return index;
    struct variable *variable = &store->variables.data[index];
    variable->constant = variable->follows_vertex = true;
    variable->initial = (uint32_t)store->initials.count;
    uint64_t data = store_data(store, &bits, pop_type_size(type));
    *vec_push(&store->initials) = (struct initial){ .variable = index, .count = 1, .data = data };
    *known = index + 1;
    return index;
}

void pop_graph_connect_constant_at(pop_where where, pop_graph *graph, pop_vertex vertex, const char *field,
                                   pop_type value_type, const void *value)
{
    struct field_ref ref;
    if (!graph_ready(graph) || !field_find(&ref, graph, where, "pop_graph_connect_constant", vertex, field))
        return;
    if (ref.field->direction == FIELD_STATE) {
        check_tensor(&ref, &(pop_tensor){ 0 }, NULL);
        return;
    }
    if (ref.field->direction != FIELD_INPUT || ref.field->shape != SHAPE_SCALAR) {
        field_fail(&ref, POP_GRAPH_CONNECTION_ERROR,
                   ref.field->direction == FIELD_INPUT
                       ? "is no scalar: connect a tensor that pop_graph_add_constant made"
                       : "writes, and a constant cannot be written");
        return;
    }
    if (!pop_type_size(value_type) || !value) {
        field_fail(&ref, POP_TYPE_ERROR, "needs a value and its type");
        return;
    }
    if (!field_takes_codes(&ref, value_type))
        return;
    if (vertex_edge(ref.store, ref.vertex, ref.index)) {
        field_fail(&ref, POP_GRAPH_CONNECTION_ERROR, "is already connected");
        return;
    }
    uint64_t bits = 0;
    field_check_fit(&ref, value_type, value, 1);
    pop_convert(value_type, value, (pop_type)ref.field->type, &bits, 1);
    uint32_t variable = hidden_constant(&ref, bits);
    struct edge *edge = variable == UINT32_MAX ? NULL : field_edge_new(&ref);
    if (!edge)
        return;
    edge->form = EDGE_RUN;
    edge->variable = variable;
    edge->count = 1;
    ++ref.store->edge_count;
}
