// SPDX-License-Identifier: Apache-2.0
// All types of vertex fields.
#ifndef POPLAR_FIELD_TYPES_HPP
#define POPLAR_FIELD_TYPES_HPP

#include <poplar/InOutTypes.hpp>
#include <poplar/VectorLayout.hpp>
#include <poplar/VectorListTypes.hpp>
#include <poplar/VectorTypes.hpp>

#endif
