// SPDX-License-Identifier: Apache-2.0
// The tensors of a model's values: each is laid out as the operator wants it that reads it first.
#ifndef FRAMEWORK_TENSORS_HPP
#define FRAMEWORK_TENSORS_HPP

#include "ir.hpp"

#include <gcl/CollectiveBalancedReorder.hpp>
#include <poplar/Graph.hpp>
#include <poplin/MatMul.hpp>

#include <memory>

namespace framework
{

class Tensors
{
  public:
    Tensors(const Ir &model, poplar::Graph &of) : ir(model), graph(of)
    {
    }
    // Adds variables for all values that are no results.
    void declareAll();
    const poplar::Tensor &operator[](const std::string &name) const;
    void set(const std::string &name, const poplar::Tensor &tensor);
    // How a parameter's states are divided among the replicas.
    gcl::CollectiveBalancedReorder &division(const std::string &parameter);
    std::map<std::string, std::unique_ptr<gcl::CollectiveBalancedReorder>> &divisions()
    {
        return reorders;
    }
    // One plan for each product, for all that create or compute it.
    poplin::matmul::PlanningCache *plans()
    {
        return &cache;
    }

  private:
    const Ir &ir;
    poplar::Graph &graph;
    std::map<std::string, poplar::Tensor> named;
    std::map<std::string, std::unique_ptr<gcl::CollectiveBalancedReorder>> reorders;
    poplin::matmul::PlanningCache cache;

    poplar::Tensor variable(const Value &value);
    void divide(const Value &state);
};

} // namespace framework
#endif
