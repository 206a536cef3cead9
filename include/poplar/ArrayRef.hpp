// SPDX-License-Identifier: Apache-2.0
// A borrowed view of contiguous elements: the parameter type of calls that take a list.  It must not outlive the list.
#ifndef POPLAR_ARRAY_REF_HPP
#define POPLAR_ARRAY_REF_HPP

#include <poplar/detail/standard.hpp>

#include <array>
#include <cstddef>
#include <initializer_list>
#include <vector>

namespace poplar
{

// A sequence of values that belong to somebody else: borrowed, for the time of a call.
template <typename T> class ArrayRef
{
  public:
    typedef T value_type;
    typedef const T *const_iterator;
    typedef const T *iterator;
    typedef const T &const_reference;
    typedef const T &reference;
    typedef std::size_t size_type;
    typedef std::ptrdiff_t difference_type;

    constexpr ArrayRef() : pointer(nullptr), count(0)
    {
    }
    // `elements` values from first on.
    constexpr ArrayRef(const T *first, std::size_t elements) : pointer(first), count(elements)
    {
    }
    template <typename A> ArrayRef(const std::vector<T, A> &list) : pointer(list.data()), count(list.size())
    {
    }
    template <std::size_t N> constexpr ArrayRef(const std::array<T, N> &list) : pointer(list.data()), count(N)
    {
    }
    // All of an array.
    template <std::size_t N> constexpr ArrayRef(const T (&list)[N]) : pointer(list), count(N)
    {
    }
    // The list lives as long as the call that it is written in.
    constexpr ArrayRef(std::initializer_list<T> list) : pointer(first_of(list)), count(list.size())
    {
    }

    // Always inline: calls would increase the compile time of programs, for every T.
    [[gnu::always_inline]] constexpr const T *data() const
    {
        return pointer;
    }
    [[gnu::always_inline]] constexpr std::size_t size() const
    {
        return count;
    }
    constexpr std::size_t max_size() const
    {
        return count;
    }
    [[gnu::always_inline]] constexpr bool empty() const
    {
        return count == 0;
    }
    [[gnu::always_inline]] constexpr const T &operator[](std::size_t index) const
    {
        return pointer[index];
    }
    constexpr const T &front() const
    {
        return pointer[0];
    }
    constexpr const T &back() const
    {
        return pointer[count - 1];
    }
    [[gnu::always_inline]] constexpr const_iterator begin() const
    {
        return pointer;
    }
    [[gnu::always_inline]] constexpr const_iterator end() const
    {
        return pointer + count;
    }
    constexpr const_iterator cbegin() const
    {
        return pointer;
    }
    constexpr const_iterator cend() const
    {
        return pointer + count;
    }
    // A vector with copies of the values.
    std::vector<T> cloneAsVector() const
    {
        return std::vector<T>(begin(), end());
    }

  protected:
    const T *pointer;
    std::size_t count;

  private:
    // A function of its own: gcc warns of constructors that keep what begin() returns.
    [[gnu::always_inline]] static constexpr const T *first_of(std::initializer_list<T> list)
    {
        return list.begin();
    }
};

template <typename T> bool operator==(const ArrayRef<T> &a, const ArrayRef<T> &b)
{
    if (a.size() != b.size())
        return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!(a[i] == b[i]))
            return false;
    return true;
}
template <typename T> bool operator!=(const ArrayRef<T> &a, const ArrayRef<T> &b)
{
    return !(a == b);
}

} // namespace poplar

// The namespace of version 3.
namespace gccs
{
// The class itself, so that its element type is deduced: gccs::ArrayRef list(vector).
using poplar::ArrayRef;
} // namespace gccs
#endif
