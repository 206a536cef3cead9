/* SPDX-License-Identifier: Apache-2.0 */
/* A tile whose share is one region of memory gets one vertex; other tiles get one for each worker, with several
 * regions. */
#include "poplibs/cpu_parts.h"
#include "poplibs/log.h"
#include "poplibs/tiles.h"

#include <poplar/metadata.h>
#include <popops/cast.h>
#include <popops/fill.h>

struct cast {
    const struct call *call;
    pop_compute_set set;
    pop_type from, to;                    /* as vertices are named */
    pop_tensor in, out;                   /* flat; those of QUARTER are bytes */
    pop_tensor in_metadata, out_metadata; /* of QUARTER; as bytes */
    bool common; /* the types are in CAST_MAIN_TYPES or one is QUARTER: vertices take whole tiles or several regions */
};

static pop_vertex add_vertex(const struct cast *cast, const char *kind, unsigned tile)
{
    const struct call *call = cast->call;
    char name[96];
    snprintf(name, sizeof(name), "popops::%s<%s,%s>", kind, pop_type_name(cast->from), pop_type_name(cast->to));
    pop_vertex vertex = call_vertex(call, cast->set, name, tile);
    if (cast->from == POP_QUARTER)
        call_connect(call, vertex, "srcMetadata", cast->in_metadata);
    if (cast->to == POP_QUARTER)
        call_connect(call, vertex, "dstMetadata", cast->out_metadata);
    return vertex;
}

static void cast_run(const struct cast *cast, const char *kind, const pop_interval_lists *regions, size_t list,
                     unsigned tile)
{
    const struct call *call = cast->call;
    pop_vertex vertex = add_vertex(cast, kind, tile);
    call_connect(call, vertex, "src", call_slice_of_list(call, cast->in, regions, list));
    call_connect(call, vertex, "dst", call_slice_of_list(call, cast->out, regions, list));
}

static void cast_regions(const struct call *call, const struct poplibs_tile *tile, void *user)
{
    const struct cast *cast = user;
    const pop_target *target = pop_graph_target(call->graph);
    bool cpu = target->type == POP_TARGET_CPU;
    if (tile->regions->count == 1 && cast->common && !cpu) {
        cast_run(cast, "CastSupervisor", tile->regions, 0, tile->tile);
        return;
    }
    poputil_partitions parts;
    poplibs_split_tile(target, tile->regions, 4, 8, &parts);
    for (size_t i = 0; i < parts.count; ++i) {
        size_t first = parts.first[i], count = parts.first[i + 1] - first;
        if (cast->common && !cpu) {
            pop_vertex vertex = add_vertex(cast, "Cast2d", tile->tile);
            call_connect_rows(call, vertex, "src", cast->in, &parts.regions, first, count);
            call_connect_rows(call, vertex, "dst", cast->out, &parts.regions, first, count);
            continue;
        }
        for (size_t k = 0; k < count; ++k)
            cast_run(cast, cast->common ? "CastSupervisor" : "Cast", &parts.regions, first + k, tile->tile);
    }
    poputil_partitions_free(&parts);
}

/* ---- equivalent pairs of types (cast_types.h) ---- */

static bool is_common(pop_type type)
{
    return type == POP_HALF || type == POP_FLOAT || type == POP_INT || type == POP_UNSIGNED_INT || type == POP_BOOL;
}
static pop_type without_sign(pop_type type)
{
    switch (pop_type_size(type)) {
    case 1:
        return POP_UNSIGNED_CHAR;
    case 2:
        return POP_UNSIGNED_SHORT;
    case 4:
        return POP_UNSIGNED_INT;
    default:
        return POP_UNSIGNED_LONGLONG;
    }
}
static void simplify(pop_type *in, pop_type *out)
{
    if (is_common(*in) && is_common(*out))
        return;
    *in = *in == POP_CHAR ? POP_SIGNED_CHAR : *in == POP_BOOL ? POP_UNSIGNED_CHAR : *in;
    *out = *out == POP_CHAR ? POP_SIGNED_CHAR : *out;
    if (*in == POP_QUARTER || *out == POP_QUARTER)
        return;
    if (!pop_type_is_integral(*in) || !pop_type_is_integral(*out))
        return;
    bool wider = pop_type_size(*out) > pop_type_size(*in);
    if (!wider || *out == POP_BOOL)
        *in = without_sign(*in);
    if (*out != POP_BOOL)
        *out = without_sign(*out);
}

static pop_tensor as_type(const struct call *call, pop_tensor t, pop_type type)
{
    return pop_tensor_type(t) == type ? t : pop_tensor_reinterpret(t, type);
}

/* ---- calls ---- */

/* QUARTER is cast from and to half, float, the types of one byte that are numbers, and itself. */
static bool check_types(const struct call *call, pop_type in, pop_type out)
{
    pop_type other = in == POP_QUARTER ? out : in;
    if ((in != POP_QUARTER && out != POP_QUARTER) || other == POP_QUARTER || other == POP_HALF || other == POP_FLOAT ||
        other == POP_CHAR || other == POP_SIGNED_CHAR || other == POP_UNSIGNED_CHAR)
        return true;
    return call_fail(call, POP_TYPE_ERROR,
                     "casting from %s to %s is not supported: half, float, the types of char and quarter itself are "
                     "cast from and to quarter",
                     pop_type_name(in), pop_type_name(out));
}

static bool check(const struct call *call, pop_tensor in, pop_tensor out)
{
    char text[2][128];
    if (!call_takes(call, "the input", in) || !call_takes(call, "the output", out) ||
        !check_types(call, pop_tensor_type(in), pop_tensor_type(out)))
        return false;
    if (!poplibs_shapes_equal(in, out))
        return call_fail(call, POP_POPLAR_ERROR, "the output has shape %s, the input %s",
                         poplibs_shape_of(text[1], sizeof(text[1]), out),
                         poplibs_shape_of(text[0], sizeof(text[0]), in));
    return call_takes_writeable(call, "the output", out);
}

static void cast_in(const struct call *call, pop_tensor in, pop_tensor out, pop_compute_set set)
{
    pop_type from = pop_tensor_type(in), to = pop_tensor_type(out);
    simplify(&from, &to);
    bool quarter = from == POP_QUARTER || to == POP_QUARTER;
    struct cast cast = { call, set, from, to, .common = quarter || (is_common(from) && is_common(to)) };
    if (from == POP_QUARTER)
        cast.in_metadata = as_type(call, pop_tensor_get_metadata(in), POP_UNSIGNED_CHAR);
    if (to == POP_QUARTER)
        cast.out_metadata = as_type(call, pop_tensor_get_metadata(out), POP_UNSIGNED_CHAR);
    cast.in = pop_tensor_flatten(as_type(call, in, from == POP_QUARTER ? POP_UNSIGNED_CHAR : from));
    cast.out = pop_tensor_flatten(as_type(call, out, to == POP_QUARTER ? POP_UNSIGNED_CHAR : to));
    pop_mark mark = pop_graph_mark(call->graph);
    pop_graph_reorder_to_simplify(call->graph, &cast.out, (pop_tensor *[]){ &cast.in }, 1, false);
    call_for_each_tile(call, cast.out, cast_regions, &cast);
    pop_graph_release(call->graph, mark);
}

void popops_cast_to_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor out, pop_compute_set set)
{
    POPLIBS_CALL(graph, in, out);
    if (call_ready(call) && check(call, in, out))
        cast_in(call, in, out, set);
}

static pop_tensor output_for(const struct call *call, pop_tensor in, pop_type type, const pop_tensor *metadata)
{
    if (!call_ready(call) || !call_takes(call, "the input", in))
        return (pop_tensor){ 0 };
    if (!pop_type_is_supported(type)) {
        call_fail(call, POP_TYPE_ERROR, "a cast to %s; no device has that type", pop_type_name(type));
        return (pop_tensor){ 0 };
    }
    if (!check_types(call, pop_tensor_type(in), type))
        return (pop_tensor){ 0 };
    if ((type == POP_QUARTER) != (metadata != NULL)) {
        call_fail(call, POP_TENSOR_METADATA_ERROR,
                  metadata ? "metadata is given for a cast to %s: only quarter has some"
                           : "a cast to %s without metadata: give it, or cast to a tensor that has some",
                  pop_type_name(type));
        return (pop_tensor){ 0 };
    }
    const char *path = call_path(call, call->name, "cast");
    return metadata ? pop_graph_clone_with_metadata(call->graph, *metadata, in, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES,
                                                    path)
                    : pop_graph_clone(call->graph, type, in, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, path);
}

pop_tensor popops_cast_in_at(pop_where where, pop_graph *graph, pop_tensor in, pop_type type, pop_compute_set set,
                             const char *name)
{
    POPLIBS_CALL(graph, in, log_type(type), name);
    pop_tensor out = output_for(call, in, type, NULL);
    if (call_ready(call))
        cast_in(call, in, out, set);
    return out;
}

static pop_program program_of(const struct call *call, pop_tensor in, pop_tensor out)
{
    if (pop_tensor_type(in) == pop_tensor_type(out) && pop_tensor_type(in) != POP_QUARTER)
        return pop_copy(in, out, false, call->name);
    pop_compute_set set = pop_graph_add_compute_set(call->graph, call_path(call, call->name, "Cast"));
    cast_in(call, in, out, set);
    return pop_execute(set, call->name);
}

pop_program popops_cast_program_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor out, const char *name)
{
    POPLIBS_CALL(graph, in, out, name);
    if (!call_ready(call) || !check(call, in, out))
        return (pop_program){ 0 };
    return program_of(call, in, out);
}
void popops_cast_with_output_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor out, pop_program sequence,
                                const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, in, out, name);
    if (call_ready(call) && check(call, in, out))
        pop_sequence_add(sequence, program_of(call, in, out));
}
pop_tensor popops_cast_at(pop_where where, pop_graph *graph, pop_tensor in, pop_type type, pop_program sequence,
                          const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, in, log_type(type), name);
    pop_tensor out = output_for(call, in, type, NULL);
    if (call_ready(call))
        pop_sequence_add(sequence, program_of(call, in, out));
    return out;
}

pop_tensor popops_cast_with_metadata_at(pop_where where, pop_graph *graph, pop_tensor in, pop_type type,
                                        pop_tensor metadata, pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, in, log_type(type), metadata, name);
    pop_tensor out = output_for(call, in, type, &metadata);
    if (call_ready(call))
        pop_sequence_add(sequence, program_of(call, in, out));
    return out;
}
pop_tensor popops_cast_in_with_metadata_at(pop_where where, pop_graph *graph, pop_tensor in, pop_type type,
                                           pop_tensor metadata, pop_compute_set set, const char *name)
{
    POPLIBS_CALL(graph, in, log_type(type), metadata, name);
    pop_tensor out = output_for(call, in, type, &metadata);
    if (call_ready(call))
        cast_in(call, in, out, set);
    return out;
}

pop_tensor popops_check_accuracy_when_cast_at(pop_where where, pop_graph *graph, pop_tensor in, pop_type type,
                                              double tolerance, pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, in, log_type(type), tolerance, name);
    pop_type from = pop_tensor_type(in);
    unsigned tile;
    if (!call_ready(call))
        return (pop_tensor){ 0 };
    if (pop_tensor_num_elements(in) != 1 || (from != POP_HALF && from != POP_FLOAT) ||
        (type != POP_HALF && type != POP_FLOAT)) {
        call_fail(call, POP_TYPE_ERROR,
                  "a cast of %zu elements from %s to %s; it must be one of half or float to half or float",
                  pop_tensor_num_elements(in), pop_type_name(from), pop_type_name(type));
        return (pop_tensor){ 0 };
    }
    if (!call_first_tile(call, in, &tile))
        return (pop_tensor){ 0 };
    pop_tensor out = pop_graph_add_variable(graph, POP_BOOL, POP_SHAPE(), call_path(call, name, "isAccurate"));
    pop_graph_set_tile_mapping(graph, out, tile);
    pop_compute_set set = pop_graph_add_compute_set(graph, call_path(call, name, "checkAccuracyWhenCast"));
    if (from == POP_FLOAT && type == POP_HALF) {
        pop_vertex vertex = call_vertex(call, set, "popops::CheckAccuracyWhenCast<float,half>", tile);
        call_connect(call, vertex, "input", pop_tensor_reshape(in, POP_SHAPE()));
        call_connect(call, vertex, "output", out);
        pop_graph_set_field_double(graph, vertex, "tolerance", tolerance);
    } else {
        popops_fill_in(graph, out, set, 1);
    }
    call_execute(call, set, name);
    return out;
}
