// SPDX-License-Identifier: Apache-2.0
// Whole numbers: quotients that are rounded, multiples, powers of two.
#ifndef GCCS_ALGORITHM_HPP
#define GCCS_ALGORITHM_HPP

#include <cstddef>
#include <type_traits>
#include <vector>

namespace gccs
{

// Operands of two types are taken in the wider one; none is negative, and no divisor is 0.
template <typename T, typename U> using Common = typename std::common_type<T, U>::type;

// x / y rounded down, and up.
template <typename T, typename U> constexpr Common<T, U> floordiv(const T &x, const U &y)
{
    return static_cast<Common<T, U>>(x) / static_cast<Common<T, U>>(y);
}
template <typename T, typename U> constexpr Common<T, U> ceildiv(const T &x, const U &y)
{
    return floordiv(x, y) + (static_cast<Common<T, U>>(x) % static_cast<Common<T, U>>(y) != 0 ? 1 : 0);
}
// The multiple of y at or above x, and at or below it.
template <typename T, typename U> constexpr Common<T, U> alignNext(const T &x, const U &y)
{
    return ceildiv(x, y) * static_cast<Common<T, U>>(y);
}
template <typename T, typename U> constexpr Common<T, U> alignPrev(const T &x, const U &y)
{
    return floordiv(x, y) * static_cast<Common<T, U>>(y);
}

template <typename T> constexpr bool isPowerOf2(const T &x)
{
    return x > 0 && (x & (x - 1)) == 0;
}
// The greatest n with 2^n <= x, and the least with 2^n >= x; x is above 0.
template <typename T> constexpr unsigned floorLog2(const T &x)
{
    return x <= 1 ? 0 : 1 + floorLog2(static_cast<T>(x / 2));
}
template <typename T> constexpr unsigned ceilLog2(const T &x)
{
    return floorLog2(x) + (isPowerOf2(x) ? 0 : 1);
}
// 1 + 2 + ... + n.
template <typename T> constexpr T nthTriangular(const T &n)
{
    return n % 2 ? (n + 1) / 2 * n : n / 2 * (n + 1);
}
// The sizes of parts of n, which differ by 1 at most: the larger ones first.
inline std::vector<int> balancedPartition(int n, int parts)
{
    std::vector<int> sizes;
    for (int i = 0; i < parts; ++i)
        sizes.push_back(n / parts + (i < n % parts ? 1 : 0));
    return sizes;
}
// The greatest common divisor, and the least common multiple.
template <typename T> constexpr T gcd(const T &a, const T &b)
{
    return b == T(0) ? a : gcd<T>(b, a % b);
}
template <typename T> constexpr T lcm(const T &a, const T &b)
{
    return a == T(0) || b == T(0) ? T(0) : a / gcd(a, b) * b;
}

} // namespace gccs
#endif
