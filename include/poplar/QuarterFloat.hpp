// SPDX-License-Identifier: Apache-2.0
// 8-bit floats in codelets (Quarter.hpp).
#ifndef POPLAR_QUARTER_FLOAT_HPP
#define POPLAR_QUARTER_FLOAT_HPP

#include <poplar/HalfFloat.hpp>
#include <poplar/Quarter.hpp>

#endif
