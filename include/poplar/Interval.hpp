// SPDX-License-Identifier: Apache-2.0
// Half-open ranges, [begin, end).
#ifndef POPLAR_INTERVAL_HPP
#define POPLAR_INTERVAL_HPP

#include <poplar/detail/standard.hpp>

#include <cstddef>
#include <functional>
#include <ostream>
#include <string>

namespace poplar
{

namespace detail
{
// A bound of an interval: programs use it both as a member and as a function.
template <typename T> struct Bound {
    constexpr Bound() : value()
    {
    }
    constexpr Bound(T is) : value(is)
    {
    }
    constexpr operator const T &() const
    {
        return value;
    }
    constexpr const T &operator()() const
    {
        return value;
    }

    T value;
};
} // namespace detail

template <typename T> struct GenericInterval {
    typedef T value_type;

    constexpr GenericInterval() : lower(), upper()
    {
    }
    // The interval [begin, end).
    constexpr GenericInterval(T begin, T end) : lower(begin), upper(end)
    {
    }

    constexpr const T &begin() const
    {
        return lower.value;
    }
    constexpr const T &end() const
    {
        return upper.value;
    }
    constexpr T size() const
    {
        return upper.value - lower.value;
    }

    friend bool operator==(const GenericInterval &a, const GenericInterval &b)
    {
        return a.begin() == b.begin() && a.end() == b.end();
    }
    friend bool operator!=(const GenericInterval &a, const GenericInterval &b)
    {
        return !(a == b);
    }
    friend bool operator<(const GenericInterval &a, const GenericInterval &b)
    {
        return a.begin() < b.begin() || (a.begin() == b.begin() && a.end() < b.end());
    }
    friend std::size_t hash_value(const GenericInterval &interval)
    {
        return std::hash<T>()(interval.begin()) * 31 + std::hash<T>()(interval.end());
    }
    friend std::ostream &operator<<(std::ostream &out, const GenericInterval &interval)
    {
        return out << '[' << std::to_string(interval.begin()) << ':' << std::to_string(interval.end()) << ')';
    }

    detail::Bound<T> lower, upper; // the first element, and the one after the last
};

typedef GenericInterval<std::size_t> Interval; // An interval of elements.

} // namespace poplar
#endif
