// SPDX-License-Identifier: Apache-2.0
// A variable of a popsolver::Model: an index that the model assigns, from 0 on.
#ifndef POPSOLVER_VARIABLE_HPP
#define POPSOLVER_VARIABLE_HPP

#include <popsolver/popsolver.h>

#include <cstddef>

namespace popsolver
{

// A variable of a model. A value: the model owns the variable.
struct Variable {
    Variable() : id(~0u)
    {
    } // no variable
    // The variable of a number.
    explicit Variable(unsigned id_) : id(id_)
    {
    }
    // C's numbers start at 1, and 0 means none.
    Variable(popsolver_variable variable) : id(variable.id - 1)
    {
    }
    // The C interface's variable.
    operator popsolver_variable() const
    {
        popsolver_variable variable = { id + 1 };
        return variable;
    }

    unsigned id;
};

inline bool operator==(Variable a, Variable b)
{
    return a.id == b.id;
}
inline bool operator!=(Variable a, Variable b)
{
    return a.id != b.id;
}
inline bool operator<(Variable a, Variable b)
{
    return a.id < b.id;
}
inline std::size_t hash_value(Variable variable)
{
    return variable.id;
}

} // namespace popsolver
#endif
