/* SPDX-License-Identifier: Apache-2.0 */
#include "popsparse/dynamic/dynamic.h"

popsparse_dynamic_sparse_tensor sparse_operand_create(const struct call *call, const struct sparse_request *request)
{
    popsparse_dynamic_sparse_tensor made = { 0 };
    const struct sparse_plan *plan = &request->plan;
    if (!call_fits_memory(call, "the sparse operand", plan->cells * (plan->nz + plan->meta_info), request->shape.type))
        return made;
    made.meta_info = sparse_meta_info_variable(call, request, call_path(call, call->name, "metaInfo"));
    made.nz_values = sparse_bucket_variable(call, request, request->shape.type, request->plan.nz,
                                            call_path(call, call->name, "nzValues"));
    made.op = sparse_request_key(call, request);
    return made;
}

bool sparse_operand_take_pattern(const struct call *call, const struct sparse_request *request, pop_tensor meta_info,
                                 struct sparse_cells *cells)
{
    size_t elements = sparse_meta_info_elements(&request->plan);
    if (!call_takes(call, "the meta information", meta_info))
        return false;
    if (pop_tensor_type(meta_info) != POP_UNSIGNED_SHORT || pop_tensor_rank(meta_info) != 1 ||
        pop_tensor_dim(meta_info, 0) != elements)
        return call_fail(call, POP_POPLAR_ERROR,
                         "the meta information is %s, %zu elements; the operation has unsigned short, %zu elements",
                         pop_type_name(pop_tensor_type(meta_info)), pop_tensor_num_elements(meta_info), elements);
    *cells = sparse_cells_of(call, meta_info, (pop_tensor){ 0 });
    return true;
}

bool sparse_operand_take(const struct call *call, const struct sparse_request *request,
                         popsparse_dynamic_sparse_tensor operand, struct sparse_cells *cells)
{
    size_t elements = request->plan.cells * request->plan.nz;
    if (!sparse_request_check_key(call, request, operand.op) ||
        !sparse_operand_take_pattern(call, request, operand.meta_info, cells) ||
        !call_takes_shape(call, "the tensor of non-zero values", operand.nz_values, request->shape.type,
                          POP_SHAPE(elements)))
        return false;
    cells->values = operand.nz_values;
    return true;
}
