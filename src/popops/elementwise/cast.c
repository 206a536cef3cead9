/* SPDX-License-Identifier: Apache-2.0 */
/* A tile whose share is one region of memory gets one vertex; other tiles get one for each worker, with several
 * regions. */
#include "poplibs/cpu_parts.h"
#include "poplibs/log.h"
#include "poplibs/tiles.h"

#include <popops/cast.h>
#include <popops/fill.h>

struct cast {
    pop_where where;
    pop_compute_set set;
    pop_tensor in, out; /* flat */
    bool common;        /* both types are in CAST_MAIN_TYPES, whose vertices take whole tiles or several regions */
};

static pop_vertex add_vertex(const struct cast *cast, pop_graph *graph, const char *kind, unsigned tile)
{
    char name[96];
    snprintf(name, sizeof(name), "popops::%s<%s,%s>", kind, pop_type_name(pop_tensor_type(cast->in)),
             pop_type_name(pop_tensor_type(cast->out)));
    pop_vertex vertex = pop_graph_add_vertex_at(cast->where, graph, cast->set, name);
    pop_graph_map_vertex_at(cast->where, graph, vertex, tile);
    return vertex;
}

static void cast_run(const struct cast *cast, pop_graph *graph, const char *kind, const pop_interval_lists *regions,
                     size_t list, unsigned tile)
{
    pop_vertex vertex = add_vertex(cast, graph, kind, tile);
    pop_graph_connect_at(cast->where, graph, vertex, "src",
                         poplibs_slice_of_list(cast->where, cast->in, regions, list));
    pop_graph_connect_at(cast->where, graph, vertex, "dst",
                         poplibs_slice_of_list(cast->where, cast->out, regions, list));
}

static void cast_regions(pop_graph *graph, const struct poplibs_tile *tile, void *user)
{
    const struct cast *cast = user;
    const pop_target *target = pop_graph_target(graph);
    bool cpu = target->type == POP_TARGET_CPU;
    if (tile->regions->count == 1 && cast->common && !cpu) {
        cast_run(cast, graph, "CastSupervisor", tile->regions, 0, tile->tile);
        return;
    }
    poputil_partitions parts;
    poputil_split_regions_lists(tile->regions, cpu ? 4096 : 4, cpu ? POPLIBS_CPU_PARTS : target->num_worker_contexts, 8,
                                POPUTIL_NO_LIMIT, POPUTIL_NO_LIMIT, &parts);
    for (size_t i = 0; i < parts.count; ++i) {
        size_t first = parts.first[i], count = parts.first[i + 1] - first;
        if (cast->common && !cpu) {
            pop_vertex vertex = add_vertex(cast, graph, "Cast2d", tile->tile);
            poplibs_connect_rows(cast->where, graph, vertex, "src", cast->in, &parts.regions, first, count);
            poplibs_connect_rows(cast->where, graph, vertex, "dst", cast->out, &parts.regions, first, count);
            continue;
        }
        for (size_t k = 0; k < count; ++k)
            cast_run(cast, graph, cast->common ? "CastSupervisor" : "Cast", &parts.regions, first + k, tile->tile);
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
    if (!pop_type_is_integral(*in) || !pop_type_is_integral(*out))
        return;
    bool wider = pop_type_size(*out) > pop_type_size(*in);
    if (!wider || *out == POP_BOOL)
        *in = without_sign(*in);
    if (*out != POP_BOOL)
        *out = without_sign(*out);
}

static pop_tensor as_type(pop_where where, pop_tensor t, pop_type type)
{
    return pop_tensor_type(t) == type ? t : pop_tensor_reinterpret_at(where, t, type);
}

/* ---- calls ---- */

static bool check(pop_where where, pop_graph *graph, const char *api, pop_tensor in, pop_tensor out)
{
    size_t dims[2][16], ranks[2] = { pop_tensor_shape(in, dims[0], 16), pop_tensor_shape(out, dims[1], 16) };
    char text[2][128];
    if (!poplibs_is_operand(graph, where, api, "the input", in) ||
        !poplibs_is_operand(graph, where, api, "the output", out))
        return false;
    if (ranks[0] != ranks[1] || memcmp(dims[0], dims[1], poplibs_min(ranks[0], 16) * sizeof(size_t)) != 0)
        return poplibs_fail(
            graph, POP_POPLAR_ERROR, where, api, "the output has shape %s, the input %s",
            poplibs_shape_text(text[1], sizeof(text[1]), (pop_shape){ poplibs_min(ranks[1], 16), dims[1] }),
            poplibs_shape_text(text[0], sizeof(text[0]), (pop_shape){ poplibs_min(ranks[0], 16), dims[0] }));
    if (!pop_tensor_is_parallel_writeable(out))
        return poplibs_fail(graph, POP_POPLAR_ERROR, where, api, "the output contains constants or repeated elements");
    return true;
}

static void cast_in(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor out, pop_compute_set set)
{
    pop_type from = pop_tensor_type(in), to = pop_tensor_type(out);
    simplify(&from, &to);
    struct cast cast = { where, set, pop_tensor_flatten_at(where, as_type(where, in, from)),
                         pop_tensor_flatten_at(where, as_type(where, out, to)), is_common(from) && is_common(to) };
    pop_mark mark = pop_graph_mark(graph);
    pop_graph_reorder_to_simplify_at(where, graph, &cast.out, (pop_tensor *[]){ &cast.in }, 1, false);
    poplibs_for_each_tile(where, graph, cast.out, cast_regions, &cast);
    pop_graph_release(graph, mark);
}

void popops_cast_to_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor out, pop_compute_set set)
{
    POPLIBS_CALL(graph, in, out);
    if (poplibs_ready(graph) && check(where, graph, "popops_cast_to", in, out))
        cast_in(where, graph, in, out, set);
}

static pop_tensor output_for(pop_where where, pop_graph *graph, const char *api, pop_tensor in, pop_type type,
                             const char *name)
{
    char path[POPLIBS_PATH_SIZE];
    if (!poplibs_ready(graph) || !poplibs_is_operand(graph, where, api, "the input", in))
        return (pop_tensor){ 0 };
    if (!pop_type_is_supported(type)) {
        poplibs_fail(graph, POP_TYPE_ERROR, where, api, "a cast to %s; no device has that type", pop_type_name(type));
        return (pop_tensor){ 0 };
    }
    return pop_graph_clone_at(where, graph, type, in, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES,
                              poplibs_path(path, sizeof(path), name, "cast"));
}

pop_tensor popops_cast_in_at(pop_where where, pop_graph *graph, pop_tensor in, pop_type type, pop_compute_set set,
                             const char *name)
{
    POPLIBS_CALL(graph, in, log_type(type), name);
    pop_tensor out = output_for(where, graph, "popops_cast_in", in, type, name);
    if (poplibs_ready(graph))
        cast_in(where, graph, in, out, set);
    return out;
}

static pop_program program_of(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor out, const char *name)
{
    char path[POPLIBS_PATH_SIZE];
    if (pop_tensor_type(in) == pop_tensor_type(out))
        return pop_copy_at(where, in, out, false, name);
    pop_compute_set set = pop_graph_add_compute_set_at(where, graph, poplibs_path(path, sizeof(path), name, "Cast"));
    cast_in(where, graph, in, out, set);
    return pop_execute_at(where, set, name);
}

pop_program popops_cast_program_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor out, const char *name)
{
    POPLIBS_CALL(graph, in, out, name);
    if (!poplibs_ready(graph) || !check(where, graph, "popops_cast_program", in, out))
        return (pop_program){ 0 };
    return program_of(where, graph, in, out, name);
}
void popops_cast_with_output_at(pop_where where, pop_graph *graph, pop_tensor in, pop_tensor out, pop_program sequence,
                                const char *name)
{
    POPLIBS_CALL(graph, in, out, name);
    if (poplibs_ready(graph) && check(where, graph, "popops_cast_with_output", in, out))
        pop_sequence_add_at(where, sequence, program_of(where, graph, in, out, name));
}
pop_tensor popops_cast_at(pop_where where, pop_graph *graph, pop_tensor in, pop_type type, pop_program sequence,
                          const char *name)
{
    POPLIBS_CALL(graph, in, log_type(type), name);
    pop_tensor out = output_for(where, graph, "popops_cast", in, type, name);
    if (poplibs_ready(graph))
        pop_sequence_add_at(where, sequence, program_of(where, graph, in, out, name));
    return out;
}

pop_tensor popops_check_accuracy_when_cast_at(pop_where where, pop_graph *graph, pop_tensor in, pop_type type,
                                              double tolerance, pop_program sequence, const char *name)
{
    POPLIBS_CALL(graph, in, log_type(type), tolerance, name);
    static const char api[] = "popops_check_accuracy_when_cast";
    pop_type from = pop_tensor_type(in);
    pop_interval_lists mapping;
    char path[POPLIBS_PATH_SIZE];
    if (!poplibs_ready(graph))
        return (pop_tensor){ 0 };
    if (pop_tensor_num_elements(in) != 1 || !pop_type_is_floating_point(from) || !pop_type_is_floating_point(type)) {
        poplibs_fail(graph, POP_TYPE_ERROR, where, api,
                     "a cast of %zu elements from %s to %s; it must be one of half or float to half or float",
                     pop_tensor_num_elements(in), pop_type_name(from), pop_type_name(type));
        return (pop_tensor){ 0 };
    }
    if (!pop_graph_get_tile_mapping_at(where, graph, in, NULL, &mapping))
        return (pop_tensor){ 0 };
    unsigned tile = 0;
    while (tile + 1 < mapping.count && mapping.first[tile] == mapping.first[tile + 1])
        ++tile;
    pop_interval_lists_free(&mapping);
    pop_tensor out = pop_graph_add_variable_at(where, graph, POP_BOOL, POP_SHAPE(),
                                               poplibs_path(path, sizeof(path), name, "isAccurate"));
    pop_graph_set_tile_mapping_at(where, graph, out, tile);
    pop_compute_set set =
        pop_graph_add_compute_set_at(where, graph, poplibs_path(path, sizeof(path), name, "checkAccuracyWhenCast"));
    if (from == POP_FLOAT && type == POP_HALF) {
        pop_vertex vertex = pop_graph_add_vertex_at(where, graph, set, "popops::CheckAccuracyWhenCast<float,half>");
        pop_graph_connect_at(where, graph, vertex, "input", pop_tensor_reshape_at(where, in, POP_SHAPE()));
        pop_graph_connect_at(where, graph, vertex, "output", out);
        pop_graph_set_field_double_at(where, graph, vertex, "tolerance", tolerance);
        pop_graph_map_vertex_at(where, graph, vertex, tile);
    } else {
        popops_fill_in_at(where, graph, out, set, 1);
    }
    pop_sequence_add_at(where, sequence, pop_execute_at(where, set, name));
    return out;
}
