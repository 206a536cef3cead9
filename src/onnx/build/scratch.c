/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx/build/build.h"

#include <poplar/memory.h>
#include <string.h>

/* Which known tensor a variable stands for. */
struct onnx_scratch {
    uint32_t variable;
    const tremula_onnx_tensor *known;
    struct onnx_scratch *next;
};

pop_tensor onnx_scratch_tensor(onnx_builder *b, const tremula_onnx_tensor *known)
{
    pop_tensor t =
        pop_graph_add_variable_at(b->where, b->graph, POP_INT, (pop_shape){ known->rank, known->dims }, NULL);
    pop_variable_interval *regions;
    size_t count = pop_tensor_var_regions(t, &regions);
    struct onnx_scratch *variable = onnx_new(b->arena, 1, sizeof(*variable));
    *variable = (struct onnx_scratch){ count ? regions[0].variable : UINT32_MAX, known, b->scratch_variables };
    b->scratch_variables = variable;
    pop_memory_free(regions);
    return t;
}

static const tremula_onnx_tensor *find_known(const onnx_builder *b, uint32_t variable)
{
    for (const struct onnx_scratch *at = b->scratch_variables; at; at = at->next)
        if (at->variable == variable)
            return at->known;
    return NULL;
}

bool onnx_scratch_give(onnx_builder *b, size_t i, pop_tensor view, tremula_onnx_type type)
{
    size_t dims[TREMULA_ONNX_MAX_RANK], rank = pop_tensor_rank(view), size = tremula_onnx_type_size(type);
    if (rank > TREMULA_ONNX_MAX_RANK)
        return onnx_complain(b, "its result has %zu dimensions; at most %d are supported", rank, TREMULA_ONNX_MAX_RANK);
    pop_tensor_shape(view, dims, TREMULA_ONNX_MAX_RANK);
    tremula_onnx_tensor result = onnx_new_tensor(b, type, (pop_shape){ rank, dims });
    if (!result.data)
        return false;
    char *to = result.data;
    pop_variable_interval *regions;
    size_t count = pop_tensor_var_regions(view, &regions);
    for (size_t j = 0; j < count; ++j) {
        const tremula_onnx_tensor *known = find_known(b, regions[j].variable);
        size_t bytes = (regions[j].interval.end - regions[j].interval.begin) * size;
        if (known)
            memcpy(to, (const char *)known->data + regions[j].interval.begin * size, bytes);
        to += bytes;
    }
    pop_memory_free(regions);
    return onnx_give_known(b, i, result);
}

bool onnx_fold_views(onnx_builder *b)
{
    pop_graph *graph = b->graph;
    pop_program program = b->program;
    b->graph = b->scratch = pop_graph_create(pop_graph_target(graph));
    b->program = pop_sequence_at(b->where, b->graph, NULL);
    bool done = b->node->row->build(b) && onnx_ok(b);
    pop_graph_destroy(b->scratch);
    b->scratch = NULL;
    b->scratch_variables = NULL;
    b->graph = graph;
    b->program = program;
    return done;
}
