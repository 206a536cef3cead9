// SPDX-License-Identifier: Apache-2.0
// Alignment of pointers and sizes.
#ifndef POPLAR_ALIGNMENT_HPP
#define POPLAR_ALIGNMENT_HPP

#include <stddef.h>

namespace poplar
{

// Returns the pointer; the compiler may assume that it is aligned to the given number of bytes.
template <unsigned Bytes, class T> inline T *assumeAligned(T *pointer)
{
    return static_cast<T *>(__builtin_assume_aligned(pointer, Bytes));
}

// The next multiple of alignment, a power of two.
constexpr size_t alignUp(size_t value, size_t alignment)
{
    return (value + alignment - 1) & ~(alignment - 1);
}

} // namespace poplar

#endif
