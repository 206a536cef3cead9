// SPDX-License-Identifier: Apache-2.0
// Functions of the host that programs call.
#ifndef POPLAR_HOST_FUNCTION_CALLBACK_HPP
#define POPLAR_HOST_FUNCTION_CALLBACK_HPP

#include <poplar/ArrayRef.hpp>
#include <poplar/detail/callback_owner.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace poplar
{

// A host function as an object: the host calls it with the arguments of a run.
class HostCallback
{
  public:
    virtual ~HostCallback()
    {
    }
    // One pointer for each argument.
    virtual void operator()(ArrayRef<const void *> inputs, ArrayRef<void *> outputs) = 0;
};

namespace detail
{

template <typename F> class FunctionHostCallback : public HostCallback
{
  public:
    template <typename G> explicit FunctionHostCallback(G &&from) : function(std::forward<G>(from))
    {
    }
    void operator()(ArrayRef<const void *> inputs, ArrayRef<void *> outputs) override
    {
        function(inputs, outputs);
    }

  private:
    F function;
};

} // namespace detail

// A callback object, or anything that can be called with inputs and outputs.
class HostCallbackHandle
{
  public:
    // Takes ownership of an object.
    template <typename C, typename D, typename std::enable_if<std::is_base_of<HostCallback, C>::value, int>::type = 0>
    HostCallbackHandle(std::unique_ptr<C, D> own)
    {
        detail::CallbackPointer<C, D> *kept = new detail::CallbackPointer<C, D>(own);
        shared = detail::Handle(kept);
        callback = kept->callback;
    }
    // Makes an object of a function or a lambda.
    template <typename F, typename = decltype(std::declval<typename std::decay<F>::type &>()(
                              std::declval<ArrayRef<const void *>>(), std::declval<ArrayRef<void *>>()))>
    HostCallbackHandle(F &&function)
    {
        typedef detail::FunctionHostCallback<typename std::decay<F>::type> Callback;
        detail::CallbackOwner<Callback> *own = new detail::CallbackOwner<Callback>(std::forward<F>(function));
        shared = detail::Handle(own);
        callback = &own->owned;
    }

    HostCallback &operator*() const
    {
        return *callback;
    }
    explicit operator bool() const
    {
        return callback != nullptr;
    }

  private:
    HostCallback *callback;
    detail::Handle shared; // the owner
};

} // namespace poplar
#endif
