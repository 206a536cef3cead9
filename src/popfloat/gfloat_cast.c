/* SPDX-License-Identifier: Apache-2.0 */
/* Casts to custom floats and back: one vertex for each region of a tile. */
#include "poplibs/log.h"
#include "poplibs/tiles.h"

#include <popfloat/gfloat.h>
#include <popops/cast.h>

static const pop_tensor none;

/* ---- parameters ---- */

static pop_tensor params_in(const struct call *call, pop_type calculation, pop_tensor packed, pop_compute_set set)
{
    if (!call_ready(call) || !call_takes(call, "the packed parameters", packed))
        return none;
    if ((pop_tensor_type(packed) != POP_INT && pop_tensor_type(packed) != POP_UNSIGNED_INT) ||
        pop_tensor_num_elements(packed) != 1) {
        call_fail(call, POP_TYPE_ERROR, "the packed parameters are %zu elements of type %s; they must be one of int",
                  pop_tensor_num_elements(packed), pop_type_name(pop_tensor_type(packed)));
        return none;
    }
    pop_tensor params = pop_graph_add_variable(call->graph, POP_INT, POP_SHAPE(POPFLOAT_PARAMS),
                                               call_path(call, call->name, "gfParams"));
    pop_graph_set_tile_mapping(call->graph, params, 0);
    pop_vertex vertex = call_vertex(call, set,
                                    calculation == POP_HALF ? "popfloat::experimental::CastToGfloat16Param"
                                                            : "popfloat::experimental::CastToGfloat32Param",
                                    0);
    call_connect(call, vertex, "packed", pop_tensor_reinterpret(pop_tensor_reshape(packed, POP_SHAPE()), POP_INT));
    call_connect(call, vertex, "params", params);
    return params;
}
static pop_tensor constant_of(const struct call *call, uint32_t packed)
{
    if (!call_ready(call))
        return none;
    pop_tensor t = pop_graph_add_constant(call->graph, POP_INT, POP_SHAPE(), POP_UNSIGNED_INT, &packed,
                                          call_path(call, call->name, "gfPacked"));
    pop_graph_set_tile_mapping(call->graph, t, 0);
    return t;
}
static pop_compute_set new_set(const struct call *call, const char *name)
{
    return call_ready(call) ? pop_graph_add_compute_set(call->graph, call_path(call, call->name, name))
                            : (pop_compute_set){ 0 };
}

pop_tensor popfloat_create_params_of_in_at(pop_where where, pop_graph *graph, pop_type calculation, pop_tensor packed,
                                           pop_compute_set set, const char *name)
{
    POPLIBS_CALL(graph, log_type(calculation), packed, name);
    return params_in(call, calculation, packed, set);
}
pop_tensor popfloat_create_params_of_at(pop_where where, pop_graph *graph, pop_type calculation, pop_tensor packed,
                                        pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, log_type(calculation), packed, name);
    pop_compute_set set = new_set(call, "CastOpParams");
    pop_tensor params = params_in(call, calculation, packed, set);
    if (call_ready(call))
        call_execute(call, set, name);
    return params;
}
pop_tensor popfloat_create_params_in_at(pop_where where, pop_graph *graph, pop_type calculation, uint32_t packed,
                                        pop_compute_set set, const char *name)
{
    POPLIBS_CALL(graph, log_type(calculation), packed, name);
    return params_in(call, calculation, constant_of(call, packed), set);
}
pop_tensor popfloat_create_params_at(pop_where where, pop_graph *graph, pop_type calculation, uint32_t packed,
                                     pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, log_type(calculation), packed, name);
    pop_compute_set set = new_set(call, "CastOpParams");
    pop_tensor params = params_in(call, calculation, constant_of(call, packed), set);
    if (call_ready(call))
        call_execute(call, set, name);
    return params;
}

/* ---- casts ---- */

struct gfloat_cast {
    const struct call *call;
    const popfloat_cast *cast;
    pop_compute_set set;
    pop_tensor in, out, params; /* in and out are flat; out is null for a cast in place */
    bool unpacks;
    unsigned vertices;
};

static void set_rounding(const struct gfloat_cast *g, pop_vertex vertex, unsigned tile)
{
    const struct call *call = g->call;
    const popfloat_rounding *r = &g->cast->rounding;
    unsigned zero = 0;
    pop_tensor runs =
        pop_graph_add_variable(call->graph, POP_UNSIGNED_INT, POP_SHAPE(), call_path(call, call->name, "gfRuns"));
    pop_graph_set_tile_mapping(call->graph, runs, tile);
    pop_graph_set_initial_fill(call->graph, runs, POP_UNSIGNED_INT, &zero);
    call_connect(call, vertex, "runs", runs);
    call_set(call, vertex, "mode", (size_t)r->mode);
    call_set(call, vertex, "density", (size_t)r->density);
    call_set(call, vertex, "srBits", r->sr_bits);
    call_set(call, vertex, "nanoo", r->nanoo);
    call_set(call, vertex, "stream", g->vertices);
    pop_graph_set_field_double(call->graph, vertex, "offset", (double)r->offset);
    pop_graph_set_field_double(call->graph, vertex, "scale", (double)r->scale);
    pop_graph_set_field_double(call->graph, vertex, "max", (double)r->max);
    pop_graph_set_field_double(call->graph, vertex, "min", (double)r->min);
    pop_graph_set_field_double(call->graph, vertex, "bernoulli", (double)r->bernoulli);
}

static void vertex_name(const struct gfloat_cast *g, char *name, size_t size)
{
    static const char space[] = "popfloat::experimental::";
    unsigned bits = g->cast->calculation == POP_HALF ? 16 : 32;
    if (g->unpacks)
        snprintf(name, size, "%s%sSupervisor<%s>", space,
                 pop_tensor_type(g->in) == POP_SHORT ? "CastGf16ToFloat" : "CastGf8ToHalf",
                 pop_type_name(pop_tensor_type(g->out)));
    else if (pop_tensor_valid(g->out))
        snprintf(name, size, "%sCastToGfloat%uSupervisor<%s,%s>", space, bits, pop_type_name(pop_tensor_type(g->in)),
                 pop_type_name(pop_tensor_type(g->out)));
    else
        snprintf(name, size, "%sCastToGfloat%uInPlaceSupervisor<%s>", space, bits,
                 pop_type_name(pop_tensor_type(g->in)));
}

static void cast_tile(const struct call *call, const struct poplibs_tile *tile, void *user)
{
    struct gfloat_cast *g = user;
    char name[120];
    vertex_name(g, name, sizeof(name));
    for (size_t i = 0; i < tile->regions->count; ++i, ++g->vertices) {
        pop_vertex vertex = call_vertex(call, g->set, name, tile->tile);
        call_connect(call, vertex, "in", call_slice_of_list(call, g->in, tile->regions, i));
        if (pop_tensor_valid(g->out))
            call_connect(call, vertex, "out", call_slice_of_list(call, g->out, tile->regions, i));
        call_connect(call, vertex, "params", g->params);
        if (g->unpacks)
            call_set(call, vertex, "format", (size_t)g->cast->type);
        else
            set_rounding(g, vertex, tile->tile);
    }
}

static bool check(const struct call *call, pop_tensor in, pop_tensor params, const popfloat_cast *cast)
{
    if (!call_ready(call) || !call_takes(call, "the tensor", in) || !call_takes(call, "the parameters", params))
        return false;
    if (!cast)
        return call_fail(call, POP_POPLAR_ERROR, "the cast is NULL");
    if (pop_tensor_type(params) != POP_INT || pop_tensor_num_elements(params) != POPFLOAT_PARAMS)
        return call_fail(call, POP_TYPE_ERROR,
                         "the parameters are %zu elements of type %s; popfloat_create_params makes %d of int",
                         pop_tensor_num_elements(params), pop_type_name(pop_tensor_type(params)), POPFLOAT_PARAMS);
    return true;
}
static bool check_native(const struct call *call, pop_tensor in, const popfloat_cast *cast)
{
    pop_type type = pop_tensor_type(in);
    if (type != POP_FLOAT && type != POP_HALF)
        return call_fail(call, POP_TYPE_ERROR, "the tensor is %s; it must be float or half", pop_type_name(type));
    if (cast->rounding.mode <= POPFLOAT_ROUND_INV || cast->rounding.mode >= POPFLOAT_ROUNDS)
        return call_fail(call, POP_POPLAR_ERROR, "rounding mode %d: there are RZ (1) to SX (7)",
                         (int)cast->rounding.mode);
    if (cast->rounding.mode == POPFLOAT_ROUND_SX &&
        (cast->rounding.density <= POPFLOAT_DENSITY_INVALID || cast->rounding.density >= POPFLOAT_DENSITIES))
        return call_fail(call, POP_POPLAR_ERROR, "density %d: there are UNIFORM (1) to TRUNCATED_LOGIT_NORMAL (10)",
                         (int)cast->rounding.density);
    return true;
}

static void add_vertices(const struct call *call, const popfloat_cast *cast, pop_tensor in, pop_tensor out,
                         pop_tensor params, pop_compute_set set, bool unpacks)
{
    struct gfloat_cast g = { call, cast, set, pop_tensor_flatten(in), { 0 }, pop_tensor_flatten(params), unpacks, 0 };
    if (pop_tensor_valid(out))
        g.out = pop_tensor_flatten(out);
    pop_mark mark = pop_graph_mark(call->graph);
    call_for_each_tile(call, pop_tensor_valid(out) ? g.out : g.in, cast_tile, &g);
    pop_graph_release(call->graph, mark);
}

static pop_tensor new_output(const struct call *call, pop_tensor in, pop_type type, const char *name)
{
    return pop_graph_clone(call->graph, type, in, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES,
                           call_path(call, call->name, name));
}

static pop_tensor to_gfloat(const struct call *call, pop_tensor in, pop_tensor params, const popfloat_cast *cast,
                            pop_compute_set set)
{
    if (!check(call, in, params, cast) || !check_native(call, in, cast))
        return none;
    pop_tensor out = new_output(call, in, cast->storage, "castToGf");
    if (call_ready(call))
        add_vertices(call, cast, in, out, params, set, false);
    return out;
}
static void in_place(const struct call *call, pop_tensor in, pop_tensor params, const popfloat_cast *cast,
                     pop_compute_set set)
{
    if (!check(call, in, params, cast) || !check_native(call, in, cast))
        return;
    if (call_takes_writeable(call, "the tensor", in))
        add_vertices(call, cast, in, none, params, set, false);
}
static pop_tensor to_native(const struct call *call, pop_tensor in, pop_tensor params, const popfloat_cast *cast,
                            pop_compute_set set)
{
    if (!check(call, in, params, cast))
        return none;
    pop_type type = pop_tensor_type(in);
    if (type == POP_HALF || type == POP_FLOAT)
        return popops_cast_in(call->graph, in, cast->native, set, call->name);
    if (type != POP_SIGNED_CHAR && type != POP_SHORT) {
        call_fail(call, POP_TYPE_ERROR, "the tensor is %s; custom floats are in signed char, short, half or float",
                  pop_type_name(type));
        return none;
    }
    pop_tensor out = new_output(call, in, cast->native, "castToNative");
    if (call_ready(call))
        add_vertices(call, cast, in, out, params, set, true);
    return out;
}

typedef pop_tensor cast_function(const struct call *call, pop_tensor in, pop_tensor params, const popfloat_cast *cast,
                                 pop_compute_set set);
/* A cast in a compute set of its own. */
static pop_tensor in_sequence(const struct call *call, cast_function *does, pop_tensor in, pop_tensor params,
                              const popfloat_cast *cast)
{
    pop_compute_set set = new_set(call, "CastGfloat");
    pop_tensor out = does(call, in, params, cast, set);
    if (call_ready(call))
        call_execute(call, set, call->name);
    return out;
}

pop_tensor popfloat_cast_native_to_gfloat_in_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor params,
                                                const popfloat_cast *cast, pop_compute_set set, const char *name)
{
    POPLIBS_CALL(graph, in, params, name);
    return to_gfloat(call, in, params, cast, set);
}
pop_tensor popfloat_cast_native_to_gfloat_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor params,
                                             const popfloat_cast *cast, pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, in, params, name);
    return in_sequence(call, to_gfloat, in, params, cast);
}
pop_tensor popfloat_cast_gfloat_to_native_in_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor params,
                                                const popfloat_cast *cast, pop_compute_set set, const char *name)
{
    POPLIBS_CALL(graph, in, params, name);
    return to_native(call, in, params, cast, set);
}
pop_tensor popfloat_cast_gfloat_to_native_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor params,
                                             const popfloat_cast *cast, pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, in, params, name);
    return in_sequence(call, to_native, in, params, cast);
}

void popfloat_cast_native_to_gfloat_in_place_in_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor params,
                                                   const popfloat_cast *cast, pop_compute_set set, const char *name)
{
    POPLIBS_CALL(graph, in, params, name);
    in_place(call, in, params, cast, set);
}
void popfloat_cast_native_to_gfloat_in_place_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor params,
                                                const popfloat_cast *cast, pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, in, params, name);
    pop_compute_set set = new_set(call, "CastGfloat");
    in_place(call, in, params, cast, set);
    if (call_ready(call))
        call_execute(call, set, name);
}
