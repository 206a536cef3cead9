// SPDX-License-Identifier: Apache-2.0
// A variable of a popsolver::Model: a number that the model hands out, from 0 on.
#ifndef POPSOLVER_VARIABLE_HPP
#define POPSOLVER_VARIABLE_HPP

#include <popsolver/popsolver.h>

namespace popsolver
{

struct Variable {
    Variable() : id(~0u)
    {
    } // none
    explicit Variable(unsigned id_) : id(id_)
    {
    }
    // As C has it: from 1 on, 0 for none.
    Variable(popsolver_variable variable) : id(variable.id - 1)
    {
    }
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

} // namespace popsolver
#endif
