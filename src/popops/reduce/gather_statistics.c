/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms: each worker counts its share of the tile's elements, and a reduction adds the counts. */
#include "poplibs/log.h"
#include "poplibs/options.h"
#include "poplibs/tiles.h"

#include <popops/gather_statistics.h>
#include <popops/reduce.h>

struct histogram {
    const struct call *call;
    pop_tensor input, levels;
    bool absolute;
    pop_type counts; /* UNSIGNED_INT or FLOAT */
    pop_compute_set set;
    struct tensor_vec partials; /* {1, levels + 1} each */
};

static bool check(struct histogram *h)
{
    const struct call *call = h->call;
    char text[64];
    pop_type type = pop_tensor_type(h->input);
    if (!call_takes(call, "the input", h->input) || !call_takes(call, "the tensor of levels", h->levels))
        return false;
    if (type != POP_HALF && type != POP_FLOAT)
        return call_fail(call, POP_TYPE_ERROR, "the input cannot be %s; it is half or float", pop_type_name(type));
    if (pop_tensor_type(h->levels) != type)
        return call_fail(call, POP_TYPE_ERROR, "levels of %s for an input of %s: both must have the same type",
                         pop_type_name(pop_tensor_type(h->levels)), pop_type_name(type));
    return pop_tensor_rank(h->levels) == 1 || call_fail(call, POP_POPLAR_ERROR, "levels of shape %s; they must be {n}",
                                                        poplibs_shape_of(text, sizeof(text), h->levels));
}

/* Adds one vertex, for a list of intervals of the flattened input. */
static void add_vertex(struct histogram *h, const pop_interval_lists *parts, size_t part, unsigned tile)
{
    const struct call *call = h->call;
    pop_graph *graph = call->graph;
    const pop_interval *runs = parts->intervals + parts->first[part];
    size_t count = parts->first[part + 1] - parts->first[part];
    char type[96];
    pop_tensor *rows = poplibs_new(count, sizeof(*rows));
    for (size_t i = 0; i < count; ++i)
        rows[i] = pop_tensor_slice(h->input, runs[i].begin, runs[i].end, 0);
    pop_tensor partial =
        pop_graph_add_variable(graph, h->counts, POP_SHAPE(1, pop_tensor_num_elements(h->levels) + 1), call->name);
    pop_graph_set_tile_mapping(graph, partial, tile);
    snprintf(type, sizeof(type), "popops::Histogram2D<%s,%s>", pop_type_name(pop_tensor_type(h->input)),
             pop_type_name(h->counts));
    pop_vertex vertex = call_vertex(call, h->set, type, tile);
    pop_graph_connect_list(graph, vertex, "data", (pop_tensors){ count, rows });
    call_connect(call, vertex, "levels", h->levels);
    call_connect(call, vertex, "counts", pop_tensor_flatten(partial));
    pop_graph_set_field_int(graph, vertex, "absolute", h->absolute);
    free(rows);
    *poplibs_push(&h->partials) = partial;
}

/* Counts each position of the input, also if several share an element; so the work follows the mapping, not the order
 * in memory. */
static pop_tensor count_on_tiles(struct histogram *h)
{
    const struct call *call = h->call;
    pop_graph *graph = call->graph;
    pop_interval_lists mapping;
    const pop_target *target = pop_graph_target(graph);
    unsigned grain = pop_target_vector_width(target, pop_tensor_type(h->input));
    if (!pop_graph_get_tile_mapping(graph, h->input, NULL, &mapping))
        return (pop_tensor){ 0 };
    h->set = pop_graph_add_compute_set(graph, call_path(call, call->name, "Histogram"));
    for (size_t tile = 0; tile < mapping.count; ++tile) {
        pop_interval_list here = { mapping.first[tile + 1] - mapping.first[tile],
                                   mapping.intervals + mapping.first[tile] };
        pop_interval_lists parts;
        if (!here.count)
            continue;
        poputil_split_regions_between_workers(target, here, grain, 2 * grain, POPUTIL_NO_LIMIT, POPUTIL_NO_LIMIT,
                                              &parts);
        for (size_t i = 0; i < parts.count; ++i)
            add_vertex(h, &parts, i, (unsigned)tile);
        pop_interval_lists_free(&parts);
    }
    pop_interval_lists_free(&mapping);
    if (!h->partials.count) /* a reduction of nothing gives zeros */
        return pop_graph_add_variable(graph, h->counts, POP_SHAPE(0, pop_tensor_num_elements(h->levels) + 1),
                                      call->name);
    call_execute(call, h->set, call->name);
    pop_tensor all = pop_tensor_concat(tensors_of(&h->partials), 0);
    free(h->partials.list);
    return all;
}

struct histogram_options {
    bool floats, floats_inside;
};

static bool parse(const struct call *call, pop_options options, struct histogram_options *taken)
{
    static const struct poplibs_option table[] = {
#define HISTOGRAM_OPTION(...) POPLIBS_ROW(struct histogram_options, __VA_ARGS__)
#include "poplibs/options.def"
    };
    return call_read_options(call, options, table, sizeof(table) / sizeof(table[0]), taken);
}

pop_tensor popops_histogram_at(pop_where where, pop_graph *graph, pop_tensor input, pop_tensor levels,
                               bool absolute_of_input, pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, input, levels, absolute_of_input, name);
    struct histogram h = { .call = call, .input = input, .levels = levels, .absolute = absolute_of_input };
    struct histogram_options taken;
    pop_tensor none = { 0 };
    if (!call_ready(call) || !parse(call, options, &taken) || !check(&h))
        return none;
    if (taken.floats && taken.floats_inside) {
        call_fail(call, POP_INVALID_OPTION,
                  "options 'useFloatArithmetic' and 'useFloatArithmeticWithUnsignedIntOutput' exclude each other");
        return none;
    }
    h.counts = taken.floats ? POP_FLOAT : POP_UNSIGNED_INT;
    h.input = pop_tensor_flatten(input);
    pop_tensor partials = count_on_tiles(&h);
    return popops_reduce(graph, partials, POP_TYPE_NULL, POP_DIMS(0), (popops_reduce_params){ .op = POPOPS_ADD },
                         sequence, name, POP_NO_OPTIONS);
}

void popops_histogram_with_output_at(pop_where where, pop_graph *graph, pop_tensor input, pop_tensor output,
                                     bool update_output, pop_tensor levels, bool absolute_of_input,
                                     pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, input, output, update_output, levels, absolute_of_input, name, options);
    struct histogram h = {
        .call = call, .input = input, .levels = levels, .absolute = absolute_of_input, .counts = pop_tensor_type(output)
    };
    char text[64];
    struct histogram_options taken;
    if (!call_ready(call) || !parse(call, options, &taken) || !check(&h) || !call_takes(call, "the output", output))
        return;
    if (taken.floats || (taken.floats_inside && h.counts != POP_UNSIGNED_INT)) {
        call_fail(call, POP_INVALID_OPTION, "option '%s' for an output of %s",
                  taken.floats ? "useFloatArithmetic" : "useFloatArithmeticWithUnsignedIntOutput",
                  pop_type_name(h.counts));
        return;
    }
    size_t wanted = pop_tensor_num_elements(levels) + 1;
    if (h.counts != POP_UNSIGNED_INT && h.counts != POP_FLOAT) {
        call_fail(call, POP_TYPE_ERROR, "the output cannot be %s; it is unsigned int or float",
                  pop_type_name(h.counts));
        return;
    }
    if (pop_tensor_rank(output) != 1 || pop_tensor_dim(output, 0) != wanted) {
        call_fail(call, POP_POPLAR_ERROR, "an output of shape %s for %zu levels: it must be {%zu}",
                  poplibs_shape_of(text, sizeof(text), output), wanted - 1, wanted);
        return;
    }
    h.input = pop_tensor_flatten(input);
    pop_tensor partials = count_on_tiles(&h);
    popops_reduce_with_output(graph, partials, output, POP_DIMS(0),
                              (popops_reduce_params){ .op = POPOPS_ADD, .update = update_output }, sequence, name,
                              POP_NO_OPTIONS);
}
