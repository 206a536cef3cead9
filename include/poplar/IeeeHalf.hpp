// SPDX-License-Identifier: Apache-2.0
// The name of half in programs for the host.
#ifndef POPLAR_IEEE_HALF_HPP
#define POPLAR_IEEE_HALF_HPP

#include <poplar/HalfFloat.hpp>
#include <poplar/detail/half_type.hpp>

namespace poplar
{
typedef ::half IeeeHalf; // Half precision on the host.
} // namespace poplar

#endif
