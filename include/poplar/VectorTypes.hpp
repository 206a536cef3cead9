// SPDX-License-Identifier: Apache-2.0
// A field with any number of elements: plain state, the elements of an edge (InOutTypes.hpp), or a vector of edges.
#ifndef POPLAR_VECTOR_TYPES_HPP
#define POPLAR_VECTOR_TYPES_HPP

#include <poplar/VectorLayout.hpp>

#include <stddef.h>

class quarter;

namespace poplar
{
namespace detail
{

constexpr bool layoutHasSize(VectorLayout layout)
{
    return layout == VectorLayout::SPAN || layout == VectorLayout::SHORT_SPAN;
}

// The engine fills these members in, at offsets that popc reads from this type: it may have no others.
template <class T, bool Sized> class VectorStorage
{
  protected:
    T *pointer;
};
template <class T> class VectorStorage<T, true>
{
  public:
    size_t size() const
    {
        return count;
    }
    bool empty() const
    {
        return count == 0;
    }
    T *begin()
    {
        return pointer;
    }
    T *end()
    {
        return pointer + count;
    }
    const T *begin() const
    {
        return pointer;
    }
    const T *end() const
    {
        return pointer + count;
    }
    const T *cbegin() const
    {
        return pointer;
    }
    const T *cend() const
    {
        return pointer + count;
    }
    T &front()
    {
        return pointer[0];
    }
    const T &front() const
    {
        return pointer[0];
    }
    T &back()
    {
        return pointer[count - 1];
    }
    const T &back() const
    {
        return pointer[count - 1];
    }

  protected:
    T *pointer;
    size_t count;
};

// 8-bit floats have a member more: the engine fills it in too, with the metadata of the tensor.
template <class T> class VectorMetadata
{
};
template <> class VectorMetadata<quarter>
{
  public:
    // Format and scale of the elements (QuarterFloat.hpp).
    const unsigned char *getMetadata() const
    {
        return metadata;
    }

  private:
    const unsigned char *metadata;
};

} // namespace detail

// MinAlign: alignment of the first element in bytes.  Interleaved: in the memory region that can be read 128 bits at a
// time. Only SPAN and SHORT_SPAN have size(), begin() and end().
template <class T, VectorLayout L = VectorLayout::SPAN, unsigned MinAlign = alignof(T), bool Interleaved = false>
class Vector : public detail::VectorStorage<T, detail::layoutHasSize(L)>, public detail::VectorMetadata<T>
{
    static_assert(sizeof(T) > 0, "popc reads a field's elements although nothing in compute() uses them");

  public:
    typedef T value_type;
    typedef T *iterator;
    typedef const T *const_iterator;

    // An element by its index.
    T &operator[](size_t index)
    {
        return this->pointer[index];
    }
    const T &operator[](size_t index) const
    {
        return this->pointer[index];
    }
    // The first element.
    T *data()
    {
        return this->pointer;
    }
    const T *data() const
    {
        return this->pointer;
    }
    // The first element.
    T &operator*()
    {
        return *this->pointer;
    }
    const T &operator*() const
    {
        return *this->pointer;
    }
};

} // namespace poplar

#endif
