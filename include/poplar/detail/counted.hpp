// SPDX-License-Identifier: Apache-2.0
// Reference-counted owners, and memory for lists of C values.  These are classes, not templates: programs compile them
// once, while standard pointers and vectors are compiled for every type.
#ifndef POPLAR_DETAIL_COUNTED_HPP
#define POPLAR_DETAIL_COUNTED_HPP

#include <cstddef>
#include <cstdlib>
#include <new>

namespace poplar
{
namespace detail
{

// A non-deduced parameter type; it makes a function a template, so that it is compiled only if it is called.
template <typename T> struct Same {
    typedef T type;
};

// Cheaper to compile than std::swap, which checks traits of the type.
template <typename T> void exchange(T &a, T &b)
{
    T kept(static_cast<T &&>(a));
    a = static_cast<T &&>(b);
    b = static_cast<T &&>(kept);
}

// Base of reference-counted objects.  The last handle calls destroy.
struct Counted {
    explicit Counted(void (*end)(Counted *)) : destroy(end), handles(1)
    {
    }
    Counted(const Counted &other) : destroy(other.destroy), handles(1)
    {
    }
    Counted &operator=(const Counted &) = delete;

    void (*destroy)(Counted *);
    long handles;
};

// Handles may be copied and destroyed on any thread.
class Handle
{
  public:
    Handle() noexcept : to(nullptr)
    {
    }
    explicit Handle(Counted *own) noexcept : to(own)
    {
    } // takes over the first count
    Handle(const Handle &other) noexcept : to(other.to)
    {
        if (to)
            __atomic_add_fetch(&to->handles, 1, __ATOMIC_RELAXED);
    }
    Handle(Handle &&other) noexcept : to(other.to)
    {
        other.to = nullptr;
    }
    Handle &operator=(Handle other) noexcept
    {
        Counted *mine = to;
        to = other.to;
        other.to = mine;
        return *this;
    }
    ~Handle()
    {
        if (to && __atomic_sub_fetch(&to->handles, 1, __ATOMIC_ACQ_REL) == 0)
            to->destroy(to);
    }
    Counted *get() const
    {
        return to;
    }
    // Releases ownership if this is the last handle: returns the object and becomes null.  Else returns NULL.
    Counted *takeLast()
    {
        Counted *last = to && __atomic_load_n(&to->handles, __ATOMIC_ACQUIRE) == 1 ? to : nullptr;
        if (last)
            to = nullptr;
        return last;
    }

  private:
    Counted *to;
};

// Memory of malloc, freed by the destructor.
class Memory
{
  public:
    explicit Memory(void *own) : at(own)
    {
    }
    Memory(std::size_t count, std::size_t size) : at(count ? std::calloc(count, size) : nullptr)
    {
        if (count && !at)
            throw std::bad_alloc();
    }
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;
    ~Memory()
    {
        std::free(at);
    }

    void *const at;
};

} // namespace detail
} // namespace poplar
#endif
