// SPDX-License-Identifier: Apache-2.0
// printf in codelets: to the standard output of the program that runs the engine.  A half and an edge (Input<float> x)
// print as the number that they are.
#ifndef POPLAR_PRINT_H
#define POPLAR_PRINT_H

#ifndef __cplusplus
int printf(const char *format, ...);
#else
extern "C" int printf(const char *format, ...) __attribute__((__format__(__printf__, 1, 2)));

#include <poplar/InOutTypes.hpp>

namespace poplar
{
namespace detail
{
template <class T> inline const T &printed(const T &value)
{
    return value;
}
inline double printed(const half &value)
{
    return static_cast<double>(static_cast<float>(value));
}
template <class T> inline auto printed(const Input<T> &edge) -> decltype(printed(*edge))
{
    return printed(*edge);
}
template <class T> inline auto printed(const Output<T> &edge) -> decltype(printed(*edge))
{
    return printed(*edge);
}
template <class T> inline auto printed(const InOut<T> &edge) -> decltype(printed(*edge))
{
    return printed(*edge);
}

// Whether an argument is of a class: only then is a call not C's own, whose formats compilers check.
template <bool...> struct Bools;
template <class A, class B> struct Different {
    typedef int type;
};
template <class A> struct Different<A, A> {
};
template <class... A> struct AnyClass : Different<Bools<false, __is_class(A)...>, Bools<__is_class(A)..., false>> {
};
} // namespace detail
} // namespace poplar

template <class... A, class = typename poplar::detail::AnyClass<A...>::type>
inline int printf(const char *format, const A &...values)
{
    return ::printf(format, poplar::detail::printed(values)...);
}
#endif

#endif
