/* SPDX-License-Identifier: Apache-2.0 */
#include "popsparse/fixed/fixed.h"
#include "popsparse/pass/layout.h"

bool sparse_fixed_request(const struct call *call, const struct sparse_fixed *fixed, const popsparse_matrix *matrix,
                          struct sparse_request *request)
{
    const popsparse_static_mat_mul_params *p = fixed->params;
    if (!p || !matrix)
        return call_fail(call, POP_POPLAR_ERROR, "%s is NULL", p ? "the matrix" : "params");
    if (p->num_groups != 1)
        return call_fail(call, POP_POPLAR_ERROR, "a static product has one group, not %zu", p->num_groups);
    size_t rows = p->transposed ? p->k : p->m, columns = p->transposed ? p->m : p->k;
    struct sparse_question asked = { .shape = { fixed->type, 1, rows, columns, p->n,
                                                poplibs_max(matrix->block_dimensions[0], 1),
                                                poplibs_max(matrix->block_dimensions[1], 1), matrix->num_nz_values },
                                     .set = SPARSE_OF_STATIC,
                                     .transposed = p->transposed,
                                     .options = fixed->options,
                                     .target = fixed->target,
                                     .cache = fixed->cache };
    return sparse_request_make(call, &asked, request);
}

/* As large as the fullest cell needs. */
static void size_buckets(struct sparse_request *request, const struct sparse_entries *entries)
{
    struct sparse_plan *plan = &request->plan;
    const struct sparse_shape *shape = &request->shape;
    size_t rows = plan->cell_rows / shape->block_rows, columns = plan->cell_columns / shape->block_columns, most = 0;
    size_t *counts = poplibs_zeros(plan->cells, sizeof(*counts));
    for (size_t i = 0; i < entries->count; ++i)
        ++counts[entries->list[i].row / rows * plan->y + entries->list[i].column / columns];
    for (size_t c = 0; c < plan->cells; ++c)
        most = poplibs_max(most, counts[c]);
    free(counts);
    sparse_plan_size_buckets(shape, most, 0, plan);
}

bool sparse_fixed_fill(const struct call *call, struct sparse_request *request, const popsparse_matrix *matrix,
                       struct sparse_buckets *buckets)
{
    struct sparse_entries entries;
    if (!sparse_entries_read(call, &request->shape, matrix, &entries))
        return false;
    size_buckets(request, &entries);
    bool filled = sparse_buckets_fill(call, &request->shape, &request->plan, &request->options, &entries, buckets);
    free(entries.list);
    return filled;
}

pop_tensor sparse_pattern_constant(const struct call *call, const struct sparse_request *request,
                                   const struct sparse_buckets *buckets)
{
    size_t count = request->plan.cells * request->plan.meta_info;
    uint16_t *numbers = poplibs_new(count, sizeof(*numbers));
    for (size_t i = 0; i < count; ++i)
        numbers[i] = (uint16_t)buckets->meta_info[SPARSE_HEADER + i];
    pop_tensor made = pop_graph_add_constant(call->graph, POP_UNSIGNED_SHORT, POP_SHAPE(count), POP_UNSIGNED_SHORT,
                                             numbers, call_path(call, call->name, "pattern"));
    free(numbers);
    sparse_map_buckets(call, request, made, request->plan.meta_info);
    return made;
}
