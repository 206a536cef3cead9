// SPDX-License-Identifier: Apache-2.0
// Lists as the C interface takes them, and lists that it gives back.
#ifndef POPLAR_DETAIL_LIST_HPP
#define POPLAR_DETAIL_LIST_HPP

#include <poplar/ArrayRef.hpp>
#include <poplar/Interval.hpp>
#include <poplar/detail/where.hpp>
#include <poplar/tensor.h>

#include <cstdlib>
#include <memory>
#include <type_traits>

namespace poplar {
namespace detail {

inline pop_shape shape(ArrayRef<std::size_t> dims)
{
    pop_shape list = { dims.size(), dims.data() };
    return list;
}
inline pop_dims dims(ArrayRef<unsigned> numbers)
{
    pop_dims list = { numbers.size(), numbers.data() };
    return list;
}

// Dimension numbers that the caller has as size_t.
class Dims {
public:
    explicit Dims(ArrayRef<std::size_t> numbers) : count(numbers.size()), many(count > inlineCount ? count : 0)
    {
        for (std::size_t i = 0; i < count; ++i)
            data()[i] = static_cast<unsigned>(numbers[i]);
    }
    pop_dims c()
    {
        pop_dims list = { count, data() };
        return list;
    }

private:
    enum : std::size_t { inlineCount = 16 };
    unsigned *data() { return many.empty() ? few : many.data(); }
    std::size_t count;
    unsigned few[inlineCount];
    std::vector<unsigned> many;
};

// Memory that C allocated.
struct Free {
    void operator()(void *memory) const { std::free(memory); }
};
template <typename T> using Owned = std::unique_ptr<T, Free>;

// Lists of intervals, one after the other, as C takes them.
class IntervalLists {
public:
    explicit IntervalLists(const std::vector<std::vector<Interval>> &lists)
    {
        first.reserve(lists.size() + 1);
        for (const std::vector<Interval> &list : lists) {
            first.push_back(intervals.size());
            for (const Interval &interval : list) {
                pop_interval next = { interval.begin(), interval.end() };
                intervals.push_back(next);
            }
        }
        first.push_back(intervals.size());
    }
    pop_interval_lists c()
    {
        pop_interval_lists lists = { first.size() - 1, first.data(), intervals.data() };
        return lists;
    }

private:
    std::vector<std::size_t> first;
    std::vector<pop_interval> intervals;
};
// Takes what C gave over.
inline std::vector<std::vector<Interval>> takeLists(pop_interval_lists &lists)
{
    struct Release {
        pop_interval_lists *lists;
        ~Release() { pop_interval_lists_free(lists); }
    } release = { &lists };
    std::vector<std::vector<Interval>> result(lists.count);
    for (std::size_t i = 0; i < lists.count; ++i) {
        result[i].reserve(lists.first[i + 1] - lists.first[i]);
        for (std::size_t k = lists.first[i]; k < lists.first[i + 1]; ++k)
            result[i].emplace_back(lists.intervals[k].begin, lists.intervals[k].end);
    }
    return result;
}

// The index of an operator, which has no room for the user's line elsewhere.
struct Index {
    template <typename T, typename = typename std::enable_if<std::is_convertible<T, std::size_t>::value>::type>
    Index(const T &number, const char *file = __builtin_FILE(), int line = __builtin_LINE())
        : value(static_cast<std::size_t>(number)), where(file, line)
    {
    }
    std::size_t value;
    Where where;
};

} // namespace detail
} // namespace poplar
#endif
