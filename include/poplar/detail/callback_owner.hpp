// SPDX-License-Identifier: Apache-2.0
// The shared owner of callback handles: a callback, or a pointer to one with its deleter.
#ifndef POPLAR_DETAIL_CALLBACK_OWNER_HPP
#define POPLAR_DETAIL_CALLBACK_OWNER_HPP

#include <poplar/detail/counted.hpp>

#include <memory>
#include <utility>

namespace poplar
{
namespace detail
{

template <typename T> struct CallbackOwner : Counted {
    template <typename U> explicit CallbackOwner(U &&from) : Counted(end), owned(std::forward<U>(from))
    {
    }
    static void end(Counted *self)
    {
        delete static_cast<CallbackOwner *>(self);
    }
    T owned;
};

// A std::unique_ptr in parts: to move one as a whole takes longer to compile.
template <typename C, typename D> struct CallbackPointer : Counted {
    explicit CallbackPointer(std::unique_ptr<C, D> &from)
        : Counted(end), callback(from.get()), deleter(std::forward<D>(from.get_deleter()))
    {
        from.release();
    }
    static void end(Counted *self)
    {
        CallbackPointer *own = static_cast<CallbackPointer *>(self);
        if (own->callback)
            own->deleter(own->callback);
        delete own;
    }
    C *callback;
    D deleter;
};
template <typename C> struct CallbackPointer<C, std::default_delete<C>> : Counted {
    explicit CallbackPointer(std::unique_ptr<C> &from) : Counted(end), callback(from.release())
    {
    }
    static void end(Counted *self)
    {
        delete static_cast<CallbackPointer *>(self)->callback;
        delete static_cast<CallbackPointer *>(self);
    }
    C *callback;
};

} // namespace detail
} // namespace poplar
#endif
