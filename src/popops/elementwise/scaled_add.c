/* SPDX-License-Identifier: Apache-2.0 */
/* A tile whose share is one region of memory gets one vertex; other tiles get one for each worker, with several
 * regions. */
#include "poplibs/cpu_parts.h"
#include "poplibs/elements.h"
#include "poplibs/log.h"
#include "poplibs/options.h"
#include "poplibs/tiles.h"

#include <popops/cast.h>
#include <popops/element_wise.h>
#include <popops/scaled_add.h>

/* A factor: a tensor of rank 0, or a constant if the tensor is null. */
struct factor {
    pop_tensor tensor;
    double value;
};
struct scaled_options {
    bool apart;
    double tolerance;
};

/* What becomes of a and b, and the vertices that compute it. */
enum scaled_kind { A_PLUS_SB, A_MINUS_SB, SA_PLUS_SB, SA_MINUS_SB, A_MINUS_SA_PLUS_SB };
static const char *const vertices[] = { [A_PLUS_SB] = "ScaledAdd",
                                        [A_MINUS_SB] = "ScaledSubtract",
                                        [SA_PLUS_SB] = "aXPlusbY",
                                        [SA_MINUS_SB] = "aXMinusbY",
                                        [A_MINUS_SA_PLUS_SB] = "XMinusaXPlusbY" };

struct scaled {
    const struct call *call;
    struct scaled_options options;
    enum scaled_kind kind;
    bool both, constant;
    pop_compute_set set;
    pop_tensor a, b; /* flat */
    struct factor scale_a, scale_b;
    pop_type scale;
};

/* ---- vertices ---- */

static void set_factor(const struct scaled *s, pop_vertex vertex, const char *field, const struct factor *factor)
{
    const struct call *call = s->call;
    if (!s->constant)
        call_connect(call, vertex, field, factor->tensor);
    else if (pop_type_is_floating_point(s->scale))
        pop_graph_set_field_double(call->graph, vertex, field, factor->value);
    else
        pop_graph_set_field_int(call->graph, vertex, field,
                                s->scale == POP_INT ? (int32_t)factor->value
                                                    : (int64_t)(uint32_t)(int64_t)factor->value);
}

static pop_vertex add_vertex(const struct scaled *s, const char *form, unsigned tile)
{
    const struct call *call = s->call;
    char name[128];
    const char *data = pop_type_name(pop_tensor_type(s->a)), *delta = pop_type_name(pop_tensor_type(s->b)),
               *scale = pop_type_name(s->scale);
    const char *constant = s->constant ? "true" : "false";
    if (s->both)
        snprintf(name, sizeof(name), "popops::%s%s<%s,%s,%s,false>", vertices[s->kind], form, data, scale, constant);
    else if (s->kind == A_PLUS_SB)
        snprintf(name, sizeof(name), "popops::%s%s<%s,%s,%s,%s,%s>", vertices[s->kind], form, data, delta, scale,
                 constant, s->options.apart ? "true" : "false");
    else
        snprintf(name, sizeof(name), "popops::%s%s<%s,%s,%s,false>", vertices[s->kind], form, data, delta, scale);
    pop_vertex vertex = call_vertex(call, s->set, name, tile);
    if (s->both)
        set_factor(s, vertex, "scaleA", &s->scale_a);
    set_factor(s, vertex, "scaleB", &s->scale_b);
    return vertex;
}

static void add_run(const struct scaled *s, const pop_interval_lists *regions, size_t list, unsigned tile)
{
    const struct call *call = s->call;
    pop_vertex vertex = add_vertex(s, "Supervisor", tile);
    call_connect(call, vertex, "A", call_slice_of_list(call, s->a, regions, list));
    call_connect(call, vertex, "B", call_slice_of_list(call, s->b, regions, list));
}

static void add_regions(const struct call *call, const struct poplibs_tile *tile, void *user)
{
    const struct scaled *s = user;
    const pop_target *target = pop_graph_target(call->graph);
    bool cpu = target->type == POP_TARGET_CPU;
    unsigned grain = pop_target_vector_width(target, pop_tensor_type(s->a));
    if (tile->regions->count == 1 && !cpu) {
        add_run(s, tile->regions, 0, tile->tile);
        return;
    }
    poputil_partitions parts;
    poplibs_split_tile(target, tile->regions, grain, 2 * grain, &parts);
    for (size_t i = 0; i < parts.count; ++i) {
        size_t first = parts.first[i], count = parts.first[i + 1] - first;
        if (cpu && count == 1) {
            add_run(s, &parts.regions, first, tile->tile);
            continue;
        }
        pop_vertex vertex = add_vertex(s, "2D", tile->tile);
        call_connect_rows(call, vertex, "A", s->a, &parts.regions, first, count);
        call_connect_rows(call, vertex, "B", s->b, &parts.regions, first, count);
    }
    poputil_partitions_free(&parts);
}

/* ---- checks ---- */

static bool check_operands(const struct scaled *s)
{
    const struct call *call = s->call;
    pop_type type = pop_tensor_type(s->a);
    char text[2][128];
    if (!call_takes(call, "a", s->a) || !call_takes(call, "b", s->b))
        return false;
    if (!poplibs_shapes_equal(s->a, s->b))
        return call_fail(call, POP_POPLAR_ERROR, "shapes %s and %s differ",
                         poplibs_shape_of(text[0], sizeof(text[0]), s->a),
                         poplibs_shape_of(text[1], sizeof(text[1]), s->b));
    if (type != POP_HALF && type != POP_FLOAT && type != POP_INT && type != POP_UNSIGNED_INT)
        return call_fail(call, POP_TYPE_ERROR, "a is %s; half, float, int or unsigned int is needed",
                         pop_type_name(type));
    return call_takes_writeable(call, "a", s->a);
}

static bool check_factor(const struct scaled *s, const struct factor *factor)
{
    pop_type type = pop_tensor_type(factor->tensor), data = pop_tensor_type(s->a);
    if (s->constant)
        return true;
    if (!call_takes_scale(s->call, "a factor", factor->tensor))
        return false;
    if (pop_tensor_num_elements(factor->tensor) != 1)
        return call_fail(s->call, POP_POPLAR_ERROR, "a factor has %zu elements; it must have one",
                         pop_tensor_num_elements(factor->tensor));
    if (pop_type_is_floating_point(data) ? !pop_type_is_floating_point(type) : type != data)
        return call_fail(s->call, POP_TYPE_ERROR, "a factor is %s; for %s tensors it must be %s", pop_type_name(type),
                         pop_type_name(data), pop_type_is_floating_point(data) ? "half or float" : pop_type_name(data));
    return true;
}

static bool parse(struct scaled *s, pop_options given)
{
    static const struct poplibs_option table[] = {
#define SCALED_OPTION(...) POPLIBS_ROW(struct scaled_options, __VA_ARGS__)
#include "poplibs/options.def"
    };
    return call_read_options(s->call, given, table, sizeof(table) / sizeof(table[0]), &s->options);
}

/* ---- types of factors ---- */

static bool fits_half(const struct scaled *s, const struct factor *factor)
{
    return poputil_check_accuracy_when_cast(pop_graph_target(s->call->graph), factor->value, POP_FLOAT, POP_HALF,
                                            s->options.tolerance);
}
static void factor_as(struct scaled *s, struct factor *factor, pop_type type)
{
    const struct call *call = s->call;
    factor->tensor = pop_tensor_reshape(factor->tensor, POP_SHAPE());
    if (pop_tensor_type(factor->tensor) != type)
        factor->tensor = popops_cast(call->graph, factor->tensor, type, call->sequence, call->name);
}

/* Factors of half tensors are half if all of them are half, or constants that half represents within the tolerance. */
static void choose_scale(struct scaled *s)
{
    pop_type data = pop_tensor_type(s->a), delta = pop_tensor_type(s->b);
    bool half = data == POP_HALF || delta == POP_HALF;
    if (s->constant)
        half = data == POP_HALF && delta == POP_HALF && fits_half(s, &s->scale_b) &&
               (!s->both || fits_half(s, &s->scale_a));
    else
        half = half && pop_tensor_type(s->scale_b.tensor) == POP_HALF &&
               (!s->both || pop_tensor_type(s->scale_a.tensor) == POP_HALF);
    s->scale = !pop_type_is_floating_point(data) ? data : half ? POP_HALF : POP_FLOAT;
    if (s->constant)
        return;
    factor_as(s, &s->scale_b, s->scale);
    if (s->both)
        factor_as(s, &s->scale_a, s->scale);
}

/* An operand that overlaps a in another order is copied before a is written. */
static pop_tensor apart(const struct scaled *s, pop_tensor t)
{
    const struct call *call = s->call;
    if (!pop_tensor_valid(t) || pop_tensor_equal(t, s->a) || !pop_tensor_intersects(t, s->a))
        return t;
    pop_tensor copy =
        pop_graph_clone(call->graph, POP_TYPE_NULL, t, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, call->name);
    call_copy(call, t, copy, call->name);
    return copy;
}

/* There are no vertices for integers with two factors, so a is multiplied first. */
static void scale_a_first(struct scaled *s)
{
    const struct call *call = s->call;
    bool subtract = s->kind == SA_MINUS_SB, mix = s->kind == A_MINUS_SA_PLUS_SB;
    popops_operand factor =
        s->constant ? popops_operand_of_int((long long)s->scale_a.value) : popops_operand_of_tensor(s->scale_a.tensor);
    if (mix && !s->constant)
        factor =
            popops_operand_of_tensor(popops_binary_at(call->where, POPOPS_BINARY_SUBTRACT, call->graph,
                                                      popops_operand_of_int(1), factor, call->sequence, call->name));
    call_binary_in_place(call, POPOPS_BINARY_MULTIPLY, s->a, factor, call->name);
    s->both = false;
    s->kind = subtract ? A_MINUS_SB : A_PLUS_SB;
}

/* There are vertices for half and float together, if only b has a factor, but for no other different types. */
static bool needs_cast(const struct scaled *s)
{
    pop_type a = pop_tensor_type(s->a), b = pop_tensor_type(s->b);
    return a != b && (s->both || !pop_type_is_floating_point(a) || !pop_type_is_floating_point(b));
}

static void build(struct scaled *s)
{
    const struct call *call = s->call;
    if (!call_ready(call) || !check_operands(s) || !check_factor(s, &s->scale_b) ||
        (s->both && !check_factor(s, &s->scale_a)) || !parse(s, call->options))
        return;
    if (needs_cast(s))
        s->b = popops_cast(call->graph, s->b, pop_tensor_type(s->a), call->sequence, call->name);
    s->b = apart(s, s->b);
    s->scale_a.tensor = apart(s, s->scale_a.tensor);
    s->scale_b.tensor = apart(s, s->scale_b.tensor);
    if (s->both && !pop_type_is_floating_point(pop_tensor_type(s->a)))
        scale_a_first(s);
    choose_scale(s);
    s->options.apart =
        s->options.apart && pop_type_is_floating_point(s->scale) && pop_tensor_type(s->a) == pop_tensor_type(s->b);
    s->a = pop_tensor_flatten(s->a);
    s->b = pop_tensor_flatten(s->b);
    s->set = pop_graph_add_compute_set(call->graph, call_path(call, call->name, "AddTo"));
    pop_mark mark = pop_graph_mark(call->graph);
    pop_graph_reorder_to_simplify(call->graph, &s->a, (pop_tensor *[]){ &s->b }, 1, false);
    call_for_each_tile(call, s->a, add_regions, s);
    pop_graph_release(call->graph, mark);
    call_execute(call, s->set, call->name);
}

/* ---- calls ---- */

#define SCALED(what, ...)                                                                                              \
    (struct scaled)                                                                                                    \
    {                                                                                                                  \
        .call = call, .kind = what, .a = a, .b = b, __VA_ARGS__                                                        \
    }

void popops_scaled_add_to_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor b, pop_tensor scale,
                             pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, a, b, scale, name, options);
    build(&SCALED(A_PLUS_SB, .scale_b = { scale, 0 }));
}
void popops_scaled_add_to_constant_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor b, double scale,
                                      pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, a, b, scale, name, options);
    build(&SCALED(A_PLUS_SB, .scale_b = { .value = scale }, .constant = true));
}
void popops_scaled_subtract_from_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor b, pop_tensor scale,
                                    pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, a, b, scale, name, options);
    build(&SCALED(A_MINUS_SB, .scale_b = { scale, 0 }));
}
void popops_scaled_subtract_from_constant_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor b,
                                             double scale, pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, a, b, scale, name, options);
    build(&SCALED(A_PLUS_SB, .scale_b = { .value = -scale }, .constant = true));
}

static bool known(const struct call *call, popops_scaled_add_specialisation specialisation)
{
    if (specialisation == POPOPS_SCALED_ADD_DEFAULT || specialisation == POPOPS_X_MINUS_AX_PLUS_BY)
        return call_ready(call);
    return call_ready(call) && call_fail(call, POP_POPLAR_ERROR, "%d is not a specialisation", (int)specialisation);
}

void popops_scaled_add_both_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor scale_a, pop_tensor b,
                               pop_tensor scale_b, pop_program sequence,
                               popops_scaled_add_specialisation specialisation, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, a, scale_a, b, scale_b, name, options);
    enum scaled_kind kind = specialisation == POPOPS_X_MINUS_AX_PLUS_BY ? A_MINUS_SA_PLUS_SB : SA_PLUS_SB;
    if (known(call, specialisation))
        build(&SCALED(kind, .both = true, .scale_a = { scale_a, 0 }, .scale_b = { scale_b, 0 }));
}

/* With a factor of 1 for a, only b needs a factor. */
static void both_constants(struct scaled *s)
{
    if (s->scale_a.value == 1) {
        s->kind = A_PLUS_SB;
        s->both = false;
    }
    build(s);
}

void popops_scaled_add_both_constant_at(pop_where where, pop_graph *graph, pop_tensor a, double scale_a, pop_tensor b,
                                        double scale_b, pop_program sequence,
                                        popops_scaled_add_specialisation specialisation, const char *name,
                                        pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, a, scale_a, b, scale_b, name, options);
    double x = specialisation == POPOPS_X_MINUS_AX_PLUS_BY ? 1 - scale_a : scale_a;
    if (known(call, specialisation))
        both_constants(&SCALED(SA_PLUS_SB, .both = true, .constant = true, .scale_a = { .value = x },
                               .scale_b = { .value = scale_b }));
}
void popops_scaled_subtract_both_at(pop_where where, pop_graph *graph, pop_tensor a, pop_tensor scale_a, pop_tensor b,
                                    pop_tensor scale_b, pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, a, scale_a, b, scale_b, name, options);
    build(&SCALED(SA_MINUS_SB, .both = true, .scale_a = { scale_a, 0 }, .scale_b = { scale_b, 0 }));
}
void popops_scaled_subtract_both_constant_at(pop_where where, pop_graph *graph, pop_tensor a, double scale_a,
                                             pop_tensor b, double scale_b, pop_program sequence, const char *name,
                                             pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, a, scale_a, b, scale_b, name, options);
    both_constants(&SCALED(SA_PLUS_SB, .both = true, .constant = true, .scale_a = { .value = scale_a },
                           .scale_b = { .value = -scale_b }));
}
