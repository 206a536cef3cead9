// SPDX-License-Identifier: Apache-2.0
// Where releases from 3.0 on keep popsolver.
#ifndef GCCS_POPSOLVER_VARIABLE_HPP
#define GCCS_POPSOLVER_VARIABLE_HPP

#include <popsolver/Variable.hpp>

namespace gccs
{
namespace popsolver = ::popsolver;
}
#endif
