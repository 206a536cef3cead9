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
    const struct call *call;
    pop_compute_set set;
    popnn_non_linearity_type type;
    pop_tensor data;              /* flat; written in place */
    pop_tensor out, out_gradient; /* flat; for gradients */
    bool gradient;
};

static void connect(const struct non_linearity_work *work, pop_vertex vertex, const poputil_partitions *parts,
                    size_t first, size_t count, bool rows)
{
    const struct call *call = work->call;
    const char *fields[] = { work->gradient ? "inGrad" : "data", "out", "outGrad" };
    const pop_tensor *tensors[] = { &work->data, &work->out, &work->out_gradient };
    for (size_t i = 0; i < (work->gradient ? 3u : 1u); ++i)
        if (rows)
            call_connect_rows(call, vertex, fields[i], *tensors[i], &parts->regions, first, count);
        else
            call_connect(call, vertex, fields[i], call_slice_of_list(call, *tensors[i], &parts->regions, first));
}

/* On a CPU device, threads share a tile's elements. */
enum { CPU_GRAIN = 64, CPU_PART_BYTES = 1 << 14 };

static void work_on_tile(const struct call *call, const struct poplibs_tile *tile, void *user)
{
    const struct non_linearity_work *work = user;
    const pop_target *target = pop_graph_target(call->graph);
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
        pop_vertex vertex = call_vertex(call, work->set, name, tile->tile);
        connect(work, vertex, &parts, parts.first[i], count, !one);
    }
    poputil_partitions_free(&parts);
}

/* Element-wise, in the order of memory. */
static void run(struct non_linearity_work *work)
{
    const struct call *call = work->call;
    pop_tensor *others[] = { &work->out, &work->out_gradient };
    pop_mark mark = pop_graph_mark(call->graph);
    pop_graph_reorder_to_simplify(call->graph, &work->data, others, work->gradient ? 2 : 0, false);
    call_for_each_tile(call, work->data, work_on_tile, work);
    pop_graph_release(call->graph, mark);
}

static bool check(const struct call *call, popnn_non_linearity_type type, pop_tensor t, bool in_set)
{
    if (!call_ready(call))
        return false;
    if (type >= POPNN_NON_LINEARITY_TYPES)
        return call_fail(call, POP_POPLAR_ERROR, "%u is not a non-linearity", (unsigned)type);
    if (in_set && is_softmax(type))
        return call_fail(call, POP_POPLAR_ERROR, "%s needs more than one compute set: give a sequence", names[type]);
    if (is_softmax(type) && pop_tensor_type(t) != POP_TYPE_NULL && !pop_tensor_rank(t))
        return call_fail(call, POP_POPLAR_ERROR, "%s goes along the last dimension; this is a scalar", names[type]);
    return check_floating(call, "the tensor", t);
}

/* ---- in place ---- */

static void apply(const struct call *call, popnn_non_linearity_type type, pop_tensor t, pop_compute_set set)
{
    struct non_linearity_work work = { .call = call, .set = set, .type = type, .data = pop_tensor_flatten(t) };
    run(&work);
}

void popnn_non_linearity_in_place_in_at(pop_where where, pop_graph *graph, popnn_non_linearity_type type, pop_tensor t,
                                        pop_compute_set set)
{
    POPLIBS_CALL(graph, log_name(popnn_non_linearity_type_name(type)), t);
    if (check(call, type, t, true))
        apply(call, type, t, set);
}

static void in_place(const struct call *call, popnn_non_linearity_type type, pop_tensor t)
{
    if (is_softmax(type)) {
        softmax_at_last(call, type, t);
        return;
    }
    pop_compute_set set = pop_graph_add_compute_set(call->graph, call_path(call, call->name, "Nonlinearity"));
    apply(call, type, t, set);
    call_execute(call, set, call->name);
}
static popnn_non_linearity_type unscaled(popnn_non_linearity_type type)
{
    return type == POPNN_SOFTMAX_SCALED ? POPNN_SOFTMAX_STABLE : type;
}

void popnn_non_linearity_in_place_at(pop_where where, pop_graph *graph, popnn_non_linearity_type type, pop_tensor t,
                                     pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, log_name(popnn_non_linearity_type_name(type)), t, name);
    if (check(call, type, t, false))
        in_place(call, unscaled(type), t);
}
void popnn_non_linearity_in_place_scaled_at(pop_where where, pop_graph *graph, popnn_non_linearity_type type,
                                            pop_tensor t, float *scaling, pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, log_name(popnn_non_linearity_type_name(type)), t, name);
    if (!check(call, type, t, false))
        return;
    if (scaling)
        *scaling = type == POPNN_SOFTMAX_SCALED ? POPNN_SOFTMAX_SCALING : 1;
    in_place(call, type, t);
}

/* ---- out of place ---- */

static pop_tensor to_new(const struct call *call, popnn_non_linearity_type type, pop_tensor t)
{
    pop_tensor out =
        poputil_duplicate(call->graph, t, call->sequence, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, call->name);
    if (!call_ready(call))
        return (pop_tensor){ 0 };
    in_place(call, type, out);
    return call_ready(call) ? out : (pop_tensor){ 0 };
}
pop_tensor popnn_non_linearity_at(pop_where where, pop_graph *graph, popnn_non_linearity_type type, pop_tensor t,
                                  pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, log_name(popnn_non_linearity_type_name(type)), t, name);
    if (!check(call, type, t, false))
        return (pop_tensor){ 0 };
    return to_new(call, unscaled(type), t);
}
pop_tensor popnn_non_linearity_scaled_at(pop_where where, pop_graph *graph, popnn_non_linearity_type type, pop_tensor t,
                                         float *scaling, pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, log_name(popnn_non_linearity_type_name(type)), t, name);
    if (!check(call, type, t, false))
        return (pop_tensor){ 0 };
    if (scaling)
        *scaling = type == POPNN_SOFTMAX_SCALED ? POPNN_SOFTMAX_SCALING : 1;
    return to_new(call, type, t);
}

/* ---- gradients ---- */

static bool check_gradient(const struct call *call, popnn_non_linearity_type type, pop_tensor act,
                           pop_tensor out_gradient, bool in_set)
{
    char a[128], b[128];
    if (!check(call, type, act, in_set) || !check_floating(call, "the output's gradient", out_gradient))
        return false;
    if (pop_tensor_type(act) != pop_tensor_type(out_gradient))
        return call_fail(call, POP_TYPE_ERROR,
                         "the activations are %s and the output's gradient is %s; they must be alike",
                         pop_type_name(pop_tensor_type(act)), pop_type_name(pop_tensor_type(out_gradient)));
    if (!poplibs_shapes_equal(act, out_gradient))
        return call_fail(call, POP_POPLAR_ERROR,
                         "the activations have shape %s and the output's gradient %s; they must be equal",
                         poplibs_shape_of(a, sizeof(a), act), poplibs_shape_of(b, sizeof(b), out_gradient));
    return true;
}

static pop_tensor gradient(const struct call *call, popnn_non_linearity_type type, pop_tensor act,
                           pop_tensor out_gradient, pop_compute_set set)
{
    pop_tensor in_gradient =
        pop_graph_clone(call->graph, POP_TYPE_NULL, out_gradient, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES,
                        call_path(call, call->name, "NonLinearityGrad"));
    struct non_linearity_work work = { .call = call,
                                       .set = set,
                                       .type = type,
                                       .data = pop_tensor_flatten(in_gradient),
                                       .out = pop_tensor_flatten(act),
                                       .out_gradient = pop_tensor_flatten(out_gradient),
                                       .gradient = true };
    run(&work);
    return call_ready(call) ? in_gradient : (pop_tensor){ 0 };
}

pop_tensor popnn_non_linearity_input_gradient_in_at(pop_where where, pop_graph *graph, popnn_non_linearity_type type,
                                                    pop_tensor act, pop_tensor out_gradient, pop_compute_set set,
                                                    const char *name)
{
    POPLIBS_CALL(graph, log_name(popnn_non_linearity_type_name(type)), act, out_gradient, name);
    if (!check_gradient(call, type, act, out_gradient, true))
        return (pop_tensor){ 0 };
    return gradient(call, type, act, out_gradient, set);
}
pop_tensor popnn_non_linearity_input_gradient_at(pop_where where, pop_graph *graph, popnn_non_linearity_type type,
                                                 pop_tensor act, pop_tensor out_gradient, pop_program sequence,
                                                 const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, log_name(popnn_non_linearity_type_name(type)), act, out_gradient, name);
    if (!check_gradient(call, type, act, out_gradient, false))
        return (pop_tensor){ 0 };
    if (is_softmax(type))
        return softmax_gradient(call, act, out_gradient);
    pop_compute_set set = pop_graph_add_compute_set(graph, call_path(call, name, "NonLinearityGrad"));
    pop_tensor in_gradient = gradient(call, type, act, out_gradient, set);
    call_execute(call, set, name);
    return call_ready(call) ? in_gradient : (pop_tensor){ 0 };
}
