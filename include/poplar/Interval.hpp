// SPDX-License-Identifier: Apache-2.0
// Half-open ranges, [begin, end).
#ifndef POPLAR_INTERVAL_HPP
#define POPLAR_INTERVAL_HPP

#include <poplar/detail/standard.hpp>

#include <cstddef>
#include <ostream>
#include <string>

namespace poplar {

template <typename T> struct GenericInterval {
    typedef T value_type;

    constexpr GenericInterval() : lower(), upper() {}
    constexpr GenericInterval(T begin, T end) : lower(begin), upper(end) {}

    constexpr const T &begin() const { return lower; }
    constexpr const T &end() const { return upper; }
    constexpr T size() const { return upper - lower; }

    friend bool operator==(const GenericInterval &a, const GenericInterval &b) { return a.lower == b.lower && a.upper == b.upper; }
    friend bool operator!=(const GenericInterval &a, const GenericInterval &b) { return !(a == b); }
    friend bool operator<(const GenericInterval &a, const GenericInterval &b)
    {
        return a.lower < b.lower || (a.lower == b.lower && a.upper < b.upper);
    }
    friend std::ostream &operator<<(std::ostream &out, const GenericInterval &interval)
    {
        return out << '[' << std::to_string(interval.lower) << ':' << std::to_string(interval.upper) << ')';
    }

    T lower, upper;
};

typedef GenericInterval<std::size_t> Interval;

} // namespace poplar
#endif
