// SPDX-License-Identifier: Apache-2.0
// Callbacks of the host for transfers of a stream.
#ifndef POPLAR_STREAM_CALLBACK_HPP
#define POPLAR_STREAM_CALLBACK_HPP

#include <poplar/detail/callback_owner.hpp>
#include <poplar/detail/standard.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace poplar
{

// What kinds of stream callbacks have in common.
class StreamCallbackBase
{
  public:
    // Whether prefetch filled the buffer.
    enum Result { Success, NotAvailable };

    virtual ~StreamCallbackBase()
    {
    }
    // The transfer is over.
    virtual void complete()
    {
    }
    // The prefetched data will not be used.
    virtual void invalidatePrefetched()
    {
    }
};

// The functions of a stream, called by a run.
class StreamCallback : public StreamCallbackBase
{
  public:
    // May be called before the device needs the data: fills the buffer and returns Success, or returns NotAvailable.
    virtual Result prefetch(void *buffer) = 0;
    // Fills the buffer (host to device) or reads it (device to host).
    virtual void fetch(void *buffer) = 0;
};

// Never prefetches.
class LegacyStreamCallback : public StreamCallback
{
  public:
    Result prefetch(void *) override
    {
        return NotAvailable;
    }
};

// A fetch that may wait for another thread.  Here each fetch runs to its end, so none is resumed.
class ResumableStreamCallback : public LegacyStreamCallback
{
  public:
    // Poplar wakes the thread that waits; no effect here.
    virtual void notify()
    {
    }
    // Whether a fetch waits: never here.
    virtual bool isAwaiting() const
    {
        return false;
    }
    // Poplar waits for notify; no effect here.
    virtual void wait()
    {
    }
};

// A callback that learns more of each transfer; as StreamCallback here.
class StreamCallbackWithMetadata : public StreamCallback
{
};

namespace detail
{

template <typename F> class FunctionStreamCallback : public LegacyStreamCallback
{
  public:
    template <typename G> explicit FunctionStreamCallback(G &&from) : function(std::forward<G>(from))
    {
    }
    void fetch(void *buffer) override
    {
        function(buffer);
    }

  private:
    F function;
};

} // namespace detail

// A callback object, or anything that can be called with the buffer.
class StreamCallbackHandle
{
  public:
    // Takes ownership of an object.
    template <typename C, typename D, typename std::enable_if<std::is_base_of<StreamCallback, C>::value, int>::type = 0>
    StreamCallbackHandle(std::unique_ptr<C, D> own)
    {
        detail::CallbackPointer<C, D> *kept = new detail::CallbackPointer<C, D>(own);
        shared = detail::Handle(kept);
        callback = kept->callback;
    }
    // Makes a callback of a function or a lambda that takes the buffer.
    template <typename F, typename = decltype(std::declval<typename std::decay<F>::type &>()(std::declval<void *>()))>
    StreamCallbackHandle(F &&function)
    {
        typedef detail::FunctionStreamCallback<typename std::decay<F>::type> Callback;
        detail::CallbackOwner<Callback> *own = new detail::CallbackOwner<Callback>(std::forward<F>(function));
        shared = detail::Handle(own);
        callback = &own->owned;
    }

    // The object.
    StreamCallback *get() const
    {
        return callback;
    }
    StreamCallback &operator*() const
    {
        return *callback;
    }
    StreamCallback *operator->() const
    {
        return callback;
    }
    explicit operator bool() const
    {
        return callback != nullptr;
    }

  private:
    StreamCallback *callback;
    detail::Handle shared; // the owner
};

} // namespace poplar
#endif
