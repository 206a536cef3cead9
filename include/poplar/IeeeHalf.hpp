// SPDX-License-Identifier: Apache-2.0
// The name that programs for the host know half by.
#ifndef POPLAR_IEEE_HALF_HPP
#define POPLAR_IEEE_HALF_HPP

#include <poplar/HalfFloat.hpp>
#include <poplar/detail/half_type.hpp>

namespace poplar
{
typedef ::half IeeeHalf;
} // namespace poplar

#endif
