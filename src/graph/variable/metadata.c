/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata of 8-bit floats: their own element, the sharing of another, and metadata tensors. */
#include "graph/store/store.h"
#include "graph/variable/variable.h"
#include "graph/view/tensor_form.h"
#include "graph/view/view.h"

#include "base/str.h"

#include <poplar/metadata.h>

static const pop_tensor null;

/* Refers a variable, and its instances, to an element of another, and of its instances where it has some. */
static void refer(pop_store *store, uint32_t variable, uint32_t metadata, uint64_t at)
{
    bool instances = replicate_instances(store, metadata) > 0;
    for (uint32_t i = 0, n = replicate_instances(store, variable); i <= n; ++i) {
        store->variables.data[variable + i].metadata = metadata + (instances ? i : 0) + 1;
        store->variables.data[variable + i].metadata_at = (uint32_t)at;
    }
}

static char *metadata_name(const char *name)
{
    struct str text = { 0 };
    str_format(&text, "%s/metadata", name && *name ? name : "quarter");
    return text.text;
}

void metadata_add_own(pop_store *store, pop_where where, const char *api, uint32_t variable, const char *name)
{
    char *own = metadata_name(name);
    uint32_t metadata = variable_add(store, where, api, POP_QUARTER_METADATA, 1, own);
    free(own);
    if (metadata == UINT32_MAX)
        return;
    replicate_map(store, metadata, 0, 1, 0);
    refer(store, variable, metadata, 0);
}

static bool first_run(const struct run *run, void *context)
{
    *(struct run *)context = *run;
    return false;
}

/* The variable and element of a metadata tensor, or an error. */
static bool element_of(pop_store *store, pop_where where, const char *api, const char *path, pop_tensor metadata,
                       struct run *run)
{
    if (!pop_tensor_valid(metadata) || metadata.store != store)
        return store_fail_in(store, POP_TENSOR_METADATA_ERROR, where, api, path, "the metadata %s",
                             metadata.store ? "belongs to another graph" : "is null");
    if (pop_tensor_type(metadata) != POP_QUARTER_METADATA || pop_tensor_num_elements(metadata) != 1)
        return store_fail_in(store, POP_TENSOR_METADATA_ERROR, where, api, path,
                             "%zu elements of type %s are no metadata: one element of quarter_metadata is",
                             pop_tensor_num_elements(metadata), pop_type_name(pop_tensor_type(metadata)));
    tensor_first_runs(metadata, first_run, run);
    return true;
}

uint32_t metadata_add_variable(pop_graph *graph, pop_where where, const char *api, pop_type type, uint64_t elements,
                               const char *name, const pop_tensor *metadata)
{
    pop_store *store = graph->store;
    struct run run = { .offset = 0 };
    if (metadata && type != POP_QUARTER) {
        store_fail_in(store, POP_TENSOR_METADATA_ERROR, where, api, name,
                      "metadata is given for elements of type %s: only quarter has some", pop_type_name(type));
        return UINT32_MAX;
    }
    if (metadata && !element_of(store, where, api, name, *metadata, &run))
        return UINT32_MAX;
    uint32_t variable = replicate_add_variable(graph, where, api, type, elements, name);
    if (variable == UINT32_MAX || type != POP_QUARTER)
        return variable;
    if (!metadata) {
        char *own = metadata_name(name);
        run.variable = replicate_add_variable(graph, where, api, POP_QUARTER_METADATA, 1, own);
        free(own);
        if (run.variable == UINT32_MAX)
            return UINT32_MAX;
        replicate_map(store, run.variable, 0, 1, pop_graph_physical_tile(graph, 0));
    }
    refer(store, variable, run.variable, run.offset);
    return variable;
}

/* ---- queries ---- */

static bool first_variable(pop_tensor t, uint32_t *variable)
{
    struct run run = { .variable = UINT32_MAX };
    if (t.form & FORM_EMPTY)
        run.variable = t.source & COMPOSITE ? UINT32_MAX : t.source;
    else
        tensor_first_runs(t, first_run, &run);
    *variable = run.variable;
    return run.variable < t.store->variables.count;
}

pop_tensor metadata_of(pop_tensor t)
{
    uint32_t variable;
    if (!t.store || t.type != POP_QUARTER || !first_variable(t, &variable) ||
        !t.store->variables.data[variable].metadata)
        return null;
    const struct variable *v = &t.store->variables.data[variable];
    return tensor_of_variable(t.store, v->metadata - 1, POP_QUARTER_METADATA, NULL, 0, v->metadata_at);
}

bool metadata_known(pop_tensor metadata, uint8_t *byte)
{
    struct run run = { .offset = 0 };
    const pop_store *store = metadata.store;
    tensor_first_runs(metadata, first_run, &run);
    for (size_t i = store->initials.count; i-- > 0;) {
        const struct initial *initial = &store->initials.data[i];
        if (initial->variable != run.variable || run.offset < initial->begin ||
            run.offset - initial->begin >= initial->count)
            continue;
        *byte = store->data.data[initial->data + (initial->fill ? 0 : run.offset - initial->begin)];
        return true;
    }
    return false;
}

bool metadata_to_convert(pop_store *store, pop_where where, const char *api, const char *path, pop_tensor metadata,
                         uint8_t *byte)
{
    struct run run;
    if (pop_tensor_valid(metadata) && !element_of(store, where, api, path, metadata, &run))
        return false;
    if (pop_tensor_valid(metadata) && metadata_known(metadata, byte))
        return true;
    return store_fail_in(store, POP_TENSOR_METADATA_ERROR, where, api, path,
                         "host values cannot be converted to quarter: the metadata has no value before the program "
                         "runs; give one with pop_create_constant_metadata_tensor (createConstantMetadataTensor), or "
                         "give the codes as quarter");
}

bool pop_tensor_has_metadata(pop_tensor t)
{
    return pop_tensor_valid(metadata_of(t));
}

pop_tensor pop_tensor_get_metadata_at(pop_where where, pop_tensor t)
{
    pop_tensor metadata = metadata_of(t);
    if (!pop_tensor_valid(metadata) && t.store && store_ready(t.store))
        store_fail_in(t.store, POP_TENSOR_METADATA_ERROR, where, "pop_tensor_get_metadata", tensor_debug_name(t),
                      "a tensor of type %s has no metadata", pop_type_name(pop_tensor_type(t)));
    return metadata;
}

static bool associate(const struct run *run, void *context)
{
    const struct run *metadata = ((struct run *const *)context)[0];
    pop_store *store = ((pop_store *const *)context)[1];
    refer(store, run->variable, metadata->variable, metadata->offset);
    return true;
}

pop_tensor pop_tensor_associate_metadata_at(pop_where where, pop_tensor t, pop_tensor metadata)
{
    static const char api[] = "pop_tensor_associate_metadata";
    struct run run;
    uint32_t variable;
    if (!t.store || !store_ready(t.store))
        return null;
    if (pop_tensor_type(t) != POP_QUARTER) {
        store_fail_in(t.store, POP_TENSOR_METADATA_ERROR, where, api, tensor_debug_name(t),
                      "a tensor of type %s has no metadata", pop_type_name(pop_tensor_type(t)));
        return null;
    }
    if (!element_of(t.store, where, api, tensor_debug_name(t), metadata, &run))
        return null;
    void *context[] = { &run, t.store };
    if (!(t.form & FORM_EMPTY))
        tensor_each_run(t, associate, context);
    else if (first_variable(t, &variable))
        refer(t.store, variable, run.variable, run.offset);
    return t;
}

/* ---- metadata tensors ---- */

static bool check_scale(pop_graph *graph, pop_where where, const char *api, const char *name, pop_quarter_format format,
                        int scale)
{
    if ((unsigned)format > POP_QUARTER_F152)
        return store_fail_in(graph->store, POP_TENSOR_METADATA_ERROR, where, api, name,
                             "%d is no format of quarter: POP_QUARTER_F143 and POP_QUARTER_F152 are", (int)format);
    if (scale < -32 || scale > 31)
        return store_fail_in(graph->store, POP_TENSOR_METADATA_ERROR, where, api, name,
                             "scale %d: -32 to 31 are allowed (-32 only for what is never converted to)", scale);
    return true;
}

pop_tensor pop_create_constant_metadata_tensor_at(pop_where where, pop_graph *graph, pop_quarter_format format,
                                                  int scale, const char *name)
{
    if (!graph_ready(graph) || !check_scale(graph, where, "pop_create_constant_metadata_tensor", name, format, scale))
        return null;
    uint8_t byte = pop_quarter_metadata(format, scale);
    pop_tensor t = pop_graph_add_constant_at(where, graph, POP_QUARTER_METADATA, POP_SHAPE(), POP_UNSIGNED_CHAR, &byte,
                                             name ? name : "metadata");
    if (pop_tensor_valid(t))
        pop_graph_set_tile_mapping_at(where, graph, t, 0);
    return t;
}

pop_tensor pop_create_variable_metadata_tensor_at(pop_where where, pop_graph *graph, pop_quarter_format format,
                                                  int scale, const char *name)
{
    if (!graph_ready(graph) || !check_scale(graph, where, "pop_create_variable_metadata_tensor", name, format, scale))
        return null;
    uint8_t byte = pop_quarter_metadata(format, scale);
    pop_tensor t = pop_graph_add_variable_at(where, graph, POP_QUARTER_METADATA, POP_SHAPE(), name ? name : "metadata");
    if (!pop_tensor_valid(t))
        return null;
    pop_graph_set_tile_mapping_at(where, graph, t, 0);
    pop_graph_set_initial_value_at(where, graph, t, POP_UNSIGNED_CHAR, &byte);
    return t;
}
