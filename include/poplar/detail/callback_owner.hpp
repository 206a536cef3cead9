// SPDX-License-Identifier: Apache-2.0
// What the handles of callbacks share: a callback, or the pointer that owns one.
#ifndef POPLAR_DETAIL_CALLBACK_OWNER_HPP
#define POPLAR_DETAIL_CALLBACK_OWNER_HPP

#include <poplar/detail/counted.hpp>

#include <utility>

namespace poplar {
namespace detail {

template <typename T> struct CallbackOwner : Counted {
    template <typename U> explicit CallbackOwner(U &&from) : Counted(end), owned(std::forward<U>(from)) {}
    static void end(Counted *self) { delete static_cast<CallbackOwner *>(self); }
    T owned;
};

} // namespace detail
} // namespace poplar
#endif
