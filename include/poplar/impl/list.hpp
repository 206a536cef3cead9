// SPDX-License-Identifier: Apache-2.0
// Lists for C calls.
#ifndef POPLAR_IMPL_LIST_HPP
#define POPLAR_IMPL_LIST_HPP

#include <poplar/detail/list.hpp>

namespace poplar
{

namespace detail
{

POPLAR_IMPL Dims::Dims(ArrayRef<std::size_t> numbers)
    : count(numbers.size()), many(count > inlineCount ? count : 0, sizeof(unsigned))
{
    for (std::size_t i = 0; i < count; ++i)
        data()[i] = numbers[i] < ~0u ? static_cast<unsigned>(numbers[i]) : ~0u;
}

} // namespace detail

} // namespace poplar
#endif
