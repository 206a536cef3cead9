// SPDX-License-Identifier: Apache-2.0
#include "ir.hpp"

#include "operators.hpp"

#include <stdexcept>

namespace framework
{

std::string Op::opid() const
{
    return type + ":" + std::to_string(id);
}

double Op::attribute(const std::string &name) const
{
    const auto found = attributes.find(name);
    return found == attributes.end() ? 0 : found->second;
}

std::string Ir::declare(Value value)
{
    const std::string name = value.name;
    if (!named.emplace(name, std::move(value)).second)
        throw std::invalid_argument("there are two values '" + name + "'");
    return name;
}

Names Ir::apply(Phase phase, const std::string &type, const Names &inputs, const Attributes &attributes,
                const poplar::SourceLocation &where)
{
    Op op{ nextId++, type, currentLayer, inputs, {}, attributes, currentLine.isValid() ? currentLine : where };
    for (Value &result : operatorNamed(type).results(*this, op)) {
        if (result.name.empty())
            result.name = (currentLayer.empty() ? "" : currentLayer + "/") + op.opid();
        op.outputs.push_back(declare(std::move(result)));
    }
    lists[static_cast<unsigned>(phase)].push_back(op);
    return op.outputs;
}

const Value &Ir::value(const std::string &name) const
{
    const auto found = named.find(name);
    if (found == named.end())
        throw std::out_of_range("there is no value '" + name + "'");
    return found->second;
}

std::vector<Value> Ir::values(Role role) const
{
    std::vector<Value> list;
    for (const auto &entry : named)
        if (entry.second.role == role)
            list.push_back(entry.second);
    return list;
}

static void printList(std::ostream &out, const Names &names)
{
    for (const std::string &name : names)
        out << ' ' << name;
}

void Ir::print(std::ostream &out) const
{
    static const char *const roles[] = { "input", "scalar", "parameter", "state", "accumulator", "result" };
    static const char *const phases[] = { "forward", "backward", "update" };
    for (const auto &entry : named) {
        const Value &v = entry.second;
        out << roles[static_cast<unsigned>(v.role)] << ' ' << v.name << ' ' << v.type;
        for (std::size_t size : v.shape)
            out << ' ' << size;
        out << ' ' << v.parameter << '\n';
    }
    for (unsigned phase = 0; phase < 3; ++phase)
        for (const Op &op : lists[phase]) {
            out << phases[phase] << ' ' << op.opid() << ' ' << op.layer << " :";
            printList(out, op.inputs);
            out << " ->";
            printList(out, op.outputs);
            for (const auto &attribute : op.attributes)
                out << ' ' << attribute.first << '=' << attribute.second;
            out << '\n';
        }
}

} // namespace framework
