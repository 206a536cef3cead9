// SPDX-License-Identifier: Apache-2.0
#include "tensors.hpp"

#include <poputil/TileMapping.hpp>

#include <stdexcept>

namespace framework
{

// The first product of the forward phase that reads a value, and which of its factors the value is.
static const Op *readingProduct(const Ir &ir, const std::string &name, unsigned &factor)
{
    for (const Op &op : ir.ops(Phase::Forward))
        for (factor = 0; op.type == "MatMul" && factor < 2; ++factor)
            if (op.inputs[factor] == name)
                return &op;
    return nullptr;
}

poplar::Tensor Tensors::variable(const Value &value)
{
    unsigned factor;
    if (const Op *product = readingProduct(ir, value.name, factor)) {
        const Shape &a = ir.value(product->inputs[0]).shape, &b = ir.value(product->inputs[1]).shape;
        return factor == 0 ? poplin::createMatMulInputLHS(graph, value.type, a, b, value.name, {}, &cache)
                           : poplin::createMatMulInputRHS(graph, value.type, a, b, value.name, {}, &cache);
    }
    const poplar::Tensor made = graph.addVariable(value.type, value.shape, value.name);
    poputil::mapTensorLinearly(graph, made);
    return made;
}

// A state has the elements of its replica, in an order that is balanced over the tiles.
void Tensors::divide(const Value &state)
{
    std::unique_ptr<gcl::CollectiveBalancedReorder> &reorder = reorders[state.parameter];
    if (!reorder)
        reorder.reset(new gcl::CollectiveBalancedReorder(graph, named.at(state.parameter), graph.getReplicationFactor(),
                                                         { state.parameter }));
    set(state.name, reorder->createReplicaSlice(state.type));
}

void Tensors::declareAll()
{
    for (const Role role : { Role::Input, Role::Parameter })
        for (const Value &value : ir.values(role))
            set(value.name, variable(value));
    for (const Value &value : ir.values(Role::Accumulator))
        set(value.name, graph.clone(value.type, named.at(value.parameter), value.name));
    for (const Value &value : ir.values(Role::State))
        divide(value);
    const std::vector<Value> scalars = ir.values(Role::Scalar);
    const poplar::Tensor all = graph.addVariable(poplar::FLOAT, { scalars.size() }, "scalars");
    graph.setTileMapping(all, 0);
    set("scalars", all);
    for (std::size_t i = 0; i < scalars.size(); ++i)
        set(scalars[i].name, all[i]);
}

const poplar::Tensor &Tensors::operator[](const std::string &name) const
{
    const auto found = named.find(name);
    if (found == named.end())
        throw std::out_of_range("'" + name + "' is read before it is computed");
    return found->second;
}

void Tensors::set(const std::string &name, const poplar::Tensor &tensor)
{
    named[name] = tensor;
}

gcl::CollectiveBalancedReorder &Tensors::division(const std::string &parameter)
{
    return *reorders.at(parameter);
}

} // namespace framework
