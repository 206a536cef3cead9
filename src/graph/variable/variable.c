/* SPDX-License-Identifier: Apache-2.0 */
/* Variables: shapes that are allowed, their storage in the graph, linear mapping. */
#include "graph/variable/variable.h"
#include "graph/store/store.h"
#include "graph/view/tensor_form.h"

#include "base/log.h"

#include <poplar/metadata.h>

#define LARGEST_VARIABLE ((uint64_t)1 << 40) /* elements; an edge's offset has 40 bits */
#define LARGEST_RANK     64
#define MAX_VARIABLES    ((size_t)1 << 31)

bool variable_shape(pop_store *store, pop_where where, const char *api, pop_type type, pop_shape shape,
                    const char *name, uint64_t *elements)
{
    if (!pop_type_size(type))
        return store_fail_in(store, POP_TENSOR_CREATION_ERROR, where, api, name, "%d is no element type", (int)type);
    if (!pop_type_is_supported(type))
        return store_fail_in(
            store, POP_TENSOR_CREATION_ERROR, where, api, name,
            "no device has elements of type %s: use half or float, or an integer of 8, 16 or 32 bits, or long long",
            pop_type_name(type));
    if (!store_has_list(store, POP_TENSOR_CREATION_ERROR, where, api, "extents", shape.rank, shape.dims))
        return false;
    if (shape.rank > LARGEST_RANK)
        return store_fail_in(store, POP_TENSOR_CREATION_ERROR, where, api, name,
                             "a shape of rank %zu: at most %d dimensions are allowed", shape.rank, LARGEST_RANK);
    *elements = 1;
    for (size_t i = 0; i < shape.rank; ++i)
        if (!shape.dims[i])
            *elements = 0;
    for (size_t i = 0; i < shape.rank && *elements; ++i) {
        if (shape.dims[i] > LARGEST_VARIABLE / *elements)
            return store_fail_in(store, POP_TENSOR_CREATION_ERROR, where, api, name,
                                 "too many elements: a variable has at most 2^40");
        *elements *= shape.dims[i];
    }
    return true;
}

uint32_t variable_add(pop_store *store, pop_where where, const char *api, pop_type type, uint64_t elements,
                      const char *name)
{
    if (store->variables.count >= MAX_VARIABLES) {
        store_fail_in(store, POP_OVERFLOW_ERROR, where, api, name, "a graph has at most 2^31 variables");
        return UINT32_MAX;
    }
    struct variable variable = { .elements = elements, .type = (uint8_t)type };
    variable.name = intern_add(&store->names, name);
    variable.where = store_where(store, where);
    if (store->target.type == POP_TARGET_CPU && elements) /* graph_is_cpu: mapped from the start */
        tile_map_add(&variable.map, 0, elements, 0);
    *vec_push(&store->variables) = variable;
    LOG(GRAPH, DEBUG, "variable '%s' of %llu elements of %s", name ? name : "", (unsigned long long)elements,
        pop_type_name(type));
    return (uint32_t)store->variables.count - 1;
}

static pop_tensor add(pop_where where, const char *api, pop_graph *graph, pop_type type, pop_shape shape,
                      const char *name, const pop_tensor *metadata)
{
    uint64_t elements;
    if (!graph_ready(graph) || !variable_shape(graph->store, where, api, type, shape, name, &elements))
        return (pop_tensor){ 0 };
    uint32_t variable = metadata_add_variable(graph, where, api, type, elements, name, metadata);
    if (variable == UINT32_MAX)
        return (pop_tensor){ 0 };
    return tensor_of_variable(graph->store, variable, type, shape.dims, shape.rank, 0);
}

pop_tensor pop_graph_add_variable_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                     const char *name)
{
    return add(where, "pop_graph_add_variable", graph, type, shape, name, NULL);
}

/* As evenly as single elements allow, in their order: over all tiles where there are as many elements. */
static void map_linearly(const pop_graph *graph, uint32_t index)
{
    uint64_t elements = graph->store->variables.data[index].elements, all = graph_num_tiles(graph);
    uint64_t tiles = elements < all ? elements : all;
    for (uint64_t i = 0; i < tiles; ++i)
        replicate_map(graph->store, index, elements * i / tiles, elements * (i + 1) / tiles,
                      graph->tiles ? graph->tiles[i] : (uint32_t)i);
}

static pop_tensor add_mapped(pop_where where, const char *api, pop_graph *graph, pop_type type, pop_shape shape,
                             pop_mapping_method method, const char *name, const pop_tensor *metadata)
{
    if (!graph_ready(graph))
        return (pop_tensor){ 0 };
    if (method != POP_MAPPING_NONE && method != POP_MAPPING_LINEAR) {
        store_fail_in(graph->store, POP_INVALID_TILE_MAPPING, where, api, name,
                      "%d is no mapping method: POP_MAPPING_NONE and POP_MAPPING_LINEAR are", (int)method);
        return (pop_tensor){ 0 };
    }
    pop_tensor t = add(where, api, graph, type, shape, name, metadata);
    if (pop_tensor_valid(t) && method == POP_MAPPING_LINEAR)
        map_linearly(graph, t.source);
    return t;
}

pop_tensor pop_graph_add_variable_mapped_at(pop_where where, pop_graph *graph, pop_type type, pop_shape shape,
                                            pop_mapping_method method, const char *name)
{
    return add_mapped(where, "pop_graph_add_variable_mapped", graph, type, shape, method, name, NULL);
}

pop_tensor pop_graph_add_variable_with_metadata_at(pop_where where, pop_graph *graph, pop_tensor metadata,
                                                   pop_shape shape, pop_mapping_method method, const char *name)
{
    return add_mapped(where, "pop_graph_add_variable_with_metadata", graph, POP_QUARTER, shape, method, name,
                      &metadata);
}

pop_tensor pop_graph_variable_at(pop_where where, pop_graph *graph, uint32_t variable)
{
    if (!graph_ready(graph))
        return (pop_tensor){ 0 };
    pop_store *store = graph->store;
    if (variable >= store->variables.count) {
        store_fail(store, POP_INDEX_ERROR, where, "pop_graph_variable", "there is no variable %u: the graph has %zu",
                   variable, store->variables.count);
        return (pop_tensor){ 0 };
    }
    const struct variable *v = &store->variables.data[variable];
    return tensor_of_variable(store, variable, (pop_type)v->type, POP_SHAPE((size_t)v->elements).dims, 1, 0);
}

bool pop_graph_is_constant(const pop_graph *graph, uint32_t variable)
{
    return graph && variable < graph->store->variables.count && graph->store->variables.data[variable].constant;
}

const char *pop_graph_variable_name(const pop_graph *graph, uint32_t variable)
{
    if (!graph || variable >= graph->store->variables.count)
        return "";
    return store_name(graph->store, graph->store->variables.data[variable].name);
}
