// SPDX-License-Identifier: Apache-2.0
// A variable of a graph, by number, and ranges of one.
#ifndef POPLAR_VARIABLE_REF_HPP
#define POPLAR_VARIABLE_REF_HPP

#include <poplar/Interval.hpp>
#include <poplar/detail/standard.hpp>

#include <functional>

namespace poplar
{

// A variable of a graph.
class VariableRef
{
  public:
    // The variable of a number, with its replication factor.
    VariableRef(unsigned variable, unsigned replication) : id(variable), factor(replication)
    {
    }
    // The variable's number in its graph.
    unsigned getId() const
    {
        return id;
    }
    // Replicas that have their own data.
    unsigned replicationFactor() const
    {
        return factor;
    }
    std::size_t hash() const
    {
        return id;
    }
    friend bool operator==(const VariableRef &a, const VariableRef &b)
    {
        return a.id == b.id;
    }
    friend bool operator!=(const VariableRef &a, const VariableRef &b)
    {
        return a.id != b.id;
    }
    friend bool operator<(const VariableRef &a, const VariableRef &b)
    {
        return a.id < b.id;
    }
    friend std::size_t hash_value(const VariableRef &variable)
    {
        return variable.hash();
    }

  private:
    unsigned id, factor;
};

// A range of a variable's elements.
struct VariableInterval {
    VariableRef var; // the variable
    Interval interval;
    // A range of a variable.
    VariableInterval(VariableRef variable, Interval range) : var(variable), interval(range)
    {
    }
    friend bool operator==(const VariableInterval &a, const VariableInterval &b)
    {
        return a.var == b.var && a.interval == b.interval;
    }
    friend bool operator!=(const VariableInterval &a, const VariableInterval &b)
    {
        return !(a == b);
    }
    friend bool operator<(const VariableInterval &a, const VariableInterval &b)
    {
        return a.var < b.var || (a.var == b.var && a.interval < b.interval);
    }
    friend std::size_t hash_value(const VariableInterval &part)
    {
        return hash_value(part.var) * 31 + hash_value(part.interval);
    }
};

} // namespace poplar

namespace std
{
template <> struct hash<poplar::VariableRef> {
    size_t operator()(const poplar::VariableRef &variable) const
    {
        return variable.hash();
    }
};
} // namespace std
#endif
