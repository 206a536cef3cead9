/* SPDX-License-Identifier: Apache-2.0 */
/* One-hot encoding has a vertex for each contiguous piece of the encoded tensor on a tile, iota one for each worker. */
#include "poplibs/log.h"
#include "poplibs/tiles.h"
#include "popops/slice/runs.h"

#include <popops/encoding.h>

struct encoding {
    const struct call *call;
    pop_compute_set set;
    pop_tensor indices, flat, on, off; /* on and off may be null */
    size_t classes;
    int64_t start;
};

static void encode_regions(const struct call *call, const struct poplibs_tile *tile, void *user)
{
    const struct encoding *encoding = user;
    const pop_interval_lists *regions = tile->regions;
    char name[96];
    snprintf(name, sizeof(name), "popops::EncodeOneHot%s<%s,%s>", pop_tensor_valid(encoding->on) ? "CustomValues" : "",
             pop_type_name(pop_tensor_type(encoding->indices)), pop_type_name(pop_tensor_type(encoding->flat)));
    for (size_t list = 0; list < regions->count; ++list) {
        pop_vertex vertex = call_vertex(call, encoding->set, name, tile->tile);
        pop_interval rows = set_runs(call, vertex, regions, list, encoding->classes);
        call_connect(call, vertex, "indices", pop_tensor_slice_interval(encoding->indices, rows, 0));
        call_connect(call, vertex, "out", call_slice_of_list(call, encoding->flat, regions, list));
        if (pop_tensor_valid(encoding->on)) {
            call_connect(call, vertex, "on", encoding->on);
            call_connect(call, vertex, "off", encoding->off);
        }
        call_set(call, vertex, "classes", encoding->classes);
    }
}

static bool check_one_hot(const struct call *call, pop_tensor indices, pop_tensor encoded)
{
    char a[64], b[64];
    pop_type index = pop_tensor_type(indices), type = pop_tensor_type(encoded);
    if (!call_takes(call, "the tensor of indices", indices) || !call_takes(call, "the encoded tensor", encoded))
        return false;
    if (pop_tensor_rank(indices) != 1 || pop_tensor_rank(encoded) != 2 ||
        pop_tensor_dim(indices, 0) != pop_tensor_dim(encoded, 0)) {
        pop_tensor_shape_to_string(indices, a, sizeof(a));
        pop_tensor_shape_to_string(encoded, b, sizeof(b));
        return call_fail(call, POP_POPLAR_ERROR,
                         "indices of shape %s and an encoded tensor of %s: they must be {n} and {n,classes}", a, b);
    }
    if (index != POP_INT && index != POP_UNSIGNED_INT)
        return call_fail(call, POP_TYPE_ERROR, "indices cannot be %s; they are int or unsigned int",
                         pop_type_name(index));
    if (type != POP_HALF && type != POP_FLOAT && type != POP_INT && type != POP_UNSIGNED_INT)
        return call_fail(call, POP_TYPE_ERROR,
                         "the encoded tensor cannot be %s; it is half, float, int or unsigned int",
                         pop_type_name(type));
    return call_takes_writeable(call, "the encoded tensor", encoded);
}

static void encode(struct encoding *encoding, pop_tensor encoded)
{
    const struct call *call = encoding->call;
    if (!pop_tensor_num_elements(encoded))
        return;
    encoding->set = pop_graph_add_compute_set(call->graph, call_path(call, call->name, "OneHotEncode"));
    encoding->flat = pop_tensor_flatten(encoded);
    encoding->classes = pop_tensor_dim(encoded, 1);
    call_for_each_tile(call, encoding->flat, encode_regions, encoding);
    call_execute(call, encoding->set, call->name);
}

void popops_encode_one_hot_at(pop_where where, pop_graph *graph, pop_tensor indices, pop_tensor encoded,
                              pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, indices, encoded, name);
    if (call_ready(call) && check_one_hot(call, indices, encoded))
        encode(&(struct encoding){ .call = call, .indices = indices }, encoded);
}

void popops_encode_one_hot_values_at(pop_where where, pop_graph *graph, pop_tensor indices, pop_tensor encoded,
                                     pop_program sequence, pop_tensor on, pop_tensor off, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, indices, encoded, on, off, name);
    if (!call_ready(call) || !check_one_hot(call, indices, encoded))
        return;
    pop_type type = pop_tensor_type(encoded);
    if (pop_tensor_num_elements(on) != 1 || pop_tensor_num_elements(off) != 1 || pop_tensor_type(on) != type ||
        pop_tensor_type(off) != type) {
        call_fail(call, POP_POPLAR_ERROR, "the values on and off must be one %s each", pop_type_name(type));
        return;
    }
    if (!call_takes(call, "the value on", on) || !call_takes(call, "the value off", off))
        return;
    encode(&(struct encoding){ .call = call,
                               .indices = indices,
                               .on = pop_tensor_reshape(on, POP_SHAPE()),
                               .off = pop_tensor_reshape(off, POP_SHAPE()) },
           encoded);
}

static void iota_regions(const struct call *call, const struct poplibs_tile *tile, void *user)
{
    pop_graph *graph = call->graph;
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
            rows[k] = pop_tensor_slice(iota->flat, runs[k].begin, runs[k].end, 0);
            offsets[k] = (uint32_t)((uint64_t)iota->start + runs[k].begin);
        }
        pop_vertex vertex = call_vertex(call, iota->set, name, tile->tile);
        pop_graph_connect_list(graph, vertex, "out", (pop_tensors){ count, rows });
        pop_graph_set_field_vector(graph, vertex, POP_FIELD("offsets", POP_WHOLE),
                                   type == POP_UNSIGNED_INT ? POP_UNSIGNED_INT : POP_INT, offsets, count);
        free(rows);
        free(offsets);
    }
    pop_interval_lists_free(&parts);
}

void popops_iota_at(pop_where where, pop_graph *graph, pop_tensor t, int64_t start, pop_program sequence,
                    const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, t, start, name);
    if (!call_ready(call) || !call_takes(call, "the tensor", t))
        return;
    pop_type type = pop_tensor_type(t);
    if (type != POP_INT && type != POP_UNSIGNED_INT && type != POP_HALF && type != POP_FLOAT) {
        call_fail(call, POP_TYPE_ERROR,
                  "a tensor of %s cannot hold consecutive integers; int, unsigned int, half and float can",
                  pop_type_name(type));
        return;
    }
    if (!call_takes_writeable(call, "the tensor", t))
        return;
    struct encoding iota = { .call = call, .flat = pop_tensor_flatten(t), .start = start };
    if (!pop_tensor_num_elements(t))
        return;
    iota.set = pop_graph_add_compute_set(graph, call_path(call, name, "Iota"));
    call_for_each_tile(call, iota.flat, iota_regions, &iota);
    call_execute(call, iota.set, name);
}
