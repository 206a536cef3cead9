// SPDX-License-Identifier: Apache-2.0
// Rows of different lengths, in one field: list[i][j], list[i].size(), list.size().
#ifndef POPLAR_VECTOR_LIST_TYPES_HPP
#define POPLAR_VECTOR_LIST_TYPES_HPP

#include <poplar/VectorTypes.hpp>

namespace poplar
{

// The value of a VectorList field: vectors of a list.
template <class T, VectorListLayout L = VectorListLayout::COMPACT_DELTAN, unsigned MinAlign = alignof(T),
          bool Interleaved = false>
class VectorList : public detail::VectorStorage<Vector<T, VectorLayout::SPAN, MinAlign, Interleaved>, true>
{
  public:
    typedef Vector<T, VectorLayout::SPAN, MinAlign, Interleaved> value_type; // a row
    typedef value_type *iterator;
    typedef const value_type *const_iterator;

    // A vector of the list.
    value_type &operator[](size_t row)
    {
        return this->pointer[row];
    }
    const value_type &operator[](size_t row) const
    {
        return this->pointer[row];
    }
    // The first vector.
    value_type *data()
    {
        return this->pointer;
    }
    const value_type *data() const
    {
        return this->pointer;
    }
};

} // namespace poplar

#endif
