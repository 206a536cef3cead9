/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions on graphs by B-splines: the tiles of the outputs do the work, a range for each worker. */
#include "poplibs/log.h"
#include "poplibs/tiles.h"

#include <popops/spline_basis.h>
#include <popops/spline_weighting.h>
#include <poputil/tile_mapping.h>
#include <poputil/util.h>

enum { MAX_DEGREE = 3 };

static bool check_operand(const struct call *call, const char *what, pop_tensor t, pop_type type, size_t rank)
{
    if (!call_takes(call, what, t))
        return false;
    if (pop_tensor_type(t) != type)
        return call_fail(call, POP_TYPE_ERROR, "%s is %s; it must be %s", what, pop_type_name(pop_tensor_type(t)),
                         pop_type_name(type));
    return pop_tensor_rank(t) == rank ||
           call_fail(call, POP_POPLAR_ERROR, "%s has rank %zu; it must have %zu", what, pop_tensor_rank(t), rank);
}
static bool check_floating(const struct call *call, const char *what, pop_tensor t, size_t rank)
{
    if (!call_takes(call, what, t))
        return false;
    pop_type type = pop_tensor_type(t);
    if (type != POP_HALF && type != POP_FLOAT)
        return call_fail(call, POP_TYPE_ERROR, "%s is %s; it must be half or float", what, pop_type_name(type));
    return check_operand(call, what, t, type, rank);
}
static bool check_dim(const struct call *call, const char *what, pop_tensor t, unsigned dim, size_t size)
{
    return pop_tensor_dim(t, dim) == size ||
           call_fail(call, POP_POPLAR_ERROR, "dimension %u of %s is %zu; it must be %zu", dim, what,
                     pop_tensor_dim(t, dim), size);
}

/* Calls add for each worker's range of the elements of a tensor {rows, columns}. */
struct work {
    const struct call *call;
    pop_tensor out; /* flattened */
    size_t columns;
    pop_compute_set set;
    const void *operands;
    void (*add)(const struct work *work, pop_interval range, unsigned tile);
};

static void add_ranges(const struct call *call, const struct poplibs_tile *tile, void *user)
{
    const struct work *work = user;
    poputil_partitions parts;
    unsigned grain = pop_target_vector_width(pop_graph_target(call->graph), pop_tensor_type(work->out));
    poputil_split_regions_lists_between_workers(pop_graph_target(call->graph), tile->regions, grain, grain,
                                                POPUTIL_NO_LIMIT, POPUTIL_NO_LIMIT, &parts);
    for (size_t list = 0; list < parts.regions.count; ++list)
        for (size_t i = parts.regions.first[list]; i < parts.regions.first[list + 1]; ++i)
            work->add(work, parts.regions.intervals[i], tile->tile);
    poputil_partitions_free(&parts);
}

static void do_work(struct work *work, const char *name)
{
    const struct call *call = work->call;
    if (!pop_tensor_num_elements(work->out))
        return;
    work->set = pop_graph_add_compute_set(call->graph, call_path(call, call->name, name));
    call_for_each_tile(call, work->out, add_ranges, work);
    call_execute(call, work->set, call->name);
}

/* The rows of t that a range of the outputs needs, flattened. */
static pop_tensor rows_of(const struct work *work, pop_tensor t, pop_interval range)
{
    const struct call *call = work->call;
    return pop_tensor_flatten(
        pop_tensor_slice(t, range.begin / work->columns, poplibs_ceil_div(range.end, work->columns), 0));
}
static pop_vertex add_vertex(const struct work *work, const char *family, pop_interval range, unsigned tile)
{
    const struct call *call = work->call;
    char type[64];
    snprintf(type, sizeof(type), "popops::%s<%s>", family, pop_type_name(pop_tensor_type(work->out)));
    pop_vertex vertex = call_vertex(call, work->set, type, tile);
    call_set(call, vertex, "offset", range.begin % work->columns);
    return vertex;
}

/* ---- basis ---- */

struct basis_operands {
    pop_tensor pseudo, kernel_size, is_open, index;
    unsigned degree;
};

static void add_basis(const struct work *work, pop_interval range, unsigned tile)
{
    const struct call *call = work->call;
    const struct basis_operands *operands = work->operands;
    pop_vertex vertex = add_vertex(work, "SplineBasis", range, tile);
    call_connect(call, vertex, "pseudo", rows_of(work, operands->pseudo, range));
    call_connect(call, vertex, "kernelSize", operands->kernel_size);
    call_connect(call, vertex, "isOpenSpline", operands->is_open);
    call_connect(call, vertex, "basis", pop_tensor_slice_interval(work->out, range, 0));
    call_connect(call, vertex, "weightIndex", pop_tensor_slice_interval(operands->index, range, 0));
    call_set(call, vertex, "splines", work->columns);
    call_set(call, vertex, "degree", operands->degree);
}

void popops_spline_basis_at(pop_where where, pop_graph *graph, pop_tensor pseudo, pop_tensor kernel_size,
                            pop_tensor is_open_spline, pop_tensor basis, pop_tensor weight_index, unsigned degree,
                            pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, pseudo, kernel_size, is_open_spline, basis, weight_index, degree, name);
    if (!call_ready(call) || !check_floating(call, "pseudo", pseudo, 2) ||
        !check_operand(call, "kernelSize", kernel_size, POP_INT, 1) ||
        !check_operand(call, "isOpenSpline", is_open_spline, POP_UNSIGNED_CHAR, 1) ||
        !check_operand(call, "basis", basis, pop_tensor_type(pseudo), 2) ||
        !check_operand(call, "weightIndex", weight_index, POP_INT, 2))
        return;
    if (!degree || degree > MAX_DEGREE) {
        call_fail(call, POP_POPLAR_ERROR, "degree %u; it must be from 1 to %d", degree, MAX_DEGREE);
        return;
    }
    size_t edges = pop_tensor_dim(pseudo, 0), dims = pop_tensor_dim(pseudo, 1), splines = 1;
    for (size_t d = 0; d < dims && splines <= UINT16_MAX; ++d)
        splines *= degree + 1;
    if (!check_dim(call, "kernelSize", kernel_size, 0, dims) ||
        !check_dim(call, "isOpenSpline", is_open_spline, 0, dims) || !check_dim(call, "basis", basis, 0, edges) ||
        !check_dim(call, "basis", basis, 1, splines) || !check_dim(call, "weightIndex", weight_index, 0, edges) ||
        !check_dim(call, "weightIndex", weight_index, 1, splines))
        return;
    struct basis_operands operands = { pseudo, kernel_size, is_open_spline, pop_tensor_flatten(weight_index), degree };
    struct work work = {
        .call = call, .out = pop_tensor_flatten(basis), .columns = splines, .operands = &operands, .add = add_basis
    };
    do_work(&work, "SplineBasis");
}

/* ---- weighting ---- */

struct weighting_operands {
    pop_tensor input, weight, basis, index;
};

static void add_weighting(const struct work *work, pop_interval range, unsigned tile)
{
    const struct call *call = work->call;
    const struct weighting_operands *operands = work->operands;
    pop_vertex vertex = add_vertex(work, "SplineWeighting", range, tile);
    call_connect(call, vertex, "input", rows_of(work, operands->input, range));
    call_connect(call, vertex, "weight", pop_tensor_flatten(operands->weight));
    call_connect(call, vertex, "basis", rows_of(work, operands->basis, range));
    call_connect(call, vertex, "weightIndex", rows_of(work, operands->index, range));
    call_connect(call, vertex, "out", pop_tensor_slice_interval(work->out, range, 0));
    call_set(call, vertex, "splines", pop_tensor_dim(operands->basis, 1));
    call_set(call, vertex, "channels", pop_tensor_dim(operands->input, 1));
    call_set(call, vertex, "outChannels", work->columns);
}

pop_tensor popops_spline_weighting_at(pop_where where, pop_graph *graph, pop_tensor input, pop_tensor weight,
                                      pop_tensor basis, pop_tensor weight_index, pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, input, weight, basis, weight_index, name);
    pop_tensor none = { 0 };
    if (!call_ready(call) || !check_floating(call, "input", input, 2))
        return none;
    pop_type type = pop_tensor_type(input);
    if (!check_operand(call, "weight", weight, type, 3) || !check_operand(call, "basis", basis, type, 2) ||
        !check_operand(call, "weightIndex", weight_index, POP_INT, 2))
        return none;
    size_t edges = pop_tensor_dim(input, 0), splines = pop_tensor_dim(basis, 1);
    if (!check_dim(call, "weight", weight, 1, pop_tensor_dim(input, 1)) || !check_dim(call, "basis", basis, 0, edges) ||
        !check_dim(call, "weightIndex", weight_index, 0, edges) ||
        !check_dim(call, "weightIndex", weight_index, 1, splines))
        return none;
    size_t out_channels = pop_tensor_dim(weight, 2);
    pop_tensor out = pop_graph_add_variable(graph, type, POP_SHAPE(edges, out_channels), name);
    poputil_map_tensor_linearly(graph, out);
    struct weighting_operands operands = { input, weight, basis, weight_index };
    struct work work = { .call = call,
                         .out = pop_tensor_flatten(out),
                         .columns = out_channels,
                         .operands = &operands,
                         .add = add_weighting };
    do_work(&work, "SplineWeighting");
    return call_ready(call) ? out : none;
}
