// SPDX-License-Identifier: Apache-2.0
// The type of values. Release 1.2 used unsigned, 2.0 a 64-bit class; this class supports both uses: it converts
// implicitly to integers, and mixes with them in comparisons and arithmetic. A value out of range of the requested type
// throws std::out_of_range.
#ifndef POPSOLVER_DATA_TYPE_HPP
#define POPSOLVER_DATA_TYPE_HPP

#include <poplar/detail/standard.hpp>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace popsolver
{

// An unsigned number of 64 bits, whose arithmetic throws where the result does not fit.
class DataType
{
  public:
    typedef std::uint64_t UnderlyingType; // The number that it holds.

    constexpr DataType() : value(0)
    {
    }
    // From a number.
    template <typename T, typename = typename std::enable_if<std::is_integral<T>::value>::type>
    constexpr explicit DataType(T number) : value(static_cast<UnderlyingType>(number))
    {
    }

    static constexpr DataType min()
    {
        return DataType(UnderlyingType(0));
    }
    static constexpr DataType max()
    {
        return DataType(std::numeric_limits<UnderlyingType>::max());
    }

    // The value: *x, x.getAs<unsigned>(), unsigned(x).
    constexpr const UnderlyingType &operator*() const
    {
        return value;
    }
    UnderlyingType &operator*()
    {
        return value;
    }
    // As another type; throws where the value does not fit.
    template <typename T> constexpr T getAs() const
    {
        return fits<T>(std::is_integral<T>())
                   ? static_cast<T>(value)
                   : throw std::out_of_range("a value of popsolver is too large for the requested type");
    }
    // As another type.
    template <typename T,
              typename = typename std::enable_if<std::is_arithmetic<T>::value && !std::is_same<T, bool>::value>::type>
    constexpr operator T() const
    {
        return getAs<T>();
    }

    DataType &operator++()
    {
        ++value;
        return *this;
    }
    DataType &operator--()
    {
        --value;
        return *this;
    }
    DataType operator++(int)
    {
        return DataType(value++);
    }
    DataType operator--(int)
    {
        return DataType(value--);
    }

  private:
    template <typename T> constexpr bool fits(std::true_type) const
    {
        return value <= static_cast<UnderlyingType>(std::numeric_limits<T>::max());
    }
    template <typename T> constexpr bool fits(std::false_type) const
    {
        return true; // floating point
    }

    UnderlyingType value;
};

// Each operator for two of these, and for one and an integer.
#define POPSOLVER_OPERATION(TEMPLATE, symbol, Result, A, B, a_, b_)                                                    \
    TEMPLATE constexpr Result operator symbol(A a, B b)                                                                \
    {                                                                                                                  \
        return Result(a_ symbol b_);                                                                                   \
    }
#define POPSOLVER_NUMBER   template <typename T, typename = typename std::enable_if<std::is_integral<T>::value>::type>
#define POPSOLVER_VALUE(n) static_cast<DataType::UnderlyingType>(n)
#define POPSOLVER_OPERATOR(symbol, Result)                                                                             \
    POPSOLVER_OPERATION(inline, symbol, Result, const DataType &, const DataType &, *a, *b)                            \
    POPSOLVER_OPERATION(POPSOLVER_NUMBER, symbol, Result, const DataType &, T, *a, POPSOLVER_VALUE(b))                 \
    POPSOLVER_OPERATION(POPSOLVER_NUMBER, symbol, Result, T, const DataType &, POPSOLVER_VALUE(a), *b)
#define POPSOLVER_ARITHMETIC(symbol)                                                                                   \
    POPSOLVER_OPERATOR(symbol, DataType)                                                                               \
    template <typename T> DataType &operator symbol##=(DataType &a, T b)                                               \
    {                                                                                                                  \
        return a = a symbol b;                                                                                         \
    }
POPSOLVER_OPERATOR(==, bool)
POPSOLVER_OPERATOR(!=, bool)
POPSOLVER_OPERATOR(<, bool)
POPSOLVER_OPERATOR(<=, bool)
POPSOLVER_OPERATOR(>, bool)
POPSOLVER_OPERATOR(>=, bool)
POPSOLVER_ARITHMETIC(+)
POPSOLVER_ARITHMETIC(-)
POPSOLVER_ARITHMETIC(*)
POPSOLVER_ARITHMETIC(/)
POPSOLVER_ARITHMETIC(%)
#undef POPSOLVER_ARITHMETIC
#undef POPSOLVER_OPERATION
#undef POPSOLVER_NUMBER
#undef POPSOLVER_VALUE
#undef POPSOLVER_OPERATOR

// Stream output and input as a number. (Templates, so that only users include <ostream>.)
template <typename Traits>
std::basic_ostream<char, Traits> &operator<<(std::basic_ostream<char, Traits> &out, DataType value)
{
    return out << std::to_string(*value);
}
// Reads a number.
template <typename Traits>
std::basic_istream<char, Traits> &operator>>(std::basic_istream<char, Traits> &in, DataType &value)
{
    const typename std::basic_istream<char, Traits>::sentry ready(in); // skips blanks
    DataType::UnderlyingType number = 0;
    bool any = false, fits = true;
    for (int c = ready ? in.peek() : -1; c >= '0' && c <= '9'; c = in.peek()) {
        const unsigned digit = static_cast<unsigned>(c - '0');
        fits = fits && number <= (std::numeric_limits<DataType::UnderlyingType>::max() - digit) / 10;
        number = number * 10 + digit;
        any = true;
        in.get();
    }
    if (any && fits)
        value = DataType(number);
    else
        in.setstate(std::basic_istream<char, Traits>::failbit);
    return in;
}

} // namespace popsolver

namespace std
{
template <> struct hash<popsolver::DataType> {
    size_t operator()(popsolver::DataType value) const
    {
        return hash<popsolver::DataType::UnderlyingType>()(*value);
    }
};
template <> struct numeric_limits<popsolver::DataType> : numeric_limits<popsolver::DataType::UnderlyingType> {
    static constexpr popsolver::DataType min() noexcept
    {
        return popsolver::DataType::min();
    }
    static constexpr popsolver::DataType max() noexcept
    {
        return popsolver::DataType::max();
    }
    static constexpr popsolver::DataType lowest() noexcept
    {
        return popsolver::DataType::min();
    }
};
} // namespace std
#endif
