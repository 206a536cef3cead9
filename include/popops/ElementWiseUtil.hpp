// SPDX-License-Identifier: Apache-2.0
// Outputs of element-wise operations (popops/element_wise.h).
#ifndef POPOPS_ELEMENT_WISE_UTIL_HPP
#define POPOPS_ELEMENT_WISE_UTIL_HPP

#include <popops/element_wise.h>
#include <poputil/detail/call.hpp>

namespace popops
{

// A variable of the given type: a clone of the most evenly spread input among those that have the output's shape.
inline poplar::Tensor createOutputForElementWiseOp(poplar::Graph &graph, const std::vector<poplar::Tensor> &inputs,
                                                   const poplar::Type &outputType,
                                                   const poplar::DebugContext &debugContext = {})
{
    std::vector<pop_tensor> list;
    for (const poplar::Tensor &input : inputs)
        list.push_back(input.c());
    pop_tensors borrowed = { list.size(), list.data() };
    return poputil::detail::give(
        graph.c(), popops_create_output_for_element_wise_op_at(poplar::detail::where(debugContext), graph.c(), borrowed,
                                                               outputType.c(), poplar::detail::name(debugContext)));
}

} // namespace popops
#endif
