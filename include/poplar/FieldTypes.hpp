// SPDX-License-Identifier: Apache-2.0
// Everything that a field of a vertex can be.
#ifndef POPLAR_FIELD_TYPES_HPP
#define POPLAR_FIELD_TYPES_HPP

#include <poplar/InOutTypes.hpp>
#include <poplar/VectorLayout.hpp>
#include <poplar/VectorListTypes.hpp>
#include <poplar/VectorTypes.hpp>

#endif
