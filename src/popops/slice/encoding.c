/* SPDX-License-Identifier: Apache-2.0 */
/* One-hot encoding has a vertex for each contiguous piece of the encoded tensor on a tile, iota one for each worker. */
#include "poplibs/log.h"
#include "poplibs/tiles.h"
#include "popops/slice/runs.h"

#include <popops/encoding.h>

struct encoding {
    pop_where where;
    pop_compute_set set;
    pop_tensor indices, flat, on, off; /* on and off may be null */
    size_t classes;
    int64_t start;
};

static void encode_regions(pop_graph *graph, const struct poplibs_tile *tile, void *user)
{
    const struct encoding *encoding = user;
    pop_where where = encoding->where;
    const pop_interval_lists *regions = tile->regions;
    char name[96];
    snprintf(name, sizeof(name), "popops::EncodeOneHot%s<%s,%s>", pop_tensor_valid(encoding->on) ? "CustomValues" : "",
             pop_type_name(pop_tensor_type(encoding->indices)), pop_type_name(pop_tensor_type(encoding->flat)));
    for (size_t list = 0; list < regions->count; ++list) {
        pop_vertex vertex = pop_graph_add_vertex_at(where, graph, encoding->set, name);
        pop_interval rows = popops_set_runs(where, graph, vertex, regions, list, encoding->classes);
        pop_graph_connect_at(where, graph, vertex, "indices",
                             pop_tensor_slice_interval_at(where, encoding->indices, rows, 0));
        pop_graph_connect_at(where, graph, vertex, "out", poplibs_slice_of_list(where, encoding->flat, regions, list));
        if (pop_tensor_valid(encoding->on)) {
            pop_graph_connect_at(where, graph, vertex, "on", encoding->on);
            pop_graph_connect_at(where, graph, vertex, "off", encoding->off);
        }
        pop_graph_set_field_int_at(where, graph, vertex, "classes", (int64_t)encoding->classes);
        pop_graph_map_vertex_at(where, graph, vertex, tile->tile);
    }
}

static bool check_one_hot(pop_where where, pop_graph *graph, const char *api, pop_tensor indices, pop_tensor encoded)
{
    char a[64], b[64];
    pop_type index = pop_tensor_type(indices), type = pop_tensor_type(encoded);
    if (!poplibs_is_operand(graph, where, api, "the tensor of indices", indices) ||
        !poplibs_is_operand(graph, where, api, "the encoded tensor", encoded))
        return false;
    if (pop_tensor_rank(indices) != 1 || pop_tensor_rank(encoded) != 2 ||
        pop_tensor_dim(indices, 0) != pop_tensor_dim(encoded, 0)) {
        pop_tensor_shape_to_string(indices, a, sizeof(a));
        pop_tensor_shape_to_string(encoded, b, sizeof(b));
        return poplibs_fail(graph, POP_POPLAR_ERROR, where, api,
                            "indices of shape %s and an encoded tensor of %s: they must be {n} and {n,classes}", a, b);
    }
    if (index != POP_INT && index != POP_UNSIGNED_INT)
        return poplibs_fail(graph, POP_TYPE_ERROR, where, api, "indices cannot be %s; they are int or unsigned int",
                            pop_type_name(index));
    if (type != POP_HALF && type != POP_FLOAT && type != POP_INT && type != POP_UNSIGNED_INT)
        return poplibs_fail(graph, POP_TYPE_ERROR, where, api,
                            "the encoded tensor cannot be %s; it is half, float, int or unsigned int",
                            pop_type_name(type));
    if (!pop_tensor_is_parallel_writeable(encoded))
        return poplibs_fail(graph, POP_POPLAR_ERROR, where, api,
                            "the encoded tensor has aliases or constants, and cannot be written");
    return true;
}

static void encode(struct encoding *encoding, pop_graph *graph, pop_tensor encoded, pop_program sequence,
                   const char *name)
{
    char path[POPLIBS_PATH_SIZE];
    if (!pop_tensor_num_elements(encoded))
        return;
    encoding->set =
        pop_graph_add_compute_set_at(encoding->where, graph, poplibs_path(path, sizeof(path), name, "OneHotEncode"));
    encoding->flat = pop_tensor_flatten_at(encoding->where, encoded);
    encoding->classes = pop_tensor_dim(encoded, 1);
    poplibs_for_each_tile(encoding->where, graph, encoding->flat, encode_regions, encoding);
    pop_sequence_add_at(encoding->where, sequence, pop_execute_at(encoding->where, encoding->set, name));
}

void popops_encode_one_hot_at(pop_where where, pop_graph *graph, pop_tensor indices, pop_tensor encoded,
                              pop_program sequence, const char *name)
{
    POPLIBS_CALL(graph, indices, encoded, name);
    if (poplibs_ready(graph) && check_one_hot(where, graph, "popops_encode_one_hot", indices, encoded))
        encode(&(struct encoding){ .where = where, .indices = indices }, graph, encoded, sequence, name);
}

void popops_encode_one_hot_values_at(pop_where where, pop_graph *graph, pop_tensor indices, pop_tensor encoded,
                                     pop_program sequence, pop_tensor on, pop_tensor off, const char *name)
{
    POPLIBS_CALL(graph, indices, encoded, on, off, name);
    static const char api[] = "popops_encode_one_hot_values";
    if (!poplibs_ready(graph) || !check_one_hot(where, graph, api, indices, encoded))
        return;
    pop_type type = pop_tensor_type(encoded);
    if (pop_tensor_num_elements(on) != 1 || pop_tensor_num_elements(off) != 1 || pop_tensor_type(on) != type ||
        pop_tensor_type(off) != type) {
        poplibs_fail(graph, POP_POPLAR_ERROR, where, api, "the values on and off must be one %s each",
                     pop_type_name(type));
        return;
    }
    if (!poplibs_is_operand(graph, where, api, "the value on", on) ||
        !poplibs_is_operand(graph, where, api, "the value off", off))
        return;
    encode(&(struct encoding){ .where = where,
                               .indices = indices,
                               .on = pop_tensor_reshape_at(where, on, POP_SHAPE()),
                               .off = pop_tensor_reshape_at(where, off, POP_SHAPE()) },
           graph, encoded, sequence, name);
}

static void iota_regions(pop_graph *graph, const struct poplibs_tile *tile, void *user)
{
    const struct encoding *iota = user;
    pop_type type = pop_tensor_type(iota->flat);
    unsigned grain = pop_target_vector_width(pop_graph_target(graph), type);
    pop_interval_lists parts, pieces = *tile->regions;
    char name[64];
    snprintf(name, sizeof(name), "popops::Iota<%s>", pop_type_name(type));
    poputil_split_regions_between_workers(pop_graph_target(graph),
                                          (pop_interval_list){ pieces.first[pieces.count], pieces.intervals }, grain,
                                          2 * grain, POPUTIL_NO_LIMIT, POPUTIL_NO_LIMIT, &parts);
    for (size_t i = 0; i < parts.count; ++i) {
        const pop_interval *runs = parts.intervals + parts.first[i];
        size_t count = parts.first[i + 1] - parts.first[i];
        pop_tensor *rows = poplibs_new(count, sizeof(*rows));
        uint32_t *offsets = poplibs_new(count, sizeof(*offsets));
        for (size_t k = 0; k < count; ++k) {
            rows[k] = pop_tensor_slice_at(iota->where, iota->flat, runs[k].begin, runs[k].end, 0);
            offsets[k] = (uint32_t)((uint64_t)iota->start + runs[k].begin);
        }
        pop_vertex vertex = pop_graph_add_vertex_at(iota->where, graph, iota->set, name);
        pop_graph_connect_list_at(iota->where, graph, vertex, "out", (pop_tensors){ count, rows });
        pop_graph_set_field_vector_at(iota->where, graph, vertex, POP_FIELD("offsets", POP_WHOLE),
                                      type == POP_UNSIGNED_INT ? POP_UNSIGNED_INT : POP_INT, offsets, count);
        pop_graph_map_vertex_at(iota->where, graph, vertex, tile->tile);
        free(rows);
        free(offsets);
    }
    pop_interval_lists_free(&parts);
}

void popops_iota_at(pop_where where, pop_graph *graph, pop_tensor t, int64_t start, pop_program sequence,
                    const char *name)
{
    POPLIBS_CALL(graph, t, start, name);
    static const char api[] = "popops_iota";
    char path[POPLIBS_PATH_SIZE];
    if (!poplibs_ready(graph) || !poplibs_is_operand(graph, where, api, "the tensor", t))
        return;
    pop_type type = pop_tensor_type(t);
    if (type != POP_INT && type != POP_UNSIGNED_INT && type != POP_HALF && type != POP_FLOAT) {
        poplibs_fail(graph, POP_TYPE_ERROR, where, api,
                     "a tensor of %s cannot hold consecutive integers; int, unsigned int, half and float can",
                     pop_type_name(type));
        return;
    }
    if (!pop_tensor_is_parallel_writeable(t)) {
        poplibs_fail(graph, POP_POPLAR_ERROR, where, api, "the tensor has aliases or constants, and cannot be written");
        return;
    }
    struct encoding iota = { .where = where, .flat = pop_tensor_flatten_at(where, t), .start = start };
    if (!pop_tensor_num_elements(t))
        return;
    iota.set = pop_graph_add_compute_set_at(where, graph, poplibs_path(path, sizeof(path), name, "Iota"));
    poplibs_for_each_tile(where, graph, iota.flat, iota_regions, &iota);
    pop_sequence_add_at(where, sequence, pop_execute_at(where, iota.set, name));
}
