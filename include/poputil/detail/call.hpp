// SPDX-License-Identifier: Apache-2.0
// Calls of the libraries' C interface from C++: errors become exceptions, lists become vectors.
#ifndef POPUTIL_DETAIL_CALL_HPP
#define POPUTIL_DETAIL_CALL_HPP

#include <poplar/Graph.hpp>
#include <poputil/exceptions.hpp>

#include <exception>
#include <initializer_list>

namespace poputil
{
namespace detail
{

typedef poplar::detail::Where Where;

// Throws an error: poplibs_error for errors of the libraries without a kind of their own, otherwise the exception that
// libpoplar throws.
[[noreturn]] inline void raise(const pop_error &error)
{
    if (error.status != POP_POPLAR_ERROR || std::string(error.api, 4) == "pop_")
        poplar::detail::raise(error);
    throw poplibs_error(poplar::detail::errorText(error));
}
// Takes the graph's error and throws it.
[[noreturn]] inline void raise(pop_graph *graph)
{
    if (!pop_graph_error(graph))
        poplar::detail::raiseFrom(graph);
    pop_error error;
    (void)pop_graph_take_error(graph, &error);
    raise(error);
}
inline void check(pop_graph *graph)
{
    if (!graph || pop_graph_error(graph))
        raise(graph);
}
inline poplar::Tensor give(pop_graph *graph, const pop_tensor &t)
{
    check(graph);
    return poplar::Tensor(t);
}

// Results of one call with their destinations (null: discarded). All results are retained before the first assignment,
// because an assignment may release the last reference to views that are not retained yet (pop_tensor_retain).
struct Result {
    poplar::Tensor *to;
    pop_tensor from;
};
inline void put(std::initializer_list<Result> results)
{
    for (const Result &result : results)
        pop_tensor_retain(&result.from);
    for (const Result &result : results)
        if (result.to)
            *result.to = poplar::Tensor(result.from);
    for (const Result &result : results)
        pop_tensor_release(&result.from);
}

// Intervals in C's form.
class Intervals
{
  public:
    explicit Intervals(const std::vector<poplar::Interval> &from)
    {
        list.reserve(from.size());
        for (const poplar::Interval &interval : from) {
            pop_interval next = { interval.begin(), interval.end() };
            list.push_back(next);
        }
    }
    pop_interval_list c() const
    {
        pop_interval_list borrowed = { list.size(), list.data() };
        return borrowed;
    }
    std::vector<pop_interval> list;
};

// Converts numbers to sizes.
template <typename List> std::vector<std::size_t> sizes(const List &list)
{
    return std::vector<std::size_t>(list.begin(), list.end());
}

// A C++ function for C callbacks: stores an exception and rethrows it after the call.
class Callback
{
  public:
    template <typename Call> bool run(const Call &call)
    {
        try {
            call();
            return true;
        } catch (...) {
            thrown = std::current_exception();
            return false;
        }
    }
    void rethrow() const
    {
        if (thrown)
            std::rethrow_exception(thrown);
    }

  private:
    std::exception_ptr thrown;
};

} // namespace detail
} // namespace poputil
#endif
