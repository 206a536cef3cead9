// SPDX-License-Identifier: Apache-2.0
// The element type of half is HALF.
#ifndef POPLAR_DETAIL_HALF_TYPE_HPP
#define POPLAR_DETAIL_HALF_TYPE_HPP

#include <poplar/HalfFloat.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>
#include <poplar/detail/host_type.hpp>

namespace poplar
{

POPLAR_DECLARE_EQUIV_TYPE(::half, HALF)

namespace detail
{

template <> struct HostType<::half, false> {
    static constexpr pop_type value = POP_HALF;
};
template <> struct IsSimple<::half> {
    static constexpr bool value = true;
};

} // namespace detail
} // namespace poplar
#endif
