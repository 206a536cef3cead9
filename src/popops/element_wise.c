/* SPDX-License-Identifier: Apache-2.0 */
/* What a call of an operator asks for is checked here, and brought into one form: tensors of one type and shape, and an output. */
#include "popops/element_graph.h"

#include <poputil/broadcast.h>
#include <poputil/tile_mapping.h>

popops_operand popops_operand_of_double(double value)
{
    return (popops_operand){ .value_type = POP_DOUBLE, .value = { .real = value } };
}
popops_operand popops_operand_of_int(long long value)
{
    return (popops_operand){ .value_type = POP_LONGLONG, .value = { .whole = value } };
}
popops_operand popops_operand_of_unsigned(unsigned long long value)
{
    return (popops_operand){ .value_type = POP_UNSIGNED_LONGLONG, .value = { .natural = value } };
}

/* ---- outputs ---- */

/* The most elements on a tile, and the number of tiles with any; false when it has no mapping. */
static bool spread_of(pop_graph *graph, pop_tensor t, size_t *most, size_t *tiles)
{
    pop_interval_lists mapping;
    bool complete;
    if (!pop_graph_get_tile_mapping(graph, t, &complete, &mapping))
        return false;
    *most = *tiles = 0;
    for (size_t tile = 0; tile < mapping.count; ++tile) {
        size_t elements = 0;
        for (size_t i = mapping.first[tile]; i < mapping.first[tile + 1]; ++i)
            elements += mapping.intervals[i].end - mapping.intervals[i].begin;
        *most = poplibs_max(*most, elements);
        *tiles += elements > 0;
    }
    pop_interval_lists_free(&mapping);
    return complete;
}

static bool same_shape(pop_tensor a, pop_tensor b)
{
    bool same = pop_tensor_rank(a) == pop_tensor_rank(b);
    for (size_t i = 0; same && i < pop_tensor_rank(a); ++i)
        same = pop_tensor_dim(a, i) == pop_tensor_dim(b, i);
    return same;
}

/* views are the inputs in the output's shape; those that are the inputs themselves can be cloned. */
static pop_tensor output_like(pop_where where, pop_graph *graph, pop_tensors inputs, pop_tensor shaped, pop_type type, const char *name)
{
    const pop_tensor *best = NULL;
    size_t least = 0, widest = 0;
    for (size_t i = 0; i < inputs.count; ++i) {
        size_t most, tiles;
        if (!same_shape(inputs.list[i], shaped) || !pop_tensor_is_parallel_writeable(inputs.list[i]) ||
            !spread_of(graph, inputs.list[i], &most, &tiles))
            continue;
        if (!best || most < least || (most == least && tiles > widest)) {
            best = &inputs.list[i];
            least = most;
            widest = tiles;
        }
    }
    if (best)
        return pop_graph_clone_at(where, graph, type, *best, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, name);
    size_t *dims = poplibs_new(pop_tensor_rank(shaped), sizeof(*dims));
    pop_shape shape = { pop_tensor_shape(shaped, dims, pop_tensor_rank(shaped)), dims };
    pop_tensor out = pop_graph_add_variable_at(where, graph, type, shape, name);
    poputil_map_tensor_linearly_at(where, graph, out);
    free(dims);
    return out;
}

/* Brings tensors into one shape; false and an error when they have none. */
static bool match_shapes(pop_where where, pop_graph *graph, const char *api, pop_tensor *tensors, size_t count)
{
    char texts[3][128] = { "" };
    size_t most = 0;
    for (size_t i = 0; i < count; ++i)
        most = pop_tensor_rank(tensors[i]) > pop_tensor_rank(tensors[most]) ? i : most;
    for (size_t round = 0; round < 2; ++round)
        for (size_t i = 0; i < count; ++i) {
            if (i == most || same_shape(tensors[i], tensors[most]))
                continue;
            if (!poputil_can_broadcast_to_match(tensors[most], tensors[i])) {
                pop_tensor_shape_to_string(tensors[most], texts[0], sizeof(texts[0]));
                pop_tensor_shape_to_string(tensors[i], texts[1], sizeof(texts[1]));
                return poplibs_fail(graph, POP_POPLAR_ERROR, where, api,
                                    "operands of shapes %s and %s do not match: a dimension must be equal or 1", texts[0], texts[1]);
            }
            poputil_broadcast_to_match_at(where, &tensors[most], &tensors[i]);
        }
    return !pop_graph_error(graph);
}

pop_tensor popops_create_output_for_element_wise_op_at(pop_where where, pop_graph *graph, pop_tensors inputs, pop_type type, const char *name)
{
    static const char api[] = "popops_create_output_for_element_wise_op";
    pop_tensor out = { 0 };
    if (!poplibs_ready(graph))
        return out;
    if (!inputs.count) {
        poplibs_fail(graph, POP_POPLAR_ERROR, where, api, "no inputs: one at least says the output's shape");
        return out;
    }
    pop_tensor *views = poplibs_new(inputs.count, sizeof(*views));
    memcpy(views, inputs.list, inputs.count * sizeof(*views));
    if (match_shapes(where, graph, api, views, inputs.count))
        out = output_like(where, graph, inputs, views[0], type, name);
    free(views);
    return out;
}

/* ---- calls ---- */

/* What a user asked for; form is "", "_in_place" or "_with_output". */
struct request {
    pop_where where;
    pop_graph *graph;
    const char *form;
    int arity, op;
    popops_operand operands[ELEMENT_WISE_OPERANDS];
    pop_tensor out; /* with an output */
    pop_program sequence;
    const char *name;
    char api[64];
};

static bool is_number(const popops_operand *operand)
{
    return operand->value_type != POP_TYPE_NULL;
}
/* The third operand of select is a bool whatever the others are. */
static bool is_condition(const struct request *request, int operand)
{
    return request->arity == 3 && request->op == POPOPS_TERNARY_SELECT && operand == 2;
}

static const char *types_text(char *buffer, size_t size, unsigned types)
{
    size_t length = 0;
    *buffer = 0;
    for (pop_type type = POP_BOOL; type < POP_TYPE_COUNT; ++type)
        if (types >> type & 1 && length < size)
            length += (size_t)snprintf(buffer + length, size - length, "%s%s", length ? ", " : "", pop_type_name(type));
    return buffer;
}

/* The type of the tensors, which must have one. */
static bool find_type(const struct request *request, const struct operator_info *info, pop_type *type)
{
    char texts[192];
    *type = POP_TYPE_NULL;
    for (int i = 0; i < request->arity; ++i) {
        pop_type seen = pop_tensor_type(request->operands[i].tensor);
        if (is_number(&request->operands[i]))
            continue;
        if (!pop_tensor_valid(request->operands[i].tensor))
            return poplibs_fail(request->graph, POP_POPLAR_ERROR, request->where, request->api, "operand %d is a null tensor", i + 1);
        if (is_condition(request, i) && seen != POP_BOOL)
            return poplibs_fail(request->graph, POP_TYPE_ERROR, request->where, request->api, "the condition is %s, not bool", pop_type_name(seen));
        if (is_condition(request, i))
            continue;
        if (*type != POP_TYPE_NULL && seen != *type)
            return poplibs_fail(request->graph, POP_TYPE_ERROR, request->where, request->api, "operands are %s and %s: they must have one type",
                                pop_type_name(*type), pop_type_name(seen));
        *type = seen;
    }
    if (*type == POP_TYPE_NULL)
        return poplibs_fail(request->graph, POP_TYPE_ERROR, request->where, request->api, "no operand is a tensor: nothing says the type");
    if (!operator_takes(info, *type))
        return poplibs_fail(request->graph, POP_TYPE_ERROR, request->where, request->api, "operands are %s; allowed are %s", pop_type_name(*type),
                            types_text(texts, sizeof(texts), info->types));
    return true;
}

/* A number as a tensor of one element, on the first tile. */
static pop_tensor constant_of(const struct request *request, const popops_operand *operand, pop_type type)
{
    pop_tensor constant = { 0 };
    double real = operand->value.real;
    if (operand->value_type == POP_DOUBLE && !pop_type_is_floating_point(type) && !(real >= -0x1p63 && real < 0x1p64 && real == __builtin_trunc(real))) {
        poplibs_fail(request->graph, POP_TYPE_ERROR, request->where, request->api, "the number %g has no value as %s, which the tensors are", real,
                     pop_type_name(type));
        return constant;
    }
    constant = pop_graph_add_constant_fill_at(request->where, request->graph, type, POP_SHAPE(), operand->value_type, &operand->value, request->name);
    pop_graph_set_tile_mapping_at(request->where, request->graph, constant, 0);
    return constant;
}

/* An output that is to be written must be the operation's own. */
static bool check_output(const struct request *request, pop_tensor out, pop_tensor shaped, pop_type type)
{
    char have[128], want[128];
    if (!pop_tensor_valid(out))
        return poplibs_fail(request->graph, POP_POPLAR_ERROR, request->where, request->api, "the output is a null tensor");
    if (pop_tensor_type(out) != type)
        return poplibs_fail(request->graph, POP_TYPE_ERROR, request->where, request->api, "the output is %s, the result %s",
                            pop_type_name(pop_tensor_type(out)), pop_type_name(type));
    if (!same_shape(out, shaped)) {
        pop_tensor_shape_to_string(out, have, sizeof(have));
        pop_tensor_shape_to_string(shaped, want, sizeof(want));
        return poplibs_fail(request->graph, POP_POPLAR_ERROR, request->where, request->api, "the output has shape %s, the result %s", have, want);
    }
    if (!pop_tensor_is_parallel_writeable(out))
        return poplibs_fail(request->graph, POP_POPLAR_ERROR, request->where, request->api,
                            "the output cannot be written: it holds an element twice, or a constant");
    return true;
}

/* "SHIFT_LEFT" as "ShiftLeft", which names the compute set. */
static void debug_name(char *name, size_t size, const char *prefix, const char *constant)
{
    char word[48];
    size_t length = 0;
    for (const char *at = constant; *at && length + 1 < sizeof(word); ++at)
        if (*at != '_')
            word[length++] = (char)(at == constant || at[-1] == '_' || *at < 'A' ? *at : *at - 'A' + 'a');
    word[length] = 0;
    snprintf(name, size, "%s%sOp/%s", prefix ? prefix : "", prefix && *prefix ? "/" : "", word);
}

/* Some operand would be read where the output is written already. */
static bool needs_own_output(const struct element_wise *call)
{
    for (int i = call->in_place; i < call->arity; ++i)
        if (pop_tensor_intersects(call->in[i], call->out) && !pop_tensor_equal(call->in[i], call->out))
            return true;
    return false;
}

static void run(struct element_wise *call, const struct request *request)
{
    char name[256];
    pop_tensor wanted = call->out;
    bool own = needs_own_output(call);
    if (own) {
        call->out = pop_graph_clone_at(call->where, call->graph, pop_tensor_type(wanted), wanted, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, request->name);
        call->in_place = false;
    }
    debug_name(name, sizeof(name), request->name, call->info->constant);
    pop_compute_set set = pop_graph_add_compute_set_at(call->where, call->graph, name);
    element_wise_vertices(call, set);
    pop_sequence_add_at(call->where, request->sequence, pop_execute_at(call->where, set, request->name));
    if (own)
        pop_sequence_add_at(call->where, request->sequence, pop_copy_at(call->where, call->out, wanted, false, request->name));
}

/* Checks, and does it; gives the output. */
static pop_tensor serve(struct request *request)
{
    pop_tensor none = { 0 }, given[ELEMENT_WISE_OPERANDS];
    const struct operator_info *info = operator_of(request->arity, request->op);
    struct element_wise call = { .where = request->where, .graph = request->graph, .info = info, .arity = request->arity };
    snprintf(request->api, sizeof(request->api), "popops_%s%s", info->name, request->form);
    if (!poplibs_ready(request->graph) || !find_type(request, info, &call.type))
        return none;
    for (int i = 0; i < call.arity; ++i)
        given[i] = call.in[i] = is_number(&request->operands[i]) ? constant_of(request, &request->operands[i], is_condition(request, i) ? POP_BOOL : call.type)
                                                                 : request->operands[i].tensor;
    pop_type result = operator_result(info, call.type);
    if (pop_graph_error(request->graph) || !match_shapes(request->where, request->graph, request->api, call.in, (size_t)call.arity))
        return none;
    call.in_place = strcmp(request->form, "_in_place") == 0;
    if (*request->form) {
        call.out = call.in_place ? given[0] : request->out;
        if (!check_output(request, call.out, call.in[0], result))
            return none;
        call.in_place |= result == call.type && pop_tensor_equal(call.in[0], call.out);
    } else {
        call.out = output_like(request->where, request->graph, (pop_tensors){ (size_t)call.arity, given }, call.in[0], result, request->name);
    }
    size_t elements = pop_tensor_num_elements(call.out);
    for (int i = 0; i < call.arity; ++i)
        if (elements > 1 && pop_tensor_num_elements(given[i]) == 1) {
            call.scalar[i] = true;
            call.in[i] = given[i];
        }
    if (elements && !pop_graph_error(request->graph))
        run(&call, request);
    return call.out;
}

pop_tensor popops_unary_at(pop_where where, popops_unary_op op, pop_graph *graph, pop_tensor a, pop_program sequence, const char *name)
{
    return serve(&(struct request){ where, graph, "", 1, op, { popops_operand_of_tensor(a) }, { 0 }, sequence, name, "" });
}
void popops_unary_in_place_at(pop_where where, popops_unary_op op, pop_graph *graph, pop_tensor a, pop_program sequence, const char *name)
{
    serve(&(struct request){ where, graph, "_in_place", 1, op, { popops_operand_of_tensor(a) }, { 0 }, sequence, name, "" });
}
void popops_unary_with_output_at(pop_where where, popops_unary_op op, pop_graph *graph, pop_tensor a, pop_tensor out, pop_program sequence,
                                 const char *name)
{
    serve(&(struct request){ where, graph, "_with_output", 1, op, { popops_operand_of_tensor(a) }, out, sequence, name, "" });
}
pop_tensor popops_binary_at(pop_where where, popops_binary_op op, pop_graph *graph, popops_operand a, popops_operand b, pop_program sequence,
                            const char *name)
{
    return serve(&(struct request){ where, graph, "", 2, op, { a, b }, { 0 }, sequence, name, "" });
}
void popops_binary_in_place_at(pop_where where, popops_binary_op op, pop_graph *graph, popops_operand a, popops_operand b, pop_program sequence,
                               const char *name)
{
    serve(&(struct request){ where, graph, "_in_place", 2, op, { a, b }, { 0 }, sequence, name, "" });
}
void popops_binary_with_output_at(pop_where where, popops_binary_op op, pop_graph *graph, popops_operand a, popops_operand b, pop_tensor out,
                                  pop_program sequence, const char *name)
{
    serve(&(struct request){ where, graph, "_with_output", 2, op, { a, b }, out, sequence, name, "" });
}
pop_tensor popops_ternary_at(pop_where where, popops_ternary_op op, pop_graph *graph, popops_operand a, popops_operand b, popops_operand c,
                             pop_program sequence, const char *name)
{
    return serve(&(struct request){ where, graph, "", 3, op, { a, b, c }, { 0 }, sequence, name, "" });
}
void popops_ternary_in_place_at(pop_where where, popops_ternary_op op, pop_graph *graph, popops_operand a, popops_operand b, popops_operand c,
                                pop_program sequence, const char *name)
{
    serve(&(struct request){ where, graph, "_in_place", 3, op, { a, b, c }, { 0 }, sequence, name, "" });
}
void popops_ternary_with_output_at(pop_where where, popops_ternary_op op, pop_graph *graph, popops_operand a, popops_operand b, popops_operand c,
                                   pop_tensor out, pop_program sequence, const char *name)
{
    serve(&(struct request){ where, graph, "_with_output", 3, op, { a, b, c }, out, sequence, name, "" });
}
