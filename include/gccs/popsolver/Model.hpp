// SPDX-License-Identifier: Apache-2.0
// Where releases from 3.0 on keep popsolver.
#ifndef GCCS_POPSOLVER_MODEL_HPP
#define GCCS_POPSOLVER_MODEL_HPP

#include <popsolver/Model.hpp>

namespace gccs
{
namespace popsolver = ::popsolver;
}
#endif
