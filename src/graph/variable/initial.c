/* SPDX-License-Identifier: Apache-2.0 */
/* Constants, and the initial values of variables. */
#include "graph/store/store.h"
#include "graph/variable/regions.h"
#include "graph/variable/variable.h"
#include "graph/view/tensor_form.h"
#include "graph/view/view.h"
#include "graph/view/view_walk.h"

#include <poplar/metadata.h>

/* Whether host values can be taken: a type that pop_convert knows, memory that is there, and space for them. */
static bool check_values(pop_store *store, pop_where where, const char *api, const char *path, pop_type value_type,
                         const void *values, pop_type type, uint64_t count)
{
    if (!pop_type_size(value_type))
        return store_fail_in(store, POP_TYPE_ERROR, where, api, path, "%d is no type of host values", (int)value_type);
    if (count && !values)
        return store_fail_in(store, POP_POPLAR_ERROR, where, api, path,
                             "values is NULL, %llu values of type %s are needed", (unsigned long long)count,
                             pop_type_name(value_type));
    if (!store_check_data_size(store, (size_t)count * pop_type_size(type)))
        return store_fail_in(store, POP_GRAPH_MEMORY_ALLOCATION_ERROR, where, api, path,
                             "no host memory for %llu values", (unsigned long long)count);
    misfit_tensor(store, where, path, value_type, values, type, (size_t)count);
    return true;
}

/* Makes a variable constant, and its instances, whose data are `bytes` bytes apart. */
static void set_constant(pop_store *store, uint32_t variable, struct initial initial, uint64_t bytes)
{
    for (uint32_t i = 0, n = replicate_instances(store, variable); i <= n; ++i) {
        store->variables.data[variable + i].constant = true;
        store->variables.data[variable + i].initial = (uint32_t)store->initials.count;
        initial.variable = variable + i;
        *vec_push(&store->initials) = initial;
        initial.own = initial.own && !n;
        initial.data += i ? bytes : 0;
    }
}

/* Appends count values as elements of a type, those of QUARTER by their metadata, and returns where they are. */
static bool convert(pop_store *store, pop_where where, const char *api, const char *path, pop_tensor metadata,
                    pop_type value_type, const void *values, pop_type type, uint64_t count, uint64_t *data)
{
    uint8_t byte = 0;
    if (type != POP_QUARTER || value_type == POP_QUARTER) {
        *data = store_convert(store, value_type, values, type, count);
        return true;
    }
    if (!metadata_to_convert(store, where, api, path, metadata, &byte))
        return false;
    *data = store_data(store, NULL, (size_t)count);
    pop_convert_to_quarter(byte, value_type, values, store->data.data + *data, (size_t)count, true);
    return true;
}
/* Whether the values of a new constant can be converted, before anything is added. */
static bool is_convertible(pop_store *store, pop_where where, const char *api, const char *path,
                           const pop_tensor *metadata, pop_type value_type, pop_type type)
{
    uint8_t byte;
    return type != POP_QUARTER || value_type == POP_QUARTER ||
           metadata_to_convert(store, where, api, path, metadata ? *metadata : (pop_tensor){ 0 }, &byte);
}

static pop_tensor add_constant_as(pop_where where, const char *api, pop_graph *graph, pop_type type, pop_shape shape,
                                  pop_type value_type, const void *values, bool fill, const char *name,
                                  const pop_tensor *metadata)
{
    pop_tensor none = { 0 };
    uint64_t elements;
    if (!graph_ready(graph) || !variable_shape(graph->store, where, api, type, shape, name, &elements))
        return none;
    pop_store *store = graph->store;
    uint64_t count = fill && elements ? 1 : elements;
    if (!check_values(store, where, api, name, value_type, values, type, count) ||
        !is_convertible(store, where, api, name, metadata, value_type, type))
        return none;
    uint32_t variable = metadata_add_variable(graph, where, api, type, elements, name ? name : "<const>", metadata);
    if (variable == UINT32_MAX)
        return none;
    pop_tensor t = tensor_of_variable(store, variable, type, shape.dims, shape.rank, 0);
    struct initial initial = { .fill = fill, .count = elements };
    if (!convert(store, where, api, name, metadata_of(t), value_type, values, type, count, &initial.data))
        return none;
    set_constant(store, variable, initial, 0);
    return t;
}

static pop_tensor add_constant(pop_where where, const char *api, pop_graph *graph, pop_type type, pop_shape shape,
                               pop_type value_type, const void *values, bool fill, const char *name)
{
    return add_constant_as(where, api, graph, type, shape, value_type, values, fill, name, NULL);
}

pop_tensor pop_graph_add_constant_with_metadata_at(pop_where where, pop_graph *graph, pop_tensor metadata,
                                                   pop_shape shape, pop_type value_type, const void *values,
                                                   const char *name)
{
    return add_constant_as(where, "pop_graph_add_constant_with_metadata", graph, POP_QUARTER, shape, value_type, values,
                           false, name, &metadata);
}

pop_tensor pop_graph_add_constant_fill_with_metadata_at(pop_where where, pop_graph *graph, pop_tensor metadata,
                                                        pop_shape shape, pop_type value_type, const void *value,
                                                        const char *name)
{
    return add_constant_as(where, "pop_graph_add_constant_fill_with_metadata", graph, POP_QUARTER, shape, value_type,
                           value, true, name, &metadata);
}

pop_tensor pop_graph_add_constant_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                     pop_type value_type, const void *values, const char *name)
{
    return add_constant(where, "pop_graph_add_constant", graph, type, shape, value_type, values, false, name);
}

pop_tensor pop_graph_add_replica_constant_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                             pop_type value_type, const void *values, const char *name)
{
    static const char api[] = "pop_graph_add_replica_constant";
    pop_tensor none = { 0 };
    uint64_t elements;
    if (!graph_ready(graph) || !variable_shape(graph->store, where, api, type, shape, name, &elements))
        return none;
    pop_store *store = graph->store;
    uint64_t count = elements * pop_graph_replication_factor(graph);
    if (!check_values(store, where, api, name, value_type, values, type, count) ||
        !is_convertible(store, where, api, name, NULL, value_type, type))
        return none;
    uint32_t variable = metadata_add_variable(graph, where, api, type, elements, name ? name : "<const>", NULL);
    if (variable == UINT32_MAX)
        return none;
    pop_tensor t = tensor_of_variable(store, variable, type, shape.dims, shape.rank, 0);
    struct initial initial = { .own = count > elements, .count = elements };
    if (!convert(store, where, api, name, metadata_of(t), value_type, values, type, count, &initial.data))
        return none;
    set_constant(store, variable, initial, elements * pop_type_size(type));
    return t;
}

pop_tensor pop_graph_add_replication_index_constant_at(pop_where where, pop_graph *graph, const char *name)
{
    if (!graph_ready(graph))
        return (pop_tensor){ 0 };
    unsigned replicas = pop_graph_replication_factor(graph), *numbers = mem_alloc(replicas * sizeof(*numbers));
    for (unsigned r = 0; r < replicas; ++r)
        numbers[r] = r;
    pop_tensor t = pop_graph_add_replica_constant_at(where, graph, POP_UNSIGNED_INT, POP_SHAPE(), POP_UNSIGNED_INT,
                                                     numbers, name ? name : "replicationIndex");
    free(numbers);
    return t;
}

pop_tensor pop_graph_add_constant_float_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                           double value, const char *name)
{
    return add_constant(where, "pop_graph_add_constant_float", graph, type, shape, POP_DOUBLE, &value, true, name);
}

pop_tensor pop_graph_add_constant_fill_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                          pop_type value_type, const void *value, const char *name)
{
    return add_constant(where, "pop_graph_add_constant_fill", graph, type, shape, value_type, value, true, name);
}

pop_tensor pop_graph_add_constant_half_at(pop_where where, pop_graph *graph, pop_shape shape, const uint16_t *bits,
                                          const char *name)
{
    return add_constant(where, "pop_graph_add_constant_half", graph, POP_HALF, shape, POP_HALF, bits, false, name);
}

pop_tensor pop_graph_add_constant_half_fill_at(pop_where where, pop_graph *graph, pop_shape shape, uint16_t bits,
                                               const char *name)
{
    return add_constant(where, "pop_graph_add_constant_half_fill", graph, POP_HALF, shape, POP_HALF, &bits, true, name);
}

/* ---- initial values of variables ---- */

/* Adds an initial value of count elements of a variable, and of its instances. */
static void add_initial(pop_store *store, uint32_t variable, struct initial initial)
{
    uint32_t last = variable + replicate_instances(store, variable);
    for (initial.variable = variable; initial.variable <= last; ++initial.variable)
        *vec_push(&store->initials) = initial;
}

/* Runs that repeat no element. */
static bool are_apart(const struct placed_runs *sorted)
{
    const struct placed_run *list = sorted->list.data;
    for (size_t i = 1; i < sorted->list.count; ++i)
        if (list[i].variable == list[i - 1].variable && list[i].offset < list[i - 1].offset + list[i - 1].count)
            return false;
    return true;
}

/* Brings values, which are in the tensor's order, to the order of the runs. */
static void order_values(const struct placed_runs *runs, unsigned char *values, size_t bytes)
{
    unsigned char *given = mem_copy(values, runs->flat * bytes);
    for (size_t i = 0; i < runs->list.count; ++i) {
        const struct placed_run *run = &runs->list.data[i];
        memcpy(values, given + run->flat * bytes, run->count * bytes);
        values += run->count * bytes;
    }
    free(given);
}

/* One initial value for runs that continue each other: the weights of a network are set in the tensor's order, which is
 * another one than that of memory, and have millions of runs.  bytes: of an element, 0 when all are the one value at
 * data. */
static void add_runs(pop_store *store, const struct placed_runs *runs, uint64_t data, size_t bytes)
{
    const struct placed_run *list = runs->list.data;
    for (size_t i = 0, next; i < runs->list.count; i = next) {
        struct initial initial = { .fill = !bytes, .begin = list[i].offset, .data = data };
        uint64_t end = list[i].offset;
        for (next = i; next < runs->list.count && list[next].variable == list[i].variable && list[next].offset == end;
             ++next)
            end += list[next].count;
        initial.count = end - initial.begin;
        add_initial(store, list[i].variable, initial);
        data += initial.count * bytes;
    }
}

/* Whether the elements of a piece, whose digits have the largest strides first, are a run in some order. */
static bool is_dense(const struct piece *piece)
{
    int64_t step = 1;
    for (uint32_t i = piece->digits; i-- > 0; step *= (int64_t)piece->digit[i].extent)
        if (piece->digit[i].stride != step)
            return false;
    return true;
}
static bool place_filled_run(const struct run *run, void *context)
{
    struct placed_runs *runs = context;
    *vec_push(&runs->list) = (struct placed_run){ run->variable, run->offset, run->count, 0 };
    return true;
}
static bool place_filled_piece(const struct piece *piece, void *context)
{
    struct run all = { piece->variable, piece->offset, piece->elements };
    return is_dense(piece) ? place_filled_run(&all, context) : piece_each_run(piece, place_filled_run, context);
}

/* One value for all elements, in whatever order. */
static void add_fills(pop_store *store, pop_tensor t, uint64_t data)
{
    struct placed_runs runs = { 0 };
    struct flat flat;
    bool repeats = false;
    tensor_flat(t, &flat);
    if (walk_set(store, &flat.piece, &repeats, place_filled_piece, &runs)) {
        placed_runs_sort(&runs);
        add_runs(store, &runs, data, 0);
    }
    vec_free(&runs.list);
}

/* The values of all elements, at data in the tensor's order; where elements are repeated, the last one counts. */
static void add_values(pop_store *store, pop_tensor t, uint64_t data, size_t bytes)
{
    struct placed_runs runs = { 0 };
    if (placed_runs_add(&runs, t, 0, pop_tensor_num_elements(t))) {
        bool moved = placed_runs_sort(&runs);
        if (moved && !are_apart(&runs)) {
            runs.list.count = 0;
            placed_runs_add(&runs, t, 0, pop_tensor_num_elements(t));
        } else if (moved) {
            order_values(&runs, store->data.data + data, bytes);
        }
        add_runs(store, &runs, data, bytes);
    }
    vec_free(&runs.list);
}

static void set_initial(pop_where where, const char *api, pop_graph *graph, pop_tensor t, pop_type value_type,
                        const void *values, bool fill)
{
    if (!graph_ready(graph) || !graph_tensor(graph, where, api, "", POP_POPLAR_ERROR, t))
        return;
    pop_store *store = graph->store;
    pop_type type = pop_tensor_type(t);
    const char *path = tensor_debug_name(t);
    uint64_t elements = pop_tensor_num_elements(t), count = fill && elements ? 1 : elements;
    if (pop_tensor_contains_constant(t)) {
        store_fail_in(store, POP_POPLAR_ERROR, where, api, path,
                      "the tensor holds constants, whose values cannot be set again");
        return;
    }
    if (!check_values(store, where, api, path, value_type, values, type, count))
        return;
    uint64_t data;
    if (!convert(store, where, api, path, metadata_of(t), value_type, values, type, count, &data) || !elements)
        return;
    if (fill)
        add_fills(store, t, data);
    else
        add_values(store, t, data, pop_type_size(type));
}

void pop_graph_set_initial_value_at(pop_where where, pop_graph *graph, pop_tensor t, pop_type value_type,
                                    const void *values)
{
    set_initial(where, "pop_graph_set_initial_value", graph, t, value_type, values, false);
}

void pop_graph_set_initial_fill_at(pop_where where, pop_graph *graph, pop_tensor t, pop_type value_type,
                                   const void *value)
{
    set_initial(where, "pop_graph_set_initial_fill", graph, t, value_type, value, true);
}

void pop_graph_set_initial_half_at(pop_where where, pop_graph *graph, pop_tensor t, const uint16_t *bits)
{
    static const char api[] = "pop_graph_set_initial_half";
    if (graph_ready(graph) && pop_tensor_valid(t) && pop_tensor_type(t) != POP_HALF)
        store_fail_in(graph->store, POP_TYPE_ERROR, where, api, tensor_debug_name(t),
                      "bits of half are given, the tensor is %s", pop_type_name(pop_tensor_type(t)));
    set_initial(where, api, graph, t, POP_HALF, bits, false);
}
