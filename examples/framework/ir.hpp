// SPDX-License-Identifier: Apache-2.0
// The intermediate representation: values and operators of a model, before anything is known of a device.
#ifndef FRAMEWORK_IR_HPP
#define FRAMEWORK_IR_HPP

#include <poplar/DebugContext.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace framework
{

using Shape = std::vector<std::size_t>;
using Names = std::vector<std::string>;
using Attributes = std::map<std::string, double>;

// Where a value comes from.
enum class Role {
    Input,       // from the host, another one for each micro batch
    Scalar,      // from the host, once a step
    Parameter,   // the copy of a weight that operators read, the same in all replicas
    State,       // what the optimiser keeps of a parameter: each replica has a part of it
    Accumulator, // the sum of a parameter's gradients over micro batches
    Result       // of an operator
};

struct Value {
    std::string name;
    poplar::Type type;
    Shape shape;
    Role role = Role::Result;
    std::string parameter = {}; // of states and accumulators: the parameter that they belong to
};

struct Op {
    unsigned id;
    std::string type;  // "MatMul"
    std::string layer; // of the model: "hidden"
    Names inputs, outputs;
    Attributes attributes;
    poplar::SourceLocation where; // the line of the model that it is for

    // What identifies the operator in reports: "MatMul:3".
    std::string opid() const;
    double attribute(const std::string &name) const; // 0 if it is not set
};

// When an operator runs.
enum class Phase { Forward, Backward, Update };

class Ir
{
  public:
    // Adds a value that no operator computes; throws std::invalid_argument if there is one of that name.
    std::string declare(Value value);
    // Adds an operator; returns the names of its results, whose types and shapes follow from those of its inputs.
    // The operator is for the caller's line, unless enter has named another.
    Names apply(Phase phase, const std::string &type, const Names &inputs, const Attributes &attributes = {},
                const poplar::SourceLocation &where = poplar::SourceLocation::Current());
    // Operators that are added from now on belong to this layer of the model, and to a line: gradients to that of the
    // operator that they are of.
    void enter(const std::string &layer, const poplar::SourceLocation &where = poplar::SourceLocation())
    {
        currentLayer = layer;
        currentLine = where;
    }

    const Value &value(const std::string &name) const; // throws std::out_of_range
    bool has(const std::string &name) const
    {
        return named.count(name) != 0;
    }
    const std::vector<Op> &ops(Phase phase) const
    {
        return lists[static_cast<unsigned>(phase)];
    }
    // Values of a role, in the order of their names.
    std::vector<Value> values(Role role) const;

    // Everything, in an order that depends on nothing else: two models that print alike compile alike.
    void print(std::ostream &out) const;

  private:
    std::map<std::string, Value> named;
    std::vector<Op> lists[3];
    std::string currentLayer;
    poplar::SourceLocation currentLine;
    unsigned nextId = 0;
};

} // namespace framework
#endif
