// SPDX-License-Identifier: Apache-2.0
// C++ functions that a model calls: owned by the model, called through C, with their exceptions carried across it.
#ifndef POPSOLVER_DETAIL_CALLBACK_HPP
#define POPSOLVER_DETAIL_CALLBACK_HPP

#include <popsolver/DataType.hpp>
#include <popsolver/popsolver.h>

#include <exception>
#include <utility>
#include <vector>

namespace popsolver
{
namespace detail
{

// Converts a function's result: a number, a DataType, or an optional of either (boost::optional, std::optional), which
// has no value when empty.
template <typename T> bool take(const T &number, std::uint64_t *result, std::true_type)
{
    *result = static_cast<std::uint64_t>(number);
    return true;
}
inline bool take(DataType number, std::uint64_t *result, std::false_type)
{
    *result = *number;
    return true;
}
template <typename T> bool take(const T &optional, std::uint64_t *result, std::false_type)
{
    if (!optional)
        return false;
    *result = static_cast<std::uint64_t>(DataType(*optional));
    return true;
}

// Converts operands to the function's type; false when one does not fit, and then the function has no value.
inline bool give(const std::uint64_t *from, std::size_t count, std::vector<DataType> &to)
{
    for (std::size_t i = 0; i < count; ++i)
        to.push_back(DataType(from[i]));
    return true;
}
template <typename T> bool give(const std::uint64_t *from, std::size_t count, std::vector<T> &to)
{
    for (std::size_t i = 0; i < count; ++i) {
        if (from[i] > static_cast<std::uint64_t>(std::numeric_limits<T>::max()))
            return false;
        to.push_back(static_cast<T>(from[i]));
    }
    return true;
}

// The element type of a function's vector when it is not specified: unsigned if the function accepts it, as in 1.2.
struct Deduced {
};
template <typename F> struct Operand {
    template <typename G>
    static unsigned test(G *function, decltype((*function)(std::declval<const std::vector<unsigned> &>())) *);
    template <typename G> static DataType test(...);
    typedef decltype(test<F>(nullptr, nullptr)) type;
};

class Callback
{
  public:
    Callback()
    {
    }
    Callback(const Callback &) = delete;
    Callback &operator=(const Callback &) = delete;
    virtual ~Callback()
    {
    }

    // A popsolver_function; user is a Callback.
    static popsolver_answer run(const std::uint64_t *operands, std::size_t count, std::uint64_t *result, void *user)
    {
        Callback *callback = static_cast<Callback *>(user);
        try {
            return callback->call(operands, count, result) ? POPSOLVER_VALUE : POPSOLVER_NONE;
        } catch (...) {
            callback->thrown = std::current_exception();
            return POPSOLVER_STOP;
        }
    }
    // Rethrows the exception of this callback that ended a search, if any.
    void rethrow()
    {
        if (!thrown)
            return;
        std::exception_ptr exception;
        std::swap(exception, thrown);
        std::rethrow_exception(exception);
    }

  private:
    virtual bool call(const std::uint64_t *operands, std::size_t count, std::uint64_t *result) = 0;

    std::exception_ptr thrown;
};

template <typename T, typename F> class CallbackOf : public Callback
{
  public:
    explicit CallbackOf(F function_) : function(std::move(function_))
    {
    }

  private:
    bool call(const std::uint64_t *operands, std::size_t count, std::uint64_t *result) override
    {
        values.clear();
        if (!give(operands, count, values))
            return false;
        typedef decltype(function(static_cast<const std::vector<T> &>(values))) Result;
        typedef typename std::decay<Result>::type Value;
        return take(static_cast<const Value &>(function(static_cast<const std::vector<T> &>(values))), result,
                    std::is_integral<Value>());
    }

    F function;
    std::vector<T> values;
};

} // namespace detail
} // namespace popsolver
#endif
