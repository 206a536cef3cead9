/* SPDX-License-Identifier: Apache-2.0 */
/* One vertex for a tile whose elements are a single region, else one for each worker. The softmax family consists of
 * popops operations: softmax.c. */
#include "poplibs/cpu_parts.h"
#include "poplibs/log.h"
#include "poplibs/tiles.h"
#include "popnn/activation/softmax.h"
#include "popnn/support.h"

#include <popnn/non_linearity.h>

static const char *const names[POPNN_NON_LINEARITY_TYPES] = { "SIGMOID",        "HARD_SIGMOID",  "RELU",  "TANH",
                                                              "GELU",           "GELU_ERF",      "SWISH", "SOFTMAX",
                                                              "SOFTMAX_STABLE", "SOFTMAX_SCALED" };

const char *popnn_non_linearity_type_name(popnn_non_linearity_type type)
{
    return type < POPNN_NON_LINEARITY_TYPES ? names[type] : NULL;
}
/* Compares case-insensitively, independent of the locale. */
static bool same_word(const char *a, const char *capitals)
{
    for (; *a && *capitals; ++a, ++capitals)
        if ((*a >= 'a' && *a <= 'z' ? *a - 'a' + 'A' : *a) != *capitals)
            return false;
    return *a == *capitals;
}
bool popnn_non_linearity_type_by_name(const char *name, popnn_non_linearity_type *type)
{
    for (unsigned i = 0; i < POPNN_NON_LINEARITY_TYPES; ++i)
        if (same_word(name, names[i])) {
            *type = (popnn_non_linearity_type)i;
            return true;
        }
    return false;
}
static bool is_softmax(popnn_non_linearity_type type)
{
    return type == POPNN_SOFTMAX || type == POPNN_SOFTMAX_STABLE || type == POPNN_SOFTMAX_SCALED;
}

struct non_linearity_work {
    pop_where where;
    pop_compute_set set;
    popnn_non_linearity_type type;
    pop_tensor data;              /* flat; written in place */
    pop_tensor out, out_gradient; /* flat; for gradients */
    bool gradient;
};

static void connect(pop_graph *graph, const struct non_linearity_work *work, pop_vertex vertex,
                    const poputil_partitions *parts, size_t first, size_t count, bool rows)
{
    const char *fields[] = { work->gradient ? "inGrad" : "data", "out", "outGrad" };
    const pop_tensor *tensors[] = { &work->data, &work->out, &work->out_gradient };
    for (size_t i = 0; i < (work->gradient ? 3u : 1u); ++i)
        if (rows)
            poplibs_connect_rows(work->where, graph, vertex, fields[i], *tensors[i], &parts->regions, first, count);
        else
            pop_graph_connect_at(work->where, graph, vertex, fields[i],
                                 poplibs_slice_of_list(work->where, *tensors[i], &parts->regions, first));
}

/* On a CPU device, threads share a tile's elements. */
enum { CPU_GRAIN = 64, CPU_PART_BYTES = 1 << 14 };

static void work_on_tile(pop_graph *graph, const struct poplibs_tile *tile, void *user)
{
    const struct non_linearity_work *work = user;
    const pop_target *target = pop_graph_target(graph);
    pop_type type = pop_tensor_type(work->data);
    unsigned grain = pop_target_vector_width(target, type);
    bool cpu = target->type == POP_TARGET_CPU, whole = tile->regions->count == 1 && !cpu;
    poputil_partitions parts;
    if (cpu)
        poplibs_split_on_cpu(tile->regions, CPU_GRAIN, CPU_PART_BYTES / pop_type_size(type), &parts);
    else if (whole)
        poputil_split_regions_lists(tile->regions, 1, 1, 0, POPUTIL_NO_LIMIT, POPUTIL_NO_LIMIT, &parts);
    else
        poputil_split_regions_lists_between_workers(target, tile->regions, grain, 2 * grain, POPUTIL_NO_LIMIT,
                                                    POPUTIL_NO_LIMIT, &parts);
    for (size_t i = 0; i < parts.count; ++i) {
        size_t count = parts.first[i + 1] - parts.first[i];
        bool one = whole || (cpu && count == 1);
        char name[128];
        snprintf(name, sizeof(name), "popnn::NonLinearity%s%s<%s,popnn::NonLinearityType::%s>",
                 work->gradient ? "Grad" : "", one ? "Supervisor" : "2D", pop_type_name(type), names[work->type]);
        pop_vertex vertex = pop_graph_add_vertex_at(work->where, graph, work->set, name);
        connect(graph, work, vertex, &parts, parts.first[i], count, !one);
        pop_graph_map_vertex_at(work->where, graph, vertex, tile->tile);
    }
    poputil_partitions_free(&parts);
}

/* Element-wise, in the order of memory. */
static void run(pop_graph *graph, struct non_linearity_work *work)
{
    pop_tensor *others[] = { &work->out, &work->out_gradient };
    pop_mark mark = pop_graph_mark(graph);
    pop_graph_reorder_to_simplify_at(work->where, graph, &work->data, others, work->gradient ? 2 : 0, false);
    poplibs_for_each_tile(work->where, graph, work->data, work_on_tile, work);
    pop_graph_release(graph, mark);
}

static bool check(pop_graph *graph, pop_where where, const char *api, popnn_non_linearity_type type, pop_tensor t,
                  bool in_set)
{
    if (!poplibs_ready(graph))
        return false;
    if (type >= POPNN_NON_LINEARITY_TYPES)
        return poplibs_fail(graph, POP_POPLAR_ERROR, where, api, "%u is not a non-linearity", (unsigned)type);
    if (in_set && is_softmax(type))
        return poplibs_fail(graph, POP_POPLAR_ERROR, where, api, "%s needs more than one compute set: give a sequence",
                            names[type]);
    if (is_softmax(type) && pop_tensor_type(t) != POP_TYPE_NULL && !pop_tensor_rank(t))
        return poplibs_fail(graph, POP_POPLAR_ERROR, where, api, "%s goes along the last dimension; this is a scalar",
                            names[type]);
    return popnn_check_floating(graph, where, api, "the tensor", t);
}

/* ---- in place ---- */

static void apply(pop_where where, pop_graph *graph, popnn_non_linearity_type type, pop_tensor t, pop_compute_set set)
{
    struct non_linearity_work work = {
        .where = where, .set = set, .type = type, .data = pop_tensor_flatten_at(where, t)
    };
    run(graph, &work);
}

void popnn_non_linearity_in_place_in_at(pop_where where, pop_graph *graph, popnn_non_linearity_type type, pop_tensor t,
                                        pop_compute_set set)
{
    POPLIBS_CALL(graph, log_name(popnn_non_linearity_type_name(type)), t);
    if (check(graph, where, "popnn_non_linearity_in_place_in", type, t, true))
        apply(where, graph, type, t, set);
}

static void in_place(pop_where where, pop_graph *graph, popnn_non_linearity_type type, pop_tensor t,
                     pop_program sequence, const char *name)
{
    char path[POPLIBS_PATH_SIZE];
    if (is_softmax(type)) {
        popnn_softmax_at_last(where, graph, type, t, sequence, name);
        return;
    }
    pop_compute_set set =
        pop_graph_add_compute_set_at(where, graph, poplibs_path(path, sizeof(path), name, "Nonlinearity"));
    apply(where, graph, type, t, set);
    pop_sequence_add_at(where, sequence, pop_execute_at(where, set, name));
}
static popnn_non_linearity_type unscaled(popnn_non_linearity_type type)
{
    return type == POPNN_SOFTMAX_SCALED ? POPNN_SOFTMAX_STABLE : type;
}

void popnn_non_linearity_in_place_at(pop_where where, pop_graph *graph, popnn_non_linearity_type type, pop_tensor t,
                                     pop_program sequence, const char *name)
{
    POPLIBS_CALL(graph, log_name(popnn_non_linearity_type_name(type)), t, name);
    if (check(graph, where, "popnn_non_linearity_in_place", type, t, false))
        in_place(where, graph, unscaled(type), t, sequence, name);
}
void popnn_non_linearity_in_place_scaled_at(pop_where where, pop_graph *graph, popnn_non_linearity_type type,
                                            pop_tensor t, float *scaling, pop_program sequence, const char *name)
{
    POPLIBS_CALL(graph, log_name(popnn_non_linearity_type_name(type)), t, name);
    if (!check(graph, where, "popnn_non_linearity_in_place_scaled", type, t, false))
        return;
    if (scaling)
        *scaling = type == POPNN_SOFTMAX_SCALED ? POPNN_SOFTMAX_SCALING : 1;
    in_place(where, graph, type, t, sequence, name);
}

/* ---- out of place ---- */

static pop_tensor to_new(pop_where where, pop_graph *graph, popnn_non_linearity_type type, pop_tensor t,
                         pop_program sequence, const char *name)
{
    pop_tensor out = poputil_duplicate_at(where, graph, t, sequence, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, name);
    if (!poplibs_ready(graph))
        return (pop_tensor){ 0 };
    in_place(where, graph, type, out, sequence, name);
    return poplibs_ready(graph) ? out : (pop_tensor){ 0 };
}
pop_tensor popnn_non_linearity_at(pop_where where, pop_graph *graph, popnn_non_linearity_type type, pop_tensor t,
                                  pop_program sequence, const char *name)
{
    POPLIBS_CALL(graph, log_name(popnn_non_linearity_type_name(type)), t, name);
    if (!check(graph, where, "popnn_non_linearity", type, t, false))
        return (pop_tensor){ 0 };
    return to_new(where, graph, unscaled(type), t, sequence, name);
}
pop_tensor popnn_non_linearity_scaled_at(pop_where where, pop_graph *graph, popnn_non_linearity_type type, pop_tensor t,
                                         float *scaling, pop_program sequence, const char *name)
{
    POPLIBS_CALL(graph, log_name(popnn_non_linearity_type_name(type)), t, name);
    if (!check(graph, where, "popnn_non_linearity_scaled", type, t, false))
        return (pop_tensor){ 0 };
    if (scaling)
        *scaling = type == POPNN_SOFTMAX_SCALED ? POPNN_SOFTMAX_SCALING : 1;
    return to_new(where, graph, type, t, sequence, name);
}

/* ---- gradients ---- */

static bool check_gradient(pop_graph *graph, pop_where where, const char *api, popnn_non_linearity_type type,
                           pop_tensor act, pop_tensor out_gradient, bool in_set)
{
    char a[128], b[128];
    if (!check(graph, where, api, type, act, in_set) ||
        !popnn_check_floating(graph, where, api, "the output's gradient", out_gradient))
        return false;
    if (pop_tensor_type(act) != pop_tensor_type(out_gradient))
        return poplibs_fail(graph, POP_TYPE_ERROR, where, api,
                            "the activations are %s and the output's gradient is %s; they must be alike",
                            pop_type_name(pop_tensor_type(act)), pop_type_name(pop_tensor_type(out_gradient)));
    if (!poplibs_shapes_equal(act, out_gradient))
        return poplibs_fail(graph, POP_POPLAR_ERROR, where, api,
                            "the activations have shape %s and the output's gradient %s; they must be equal",
                            poplibs_shape_of(a, sizeof(a), act), poplibs_shape_of(b, sizeof(b), out_gradient));
    return true;
}

static pop_tensor gradient(pop_where where, pop_graph *graph, popnn_non_linearity_type type, pop_tensor act,
                           pop_tensor out_gradient, pop_compute_set set, const char *name)
{
    char path[POPLIBS_PATH_SIZE];
    pop_tensor in_gradient =
        pop_graph_clone_at(where, graph, POP_TYPE_NULL, out_gradient, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES,
                           poplibs_path(path, sizeof(path), name, "NonLinearityGrad"));
    struct non_linearity_work work = { .where = where,
                                       .set = set,
                                       .type = type,
                                       .data = pop_tensor_flatten_at(where, in_gradient),
                                       .out = pop_tensor_flatten_at(where, act),
                                       .out_gradient = pop_tensor_flatten_at(where, out_gradient),
                                       .gradient = true };
    run(graph, &work);
    return poplibs_ready(graph) ? in_gradient : (pop_tensor){ 0 };
}

pop_tensor popnn_non_linearity_input_gradient_in_at(pop_where where, pop_graph *graph, popnn_non_linearity_type type,
                                                    pop_tensor act, pop_tensor out_gradient, pop_compute_set set,
                                                    const char *name)
{
    POPLIBS_CALL(graph, log_name(popnn_non_linearity_type_name(type)), act, out_gradient, name);
    if (!check_gradient(graph, where, "popnn_non_linearity_input_gradient_in", type, act, out_gradient, true))
        return (pop_tensor){ 0 };
    return gradient(where, graph, type, act, out_gradient, set, name);
}
pop_tensor popnn_non_linearity_input_gradient_at(pop_where where, pop_graph *graph, popnn_non_linearity_type type,
                                                 pop_tensor act, pop_tensor out_gradient, pop_program sequence,
                                                 const char *name)
{
    POPLIBS_CALL(graph, log_name(popnn_non_linearity_type_name(type)), act, out_gradient, name);
    char path[POPLIBS_PATH_SIZE];
    if (!check_gradient(graph, where, "popnn_non_linearity_input_gradient", type, act, out_gradient, false))
        return (pop_tensor){ 0 };
    if (is_softmax(type))
        return popnn_softmax_gradient(where, graph, act, out_gradient, sequence, name);
    pop_compute_set set =
        pop_graph_add_compute_set_at(where, graph, poplibs_path(path, sizeof(path), name, "NonLinearityGrad"));
    pop_tensor in_gradient = gradient(where, graph, type, act, out_gradient, set, name);
    pop_sequence_add_at(where, sequence, pop_execute_at(where, set, name));
    return poplibs_ready(graph) ? in_gradient : (pop_tensor){ 0 };
}
