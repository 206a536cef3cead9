/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions over tensors: one generated vertex for the whole expression, or its operators one after the other. */
#include "popops/elementwise/element_graph.h"
#include "popops/elementwise/scalar_multiply.h"
#include "popops/expression/expr_parse.h"
#include "popops/expression/map_source.h"
#include "popops/expression/split_expr.h"
#include "popops/expression/typed_expr.h"

#include "poplibs/log.h"
#include "poplibs/options.h"
#include "poplibs/release.h"

#include <math.h>
#include <popops/cast.h>

struct map_options {
    bool generate, force, vector_broadcasts, simplify;
    double tolerance; /* of scalar_multiply.h; NAN if it is not given */
};
/* A call, from the user's tree to its output. */
struct map_call {
    const struct call *call;
    enum element_form form;
    pop_tensors tensors;
    pop_tensor out;
    struct map_options options;
    struct typed_expr expr;
};

static bool parse_options(const struct call *call, pop_options given, struct map_options *options)
{
    static const struct poplibs_option table[] = {
#define MAP_OPTION(...) POPLIBS_ROW(struct map_options, __VA_ARGS__)
#include "poplibs/options.def"
    };
    poplibs_default_options(table, sizeof(table) / sizeof(table[0]), options);
    options->tolerance = NAN; /* an error where it has no effect, so a default must not pass for one */
    return call_parse_options(call, given, table, sizeof(table) / sizeof(table[0]), options);
}
/* False, with an error recorded, if an option is given that is for the product of halves and one float. */
static bool without_tolerance(const struct call *call, const struct map_options *options)
{
    return isnan(options->tolerance) ||
           call_fail(call, POP_INVALID_OPTION,
                     "scalarMultiplyFloatToHalfTolerance has an effect on one operation only: the product of a half "
                     "tensor and a float tensor of one element");
}
bool popops_check_map_options_at(pop_where where, pop_graph *graph, pop_options options)
{
    POPLIBS_CALL_AS("popops_map", (pop_program){ 0 }, graph, options);
    struct map_options parsed;
    return call_ready(call) && parse_options(call, options, &parsed) && without_tolerance(call, &parsed);
}

/* ---- one operator after the other ---- */

static pop_tensor tensor_of(const struct map_call *map, size_t at);

/* A value as an operand; numbers stay numbers. */
static popops_operand operand_of(const struct map_call *map, size_t at)
{
    const struct typed_node *node = &map->expr.nodes[at];
    return node->given.kind == POPOPS_EXPR_CONST ? node->given.value : popops_operand_of_tensor(tensor_of(map, at));
}
static pop_tensor number_of(const struct map_call *map, const struct typed_node *node)
{
    const struct call *call = map->call;
    popops_operand number = element_number(&node->given.value, node->type);
    pop_tensor t =
        pop_graph_add_constant_fill(call->graph, node->type, POP_SHAPE(), number.value_type, &number.value, call->name);
    pop_graph_set_tile_mapping(call->graph, t, 0);
    return t;
}
/* Adds one operator; the root of the tree writes to the call's output. */
static pop_tensor run_operator(const struct map_call *map, size_t at, enum element_form form)
{
    const struct typed_node *node = &map->expr.nodes[at];
    struct element_request request = { .call = map->call,
                                       .form = form,
                                       .arity = node->operands,
                                       .op = node->given.op,
                                       .out = map->out,
                                       .of_expression = true };
    bool any_tensor = false;
    for (int k = 0; k < node->operands; ++k) {
        request.operands[k] = operand_of(map, node->operand[k]);
        any_tensor |=
            request.operands[k].value_type == POP_TYPE_NULL && !(k == 2 && node->given.op == POPOPS_TERNARY_SELECT);
    }
    if (!any_tensor)
        request.operands[0] = popops_operand_of_tensor(number_of(map, &map->expr.nodes[node->operand[0]]));
    return element_serve(&request);
}
static pop_tensor tensor_of(const struct map_call *map, size_t at)
{
    const struct call *call = map->call;
    const struct typed_node *node = &map->expr.nodes[at];
    if (node->given.kind == POPOPS_EXPR_PLACEHOLDER)
        return map->tensors.list[node->given.op - 1];
    if (node->given.kind == POPOPS_EXPR_CONST)
        return number_of(map, node);
    if (node->given.kind == POPOPS_EXPR_CAST)
        return popops_cast(call->graph, tensor_of(map, node->operand[0]), node->type, call->sequence, call->name);
    return run_operator(map, at, ELEMENT_NEW);
}

static bool is_leaf(const struct map_call *map, size_t at)
{
    return map->expr.nodes[at].operands == 0;
}
/* Whether all operands of the root are tensors and numbers: then the operator itself can run in place. */
static bool is_simple(const struct map_call *map)
{
    const struct typed_node *root = &map->expr.nodes[map->expr.count - 1];
    for (int k = 0; k < root->operands; ++k)
        if (!is_leaf(map, root->operand[k]))
            return false;
    return true;
}

/* Copies the result of an expression without operators: a tensor, or a cast of one. */
static void copy_to_output(struct map_call *map, pop_tensor from)
{
    const struct call *call = map->call;
    struct element_call output = { .call = call, .count = 1, .given = { from } };
    if (!call_ready(call) || !element_match(&output))
        return;
    if (map->form == ELEMENT_NEW)
        element_new_output(&output, pop_tensor_type(from));
    else
        output.out = map->out;
    if (!element_check_output(&output, pop_tensor_type(from)))
        return;
    map->out = output.out;
    call_copy(call, output.in[0], map->out, call->name);
}

static void run_operators(struct map_call *map)
{
    size_t root = map->expr.count - 1;
    if (map->expr.nodes[root].given.kind < POPOPS_EXPR_UNARY)
        copy_to_output(map, tensor_of(map, root));
    else
        map->out = run_operator(map, root, map->form == ELEMENT_NEW ? ELEMENT_NEW : ELEMENT_WITH_OUTPUT);
}

/* ---- one generated vertex ---- */

/* The supervisor and W (20 + loop) for one region, 20 + loops for several, as for one operator; user holds the
 * floating-point operations of an element, the cycles for a vector and its width. */
enum { CYCLES_SHIFT = 8, FLOPS_SHIFT = 40 };
static uint64_t loop_cycles(void *user, size_t elements)
{
    uint64_t number = (uintptr_t)user;
    return (uint32_t)(number >> CYCLES_SHIFT) * poplibs_ceil_div(elements, number & 255);
}
static uint64_t flops(void *user, size_t elements)
{
    return ((uint64_t)(uintptr_t)user >> FLOPS_SHIFT) * elements;
}
static pop_perf estimate(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    size_t elements = pop_vertex_view_field_size(vertex, "out", POP_WHOLE);
    unsigned workers = target->num_worker_contexts;
    return (pop_perf){ poplibs_supervisor_cycles(target) +
                           workers * (20 + loop_cycles(user, poplibs_ceil_div(elements, workers))),
                       flops(user, elements) };
}
static pop_perf estimate_rows(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target;
    pop_perf perf = { 20, 0 };
    for (size_t i = 0, rows = pop_vertex_view_field_size(vertex, "out", POP_WHOLE); i < rows; ++i) {
        size_t elements = pop_vertex_view_field_size(vertex, "out", i);
        perf.cycles += loop_cycles(user, elements);
        perf.flops += flops(user, elements);
    }
    return perf;
}

static void *pack_costs(const struct map_call *map, const struct expr_source *source)
{
    uint64_t operators = 0;
    for (size_t i = 0; i < map->expr.count; ++i) {
        const struct typed_node *node = &map->expr.nodes[i];
        operators += node->given.kind >= POPOPS_EXPR_UNARY && pop_type_is_floating_point(node->type);
    }
    return poplibs_as_user(
        (uintptr_t)(operators << FLOPS_SHIFT | (uint64_t)source->cycles << CYCLES_SHIFT | source->width));
}

/* Compiles the codelet unless the graph has it already; false if there is no compiler. */
static bool add_codelet(const struct map_call *map, const struct expr_source *source)
{
    const struct call *call = map->call;
    if (pop_graph_has_codelet(call->graph, source->vertex))
        return true;
    void *user = pack_costs(map, source);
    if (pop_graph_add_codelets_source(call->graph, source->text, POP_FILE_C, NULL)) {
        pop_graph_register_perf_estimator(call->graph, source->vertex, estimate, user);
        pop_graph_register_perf_estimator(call->graph, source->vertex_rows, estimate_rows, user);
        return true;
    }
    const pop_error *error = pop_graph_error(call->graph);
    if (!error || error->status != POP_NO_ENVIRONMENT)
        return true; /* the error stays recorded */
    pop_graph_take_error(call->graph, NULL);
    return false;
}

static const char *const *field_names(bool in_place)
{
    static const char *const names[] = { "out",  "in1",  "in2",  "in3",  "in4",  "in5",  "in6",
                                         "in7",  "in8",  "in9",  "in10", "in11", "in12", "in13",
                                         "in14", "in15", "in16", "in17", "in18", "in19", "in20" };
    static const char *const names_in_place[] = { "out",  "in2",  "in3",  "in4",  "in5",  "in6",  "in7",
                                                  "in8",  "in9",  "in10", "in11", "in12", "in13", "in14",
                                                  "in15", "in16", "in17", "in18", "in19", "in20" };
    return in_place ? names_in_place : names + 1;
}

/* False if there is no compiler. */
static bool run_generated(struct map_call *map)
{
    const struct call *call = map->call;
    pop_type result = map->expr.nodes[map->expr.count - 1].type;
    struct element_call work = { .call = call, .step = "Op/Map", .count = (size_t)map->expr.inputs, .out = map->out };
    for (int i = 0; i < map->expr.inputs; ++i)
        work.given[i] = map->tensors.list[map->expr.used[i] - 1];
    if (!element_match(&work))
        return true;
    if (map->form == ELEMENT_NEW)
        element_new_output(&work, result);
    else if (!element_check_output(&work, result))
        return true;
    work.in_place = pop_tensor_type(work.given[0]) == result && pop_tensor_equal(work.given[0], work.out);
    map->out = work.out;
    bool copy = element_needs_copy(&work);
    if (copy) {
        element_new_output(&work, result);
        work.in_place = false;
    }
    struct expr_source source = expr_generate(&map->expr, pop_graph_target(call->graph), work.given, work.in_place);
    work.vertex = source.vertex;
    work.vertex_rows = source.vertex_rows;
    work.fields = field_names(work.in_place);
    bool compiled = add_codelet(map, &source);
    if (compiled)
        element_run(&work);
    if (compiled && copy)
        call_copy(call, work.out, map->out, call->name);
    free(source.text);
    return compiled;
}

/* ---- halves times one float ---- */

/* A tensor of the call's list, or a number that is float whatever is beside it; otherwise the null tensor. */
static pop_tensor leaf_of(const struct map_call *map, const popops_expr_node *node)
{
    if (node->kind == POPOPS_EXPR_PLACEHOLDER && node->op >= 1 && (size_t)node->op <= map->tensors.count)
        return map->tensors.list[node->op - 1];
    if (node->kind == POPOPS_EXPR_CONST && node->type == POP_FLOAT)
        return number_of(map, &(struct typed_node){ .given = *node, .type = POP_FLOAT });
    return (pop_tensor){ 0 };
}
/* Whether the expression is a product as scalar_multiply.h has it: then the request is set. */
static bool is_scalar_multiply(const struct map_call *map, popops_expr expr, struct element_request *request)
{
    if (expr.count != 3 || expr.nodes[2].kind != POPOPS_EXPR_BINARY || expr.nodes[2].op != POPOPS_BINARY_MULTIPLY)
        return false;
    *request = (struct element_request){ .call = map->call,
                                         .form = map->form,
                                         .arity = 2,
                                         .op = POPOPS_BINARY_MULTIPLY,
                                         .out = map->out,
                                         .of_expression = true };
    for (int i = 0; i < 2; ++i)
        request->operands[i] = popops_operand_of_tensor(leaf_of(map, &expr.nodes[i]));
    return scalar_multiply_matches(request);
}

/* ---- calls ---- */

static bool can_generate(const struct map_call *map)
{
    for (size_t i = 0; i < map->expr.count; ++i)
        if (pop_type_size(map->expr.nodes[i].type) == 1 && map->expr.nodes[i].type != POP_BOOL)
            return false; /* character types can be cast, but no operator takes them */
    return true;
}

static pop_tensor serve(struct map_call *map, popops_expr expr);

/* An expression of more tensors than a vertex has fields for: a part of it is evaluated first. */
static pop_tensor serve_parts(struct map_call *map)
{
    struct expr_part part = expr_take_part(&map->expr, map->tensors);
    struct map_call first = { .call = map->call, .form = ELEMENT_NEW, .tensors = map->tensors };
    pop_tensor result = serve(&first, (popops_expr){ part.nodes, part.count });
    struct map_call rest = { .call = map->call, .form = map->form, .tensors = part.tensors, .out = map->out };
    expr_free(&map->expr);
    part.list[part.tensors.count - 1] = result;
    if (!pop_graph_error(map->call->graph))
        map->out = serve(&rest, (popops_expr){ part.rest, part.rest_count });
    expr_part_free(&part);
    return pop_graph_error(map->call->graph) ? (pop_tensor){ 0 } : map->out;
}

static pop_tensor serve(struct map_call *map, popops_expr expr)
{
    const struct call *call = map->call;
    if (!call_ready(call) || !parse_options(call, call->options, &map->options))
        return (pop_tensor){ 0 };
    if (map->form == ELEMENT_IN_PLACE) {
        if (!map->tensors.count) {
            call_fail(call, POP_INDEX_ERROR, "there is no tensor to write");
            return (pop_tensor){ 0 };
        }
        map->out = map->tensors.list[0];
    }
    struct element_request product;
    if (is_scalar_multiply(map, expr, &product)) {
        product.tolerance = isnan(map->options.tolerance) ? NULL : &map->options.tolerance;
        return scalar_multiply_serve(&product);
    }
    if (!without_tolerance(call, &map->options))
        return (pop_tensor){ 0 };
    if (!expr_type(call, expr, map->tensors, &map->expr))
        return (pop_tensor){ 0 };
    if (map->expr.inputs > EXPR_FUSED)
        return serve_parts(map);
    bool one = map->expr.operators <= 1 || is_simple(map),
         generate = (map->options.generate && !one) || map->options.force;
    if (!generate || !can_generate(map) || !run_generated(map))
        run_operators(map);
    expr_free(&map->expr);
    return pop_graph_error(call->graph) ? (pop_tensor){ 0 } : map->out;
}

pop_tensor popops_map_expr_at(pop_where where, pop_graph *graph, popops_expr expr, pop_tensors tensors,
                              pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_AS("popops_map", sequence, graph, tensors, name, options);
    struct map_call map = { .call = call, .form = ELEMENT_NEW, .tensors = tensors };
    return serve(&map, expr);
}
void popops_map_expr_in_place_at(pop_where where, pop_graph *graph, popops_expr expr, pop_tensors tensors,
                                 pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_AS("popops_map_in_place", sequence, graph, tensors, name, options);
    struct map_call map = { .call = call, .form = ELEMENT_IN_PLACE, .tensors = tensors };
    serve(&map, expr);
}
void popops_map_expr_with_output_at(pop_where where, pop_graph *graph, popops_expr expr, pop_tensors tensors,
                                    pop_tensor out, pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_AS("popops_map_with_output", sequence, graph, tensors, out, name, options);
    struct map_call map = { .call = call, .form = ELEMENT_WITH_OUTPUT, .tensors = tensors, .out = out };
    serve(&map, expr);
}

char *popops_output_generated_codelet_at(pop_where where, pop_graph *graph, popops_expr expr, pop_tensors tensors,
                                         pop_options options)
{
    POPLIBS_CALL(graph, tensors, options);
    struct map_call map = { .call = call, .tensors = tensors };
    if (!call_ready(call) || !parse_options(call, options, &map.options) || !expr_type(call, expr, tensors, &map.expr))
        return NULL;
    pop_tensor inputs[EXPR_FUSED];
    if (map.expr.inputs > EXPR_FUSED) {
        call_fail(call, POP_POPLAR_ERROR,
                  "the expression has %d tensors: a codelet has at most %d, and popops_map makes several",
                  map.expr.inputs, EXPR_FUSED);
        expr_free(&map.expr);
        return NULL;
    }
    for (int i = 0; i < map.expr.inputs; ++i)
        inputs[i] = tensors.list[map.expr.used[i] - 1];
    struct expr_source source = expr_generate(&map.expr, pop_graph_target(graph), inputs, false);
    expr_free(&map.expr);
    return source.text;
}

pop_tensor popops_map_at(pop_where where, pop_graph *graph, const char *text, pop_tensors tensors, pop_program sequence,
                         const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, text, tensors, name, options);
    popops_expr_node *nodes;
    size_t count;
    if (!call_ready(call) || !expr_parse(call, text, &nodes, &count))
        return (pop_tensor){ 0 };
    pop_tensor out = popops_map_expr(graph, (popops_expr){ nodes, count }, tensors, sequence, name, options);
    free(nodes);
    return out;
}
void popops_map_in_place_at(pop_where where, pop_graph *graph, const char *text, pop_tensors tensors,
                            pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, text, tensors, name, options);
    popops_expr_node *nodes;
    size_t count;
    if (!call_ready(call) || !expr_parse(call, text, &nodes, &count))
        return;
    popops_map_expr_in_place(graph, (popops_expr){ nodes, count }, tensors, sequence, name, options);
    free(nodes);
}
void popops_map_with_output_at(pop_where where, pop_graph *graph, const char *text, pop_tensors tensors, pop_tensor out,
                               pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, text, tensors, out, name, options);
    popops_expr_node *nodes;
    size_t count;
    if (!call_ready(call) || !expr_parse(call, text, &nodes, &count))
        return;
    popops_map_expr_with_output(graph, (popops_expr){ nodes, count }, tensors, out, sequence, name, options);
    free(nodes);
}
