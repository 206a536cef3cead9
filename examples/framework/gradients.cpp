// SPDX-License-Identifier: Apache-2.0
#include "gradients.hpp"

#include "operators.hpp"

#include <stdexcept>

namespace framework
{

std::map<std::string, std::string> addGradients(Ir &ir, const std::string &loss, const std::string &seed)
{
    std::map<std::string, std::string> known = { { loss, seed } }, ofParameters;
    const std::vector<Op> forward = ir.ops(Phase::Forward); // a copy: operators are added to ir
    for (auto op = forward.rbegin(); op != forward.rend(); ++op) {
        const auto ofResult = op->outputs.empty() ? known.end() : known.find(op->outputs[0]);
        const Operator &type = operatorNamed(op->type);
        if (ofResult == known.end() || !type.gradients)
            continue; // the loss does not depend on it
        ir.enter(op->layer, op->where);
        const Names gradients = type.gradients(ir, *op, ofResult->second);
        for (std::size_t i = 0; i < gradients.size(); ++i) {
            if (gradients[i].empty())
                continue;
            if (!known.emplace(op->inputs[i], gradients[i]).second)
                throw std::invalid_argument("'" + op->inputs[i] + "' is used twice: gradients are not added up");
            if (ir.value(op->inputs[i]).role == Role::Parameter)
                ofParameters[op->inputs[i]] = gradients[i];
        }
    }
    return ofParameters;
}

} // namespace framework
