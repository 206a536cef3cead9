/* SPDX-License-Identifier: Apache-2.0 */
/* Computes gradients and each element's part of the loss on the tiles of the gradients, then sums each row. Vertices
 * read the labels directly, so there is no one-hot matrix. */
#include "poplibs/log.h"
#include "poplibs/tiles.h"
#include "popnn/support.h"

#include <popnn/loss.h>
#include <popops/reduce.h>

struct loss {
    const struct call *call;
    pop_compute_set set;
    pop_tensor probs, expected, deltas, transformed; /* flat */
    pop_tensor deltas_scale, output_scaling;         /* null: factor 1 */
    size_t classes;
    const char *name; /* name of the vertex without types: "LossSumSquaredTransform" */
};

static void connect_scale(const struct loss *loss, pop_vertex vertex, const char *field, pop_tensor scale)
{
    const struct call *call = loss->call;
    if (pop_tensor_type(scale) == POP_TYPE_NULL)
        pop_graph_connect_constant(call->graph, vertex, field, POP_FLOAT, &(float){ 1 });
    else
        call_connect(call, vertex, field, scale);
}

static void connect_region(const struct loss *loss, pop_vertex vertex, pop_interval region)
{
    const struct call *call = loss->call;
    call_connect(call, vertex, "probs", pop_tensor_slice(loss->probs, region.begin, region.end, 0));
    call_connect(call, vertex, "deltas", pop_tensor_slice(loss->deltas, region.begin, region.end, 0));
    call_connect(call, vertex, "transformed", pop_tensor_slice(loss->transformed, region.begin, region.end, 0));
    call_connect(
        call, vertex, "expected",
        pop_tensor_slice(loss->expected, region.begin / loss->classes, (region.end - 1) / loss->classes + 1, 0));
    call_set(call, vertex, "column", region.begin % loss->classes);
    call_set(call, vertex, "classes", loss->classes);
}

/* Splits at row ends and connects the pieces. */
static void connect_pieces(const struct loss *loss, pop_vertex vertex, const pop_interval *regions, size_t count)
{
    const struct call *call = loss->call;
    struct lists_vec pieces = { 0 };
    struct interval_vec rows = { 0 };
    struct {
        unsigned *list;
        size_t count, capacity;
    } columns = { 0 };
    for (size_t i = 0; i < count; ++i)
        for (size_t at = regions[i].begin; at < regions[i].end;) {
            size_t row = at / loss->classes, end = poplibs_min(regions[i].end, (row + 1) * loss->classes);
            lists_begin(&pieces);
            lists_push(&pieces, at, end);
            interval_push(&rows, row, row + 1);
            *poplibs_push(&columns) = (unsigned)(at % loss->classes);
            at = end;
        }
    pop_interval_lists lists = lists_take(&pieces), labels = { 1, (size_t[]){ 0, rows.count }, rows.list };
    call_connect_rows(call, vertex, "probs", loss->probs, &lists, 0, lists.count);
    call_connect_rows(call, vertex, "deltas", loss->deltas, &lists, 0, lists.count);
    call_connect_rows(call, vertex, "transformed", loss->transformed, &lists, 0, lists.count);
    call_connect(call, vertex, "expected", call_slice_of_list(call, loss->expected, &labels, 0));
    pop_graph_set_field_vector(call->graph, vertex, POP_FIELD("columns", POP_WHOLE), POP_UNSIGNED_INT, columns.list,
                               columns.count);
    pop_interval_lists_free(&lists);
    free(rows.list);
    free(columns.list);
}

static void transform_on_tile(const struct call *call, const struct poplibs_tile *tile, void *user)
{
    const struct loss *loss = user;
    pop_type type = pop_tensor_type(loss->deltas);
    char name[96];
    poputil_partitions parts;
    poputil_split_regions_lists_between_workers(pop_graph_target(call->graph), tile->regions,
                                                pop_target_vector_width(pop_graph_target(call->graph), type), 0,
                                                POPUTIL_NO_LIMIT, POPUTIL_NO_LIMIT, &parts);
    for (size_t i = 0; i < parts.count; ++i) {
        size_t first = parts.regions.first[parts.first[i]], count = parts.regions.first[parts.first[i + 1]] - first;
        const pop_interval *regions = parts.regions.intervals + first;
        snprintf(name, sizeof(name), "popnn::%s%s<%s>", loss->name, count == 1 ? "" : "2D", pop_type_name(type));
        pop_vertex vertex = call_vertex(call, loss->set, name, tile->tile);
        if (count == 1)
            connect_region(loss, vertex, *regions);
        else
            connect_pieces(loss, vertex, regions, count);
        connect_scale(loss, vertex, "deltasScale", loss->deltas_scale);
        connect_scale(loss, vertex, "modelOutputScaling", loss->output_scaling);
    }
    poputil_partitions_free(&parts);
}

/* ---- checks of arguments ---- */

static bool check_labels(const struct call *call, pop_tensor outputs, pop_tensor expected)
{
    char a[128], b[128];
    pop_type type = pop_tensor_type(expected);
    if (!check_floating(call, "the model's output", outputs) || !call_takes(call, "the tensor of labels", expected))
        return false;
    if (type != POP_INT && type != POP_UNSIGNED_INT)
        return call_fail(call, POP_TYPE_ERROR, "the labels have type %s; int or unsigned int is needed",
                         pop_type_name(type));
    if (pop_tensor_rank(outputs) != 2 || pop_tensor_rank(expected) != 1 ||
        pop_tensor_dim(outputs, 0) != pop_tensor_dim(expected, 0))
        return call_fail(call, POP_POPLAR_ERROR,
                         "the model's output has shape %s and the labels %s; {batch,classes} and {batch} are needed",
                         poplibs_shape_of(a, sizeof(a), outputs), poplibs_shape_of(b, sizeof(b), expected));
    return true;
}
static bool check_num_correct(const struct call *call, pop_tensor num_correct)
{
    if (!call_takes(call, "the number of correct rows", num_correct))
        return false;
    if (pop_tensor_type(num_correct) != POP_UNSIGNED_INT || pop_tensor_num_elements(num_correct) != 1)
        return call_fail(call, POP_TYPE_ERROR,
                         "the number of correct rows goes to one unsigned int, not to %zu of type %s",
                         pop_tensor_num_elements(num_correct), pop_type_name(pop_tensor_type(num_correct)));
    return true;
}
static bool check_scale(const struct call *call, const char *what, pop_tensor scale, pop_type type,
                        popnn_loss_type loss)
{
    if (pop_tensor_type(scale) == POP_TYPE_NULL)
        return true;
    if (!call_takes_scale(call, what, scale))
        return false;
    if (loss != POPNN_CROSS_ENTROPY_LOSS)
        return call_fail(call, POP_POPLAR_ERROR, "the %s goes with the cross entropy alone", what);
    if (pop_tensor_type(scale) != type || pop_tensor_num_elements(scale) != 1)
        return call_fail(call, POP_TYPE_ERROR, "the %s has %zu elements of type %s; one of type %s is needed", what,
                         pop_tensor_num_elements(scale), pop_type_name(pop_tensor_type(scale)), pop_type_name(type));
    return true;
}
static bool check_results(const struct call *call, pop_tensor outputs, pop_tensor loss, pop_tensor deltas)
{
    char a[128], b[128];
    pop_type type = pop_tensor_type(outputs);
    if (!call_takes(call, "the loss", loss) || !call_takes(call, "the tensor of deltas", deltas))
        return false;
    if (pop_tensor_type(loss) != type || pop_tensor_type(deltas) != type)
        return call_fail(call, POP_TYPE_ERROR,
                         "the loss is %s and the deltas are %s; the model's output is %s, which they must be too",
                         pop_type_name(pop_tensor_type(loss)), pop_type_name(pop_tensor_type(deltas)),
                         pop_type_name(type));
    if (!poplibs_shapes_equal(outputs, deltas) || pop_tensor_rank(loss) != 1 ||
        pop_tensor_dim(loss, 0) != pop_tensor_dim(outputs, 0))
        return call_fail(call, POP_POPLAR_ERROR,
                         "the loss has shape %s and the deltas %s; the batch and the model's output's shape are needed",
                         poplibs_shape_of(a, sizeof(a), loss), poplibs_shape_of(b, sizeof(b), deltas));
    return true;
}

static bool check_type(const struct call *call, popnn_loss_type type)
{
    return type == POPNN_SUM_SQUARED_LOSS || type == POPNN_CROSS_ENTROPY_LOSS ||
           call_fail(call, POP_POPLAR_ERROR, "%u is not a loss: sum squared and cross entropy are possible",
                     (unsigned)type);
}

/* ---- programs ---- */

static void add_accuracy(const struct call *call, pop_tensor outputs, pop_tensor labels, pop_tensor num_correct,
                         pop_program sequence)
{
    pop_graph *graph = call->graph;
    const char *path = call_path(call, call->name, "Accuracy");
    if (!pop_tensor_num_elements(outputs)) /* no rows: none is right */
        labels = pop_tensor_slice(labels, 0, 0, 0);
    pop_tensor largest = pop_tensor_num_elements(outputs) ? popnn_arg_max(graph, outputs, sequence, path) : labels;
    if (!call_ready(call))
        return;
    unsigned tile;
    if (!call_first_tile(call, num_correct, &tile))
        return;
    pop_compute_set set = pop_graph_add_compute_set(graph, path);
    pop_vertex vertex = call_vertex(call, set, "popnn::CalcAccuracy<unsigned int>", tile);
    call_connect(call, vertex, "maxPerBatch", largest);
    call_connect(call, vertex, "expected", labels);
    call_connect(call, vertex, "numCorrect", pop_tensor_reshape(num_correct, POP_SHAPE()));
    pop_sequence_add(sequence, pop_execute(set, call->name));
}

struct loss_request {
    const struct call *call;
    pop_tensor outputs, expected, loss, deltas, deltas_scale, output_scaling;
    const pop_tensor *num_correct; /* NULL: not requested */
    popnn_loss_type type;
};

/* A tensor of one element of any rank as a scalar; null stays null. */
static pop_tensor scalar_of(const struct call *call, pop_tensor t)
{
    return pop_tensor_type(t) == POP_TYPE_NULL ? t : pop_tensor_reshape(t, POP_SHAPE());
}

static pop_program build(const struct loss_request *request)
{
    const struct call *call = request->call;
    pop_graph *graph = call->graph;
    pop_type type = pop_tensor_type(request->outputs);
    if (!call_ready(call) || !check_type(call, request->type) ||
        !check_labels(call, request->outputs, request->expected) ||
        !check_results(call, request->outputs, request->loss, request->deltas) ||
        !check_scale(call, "scale of the deltas", request->deltas_scale, type, request->type) ||
        !check_scale(call, "scaling of the output", request->output_scaling, type, request->type) ||
        (request->num_correct && !check_num_correct(call, *request->num_correct)))
        return (pop_program){ 0 };
    const char *path =
        call_path(call, call->name, request->type == POPNN_SUM_SQUARED_LOSS ? "LossSumSquared" : "LossCrossEntropy");
    pop_program sequence = pop_sequence(graph, path);
    pop_tensor transformed =
        pop_graph_clone(graph, POP_TYPE_NULL, request->deltas, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, path);
    pop_tensor labels = pop_tensor_reinterpret(request->expected, POP_UNSIGNED_INT);
    struct loss loss = { .call = call,
                         .set = pop_graph_add_compute_set(graph, path),
                         .probs = pop_tensor_flatten(request->outputs),
                         .expected = labels,
                         .deltas = pop_tensor_flatten(request->deltas),
                         .transformed = pop_tensor_flatten(transformed),
                         .deltas_scale = scalar_of(call, request->deltas_scale),
                         .output_scaling = scalar_of(call, request->output_scaling),
                         .classes = pop_tensor_dim(request->outputs, 1),
                         .name = request->type == POPNN_SUM_SQUARED_LOSS ? "LossSumSquaredTransform"
                                                                         : "LossCrossEntropyTransform" };
    call_for_each_tile(call, loss.deltas, transform_on_tile, &loss);
    pop_sequence_add(sequence, pop_execute(loss.set, path));
    popops_reduce_with_output(graph, transformed, request->loss, POP_DIMS(1),
                              (popops_reduce_params){ .op = POPOPS_ADD }, sequence, path, POP_NO_OPTIONS);
    if (request->num_correct)
        add_accuracy(call, request->outputs, labels, *request->num_correct, sequence);
    return call_ready(call) ? sequence : (pop_program){ 0 };
}

pop_program popnn_calc_loss_scaled_at(pop_where where, pop_graph *graph, pop_tensor model_outputs, pop_tensor expected,
                                      pop_tensor loss, pop_tensor deltas, pop_tensor deltas_scale,
                                      pop_tensor model_output_scaling, popnn_loss_type type, const char *name)
{
    POPLIBS_CALL_AS("popnn_calc_loss", (pop_program){ 0 }, graph, model_outputs, expected, loss, deltas, deltas_scale,
                    model_output_scaling, name);
    return build(&(struct loss_request){ call, model_outputs, expected, loss, deltas, deltas_scale,
                                         model_output_scaling, NULL, type });
}
pop_program popnn_calc_loss_at(pop_where where, pop_graph *graph, pop_tensor model_outputs, pop_tensor expected,
                               pop_tensor loss, pop_tensor deltas, popnn_loss_type type, const char *name)
{
    POPLIBS_CALL(graph, model_outputs, expected, loss, deltas, name);
    return popnn_calc_loss_scaled(graph, model_outputs, expected, loss, deltas, (pop_tensor){ 0 }, (pop_tensor){ 0 },
                                  type, name);
}
pop_program popnn_calc_loss_and_accuracy_scaled_at(pop_where where, pop_graph *graph, pop_tensor model_outputs,
                                                   pop_tensor expected, pop_tensor loss, pop_tensor deltas,
                                                   pop_tensor deltas_scale, pop_tensor model_output_scaling,
                                                   pop_tensor num_correct, popnn_loss_type type, const char *name)
{
    POPLIBS_CALL_AS("popnn_calc_loss_and_accuracy", (pop_program){ 0 }, graph, model_outputs, expected, loss, deltas,
                    deltas_scale, model_output_scaling, num_correct, name);
    return build(&(struct loss_request){ call, model_outputs, expected, loss, deltas, deltas_scale,
                                         model_output_scaling, &num_correct, type });
}
pop_program popnn_calc_loss_and_accuracy_at(pop_where where, pop_graph *graph, pop_tensor model_outputs,
                                            pop_tensor expected, pop_tensor loss, pop_tensor deltas,
                                            pop_tensor num_correct, popnn_loss_type type, const char *name)
{
    POPLIBS_CALL(graph, model_outputs, expected, loss, deltas, num_correct, name);
    return popnn_calc_loss_and_accuracy_scaled(graph, model_outputs, expected, loss, deltas, (pop_tensor){ 0 },
                                               (pop_tensor){ 0 }, num_correct, type, name);
}
pop_program popnn_calc_accuracy_at(pop_where where, pop_graph *graph, pop_tensor model_outputs, pop_tensor expected,
                                   pop_tensor num_correct, const char *name)
{
    POPLIBS_CALL(graph, model_outputs, expected, num_correct, name);
    if (!call_ready(call) || !check_labels(call, model_outputs, expected) || !check_num_correct(call, num_correct))
        return (pop_program){ 0 };
    pop_program sequence = pop_sequence(graph, call_path(call, name, "Accuracy"));
    add_accuracy(call, model_outputs, pop_tensor_reinterpret(expected, POP_UNSIGNED_INT), num_correct, sequence);
    return call_ready(call) ? sequence : (pop_program){ 0 };
}
