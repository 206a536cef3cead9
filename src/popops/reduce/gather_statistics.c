/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms: each worker counts its share of the tile's elements, and a reduction adds the counts. */
#include "poplibs/log.h"
#include "poplibs/options.h"
#include "poplibs/tiles.h"

#include <popops/gather_statistics.h>
#include <popops/reduce.h>

struct histogram {
    pop_where where;
    const char *api, *name;
    pop_tensor input, levels;
    bool absolute;
    pop_type counts; /* UNSIGNED_INT or FLOAT */
    pop_compute_set set;
    struct tensor_vec partials; /* {1, levels + 1} each */
};

static bool check(struct histogram *h, pop_graph *graph)
{
    char text[64];
    pop_type type = pop_tensor_type(h->input);
    if (!poplibs_is_operand(graph, h->where, h->api, "the input", h->input) ||
        !poplibs_is_operand(graph, h->where, h->api, "the tensor of levels", h->levels))
        return false;
    if (type != POP_HALF && type != POP_FLOAT)
        return poplibs_fail(graph, POP_TYPE_ERROR, h->where, h->api, "the input cannot be %s; it is half or float",
                            pop_type_name(type));
    if (pop_tensor_type(h->levels) != type)
        return poplibs_fail(graph, POP_TYPE_ERROR, h->where, h->api,
                            "levels of %s for an input of %s: both must have the same type",
                            pop_type_name(pop_tensor_type(h->levels)), pop_type_name(type));
    return pop_tensor_rank(h->levels) == 1 ||
           poplibs_fail(graph, POP_POPLAR_ERROR, h->where, h->api, "levels of shape %s; they must be {n}",
                        poplibs_shape_of(text, sizeof(text), h->levels));
}

/* Adds one vertex, for a list of intervals of the flattened input. */
static void add_vertex(struct histogram *h, pop_graph *graph, const pop_interval_lists *parts, size_t part,
                       unsigned tile)
{
    const pop_interval *runs = parts->intervals + parts->first[part];
    size_t count = parts->first[part + 1] - parts->first[part];
    char type[96];
    pop_tensor *rows = poplibs_new(count, sizeof(*rows));
    for (size_t i = 0; i < count; ++i)
        rows[i] = pop_tensor_slice_at(h->where, h->input, runs[i].begin, runs[i].end, 0);
    pop_tensor partial = pop_graph_add_variable_at(h->where, graph, h->counts,
                                                   POP_SHAPE(1, pop_tensor_num_elements(h->levels) + 1), h->name);
    pop_graph_set_tile_mapping_at(h->where, graph, partial, tile);
    snprintf(type, sizeof(type), "popops::Histogram2D<%s,%s>", pop_type_name(pop_tensor_type(h->input)),
             pop_type_name(h->counts));
    pop_vertex vertex = pop_graph_add_vertex_at(h->where, graph, h->set, type);
    pop_graph_connect_list_at(h->where, graph, vertex, "data", (pop_tensors){ count, rows });
    pop_graph_connect_at(h->where, graph, vertex, "levels", h->levels);
    pop_graph_connect_at(h->where, graph, vertex, "counts", pop_tensor_flatten_at(h->where, partial));
    pop_graph_set_field_int_at(h->where, graph, vertex, "absolute", h->absolute);
    pop_graph_map_vertex_at(h->where, graph, vertex, tile);
    free(rows);
    *poplibs_push(&h->partials) = partial;
}

/* Counts each position of the input, also if several share an element; so the work follows the mapping, not the order
 * in memory. */
static pop_tensor count_on_tiles(struct histogram *h, pop_graph *graph, pop_program sequence)
{
    char path[POPLIBS_PATH_SIZE];
    pop_interval_lists mapping;
    const pop_target *target = pop_graph_target(graph);
    unsigned grain = pop_target_vector_width(target, pop_tensor_type(h->input));
    if (!pop_graph_get_tile_mapping_at(h->where, graph, h->input, NULL, &mapping))
        return (pop_tensor){ 0 };
    h->set = pop_graph_add_compute_set_at(h->where, graph, poplibs_path(path, sizeof(path), h->name, "Histogram"));
    for (size_t tile = 0; tile < mapping.count; ++tile) {
        pop_interval_list here = { mapping.first[tile + 1] - mapping.first[tile],
                                   mapping.intervals + mapping.first[tile] };
        pop_interval_lists parts;
        if (!here.count)
            continue;
        poputil_split_regions_between_workers(target, here, grain, 2 * grain, POPUTIL_NO_LIMIT, POPUTIL_NO_LIMIT,
                                              &parts);
        for (size_t i = 0; i < parts.count; ++i)
            add_vertex(h, graph, &parts, i, (unsigned)tile);
        pop_interval_lists_free(&parts);
    }
    pop_interval_lists_free(&mapping);
    if (!h->partials.count) /* a reduction of nothing gives zeros */
        return pop_graph_add_variable_at(h->where, graph, h->counts,
                                         POP_SHAPE(0, pop_tensor_num_elements(h->levels) + 1), h->name);
    pop_sequence_add_at(h->where, sequence, pop_execute_at(h->where, h->set, h->name));
    pop_tensor all = pop_tensor_concat_at(h->where, tensors_of(&h->partials), 0);
    free(h->partials.list);
    return all;
}

pop_tensor popops_histogram_at(pop_where where, pop_graph *graph, pop_tensor input, pop_tensor levels,
                               bool absolute_of_input, pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL(graph, input, levels, absolute_of_input, name);
    struct histogram h = { .where = where,
                           .api = "popops_histogram",
                           .name = name,
                           .input = input,
                           .levels = levels,
                           .absolute = absolute_of_input };
    struct histogram_options {
        bool floats, floats_inside;
    } taken = { false, false };
    static const struct poplibs_option table[] = {
#define HISTOGRAM_OPTION(...) POPLIBS_ROW(struct histogram_options, __VA_ARGS__)
#include "poplibs/options.def"
    };
    pop_tensor none = { 0 };
    if (!poplibs_ready(graph) ||
        !poplibs_parse_options(where, graph, h.api, options, table, sizeof(table) / sizeof(table[0]), &taken) ||
        !check(&h, graph))
        return none;
    if (taken.floats && taken.floats_inside) {
        poplibs_fail(graph, POP_INVALID_OPTION, where, h.api,
                     "options 'useFloatArithmetic' and 'useFloatArithmeticWithUnsignedIntOutput' exclude each other");
        return none;
    }
    h.counts = taken.floats ? POP_FLOAT : POP_UNSIGNED_INT;
    h.input = pop_tensor_flatten_at(where, input);
    pop_tensor partials = count_on_tiles(&h, graph, sequence);
    return popops_reduce_at(where, graph, partials, POP_TYPE_NULL, POP_DIMS(0),
                            (popops_reduce_params){ .op = POPOPS_ADD }, sequence, name, POP_NO_OPTIONS);
}

void popops_histogram_with_output_at(pop_where where, pop_graph *graph, pop_tensor input, pop_tensor output,
                                     bool update_output, pop_tensor levels, bool absolute_of_input,
                                     pop_program sequence, const char *name)
{
    POPLIBS_CALL(graph, input, output, update_output, levels, absolute_of_input, name);
    struct histogram h = { .where = where,
                           .api = "popops_histogram_with_output",
                           .name = name,
                           .input = input,
                           .levels = levels,
                           .absolute = absolute_of_input,
                           .counts = pop_tensor_type(output) };
    char text[64];
    if (!poplibs_ready(graph) || !check(&h, graph) || !poplibs_is_operand(graph, where, h.api, "the output", output))
        return;
    size_t wanted = pop_tensor_num_elements(levels) + 1;
    if (h.counts != POP_UNSIGNED_INT && h.counts != POP_FLOAT) {
        poplibs_fail(graph, POP_TYPE_ERROR, where, h.api, "the output cannot be %s; it is unsigned int or float",
                     pop_type_name(h.counts));
        return;
    }
    if (pop_tensor_rank(output) != 1 || pop_tensor_dim(output, 0) != wanted) {
        poplibs_fail(graph, POP_POPLAR_ERROR, where, h.api, "an output of shape %s for %zu levels: it must be {%zu}",
                     poplibs_shape_of(text, sizeof(text), output), wanted - 1, wanted);
        return;
    }
    h.input = pop_tensor_flatten_at(where, input);
    pop_tensor partials = count_on_tiles(&h, graph, sequence);
    popops_reduce_with_output_at(where, graph, partials, output, POP_DIMS(0),
                                 (popops_reduce_params){ .op = POPOPS_ADD, .update = update_output }, sequence, name,
                                 POP_NO_OPTIONS);
}
