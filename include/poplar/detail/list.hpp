// SPDX-License-Identifier: Apache-2.0
// Lists for C calls, and lists that C calls return.
#ifndef POPLAR_DETAIL_LIST_HPP
#define POPLAR_DETAIL_LIST_HPP

#include <poplar/ArrayRef.hpp>
#include <poplar/Interval.hpp>
#include <poplar/detail/compiled.hpp>
#include <poplar/detail/counted.hpp>
#include <poplar/detail/where.hpp>
#include <poplar/tensor.h>

#include <type_traits>

namespace poplar
{
namespace detail
{

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

// Dimension numbers given as size_t.
class POP_API Dims
{
  public:
    explicit Dims(ArrayRef<std::size_t> numbers);
    pop_dims c()
    {
        pop_dims list = { count, data() };
        return list;
    }

  private:
    enum : std::size_t { inlineCount = 16 };
    unsigned *data()
    {
        return count > inlineCount ? static_cast<unsigned *>(many.at) : few;
    }
    std::size_t count;
    unsigned few[inlineCount];
    Memory many;
};

// Lists of intervals, concatenated for a C call.
class IntervalLists
{
  public:
    template <typename Lists>
    explicit IntervalLists(const Lists &lists)
        : count(lists.size()), first(count + 1, sizeof(std::size_t)), intervals(total(lists), sizeof(pop_interval))
    {
        std::size_t *const offsets = static_cast<std::size_t *>(first.at), at = 0;
        pop_interval *const list = static_cast<pop_interval *>(intervals.at);
        for (std::size_t i = 0; i < count; ++i) {
            const ArrayRef<Interval> from(lists[i]);
            for (std::size_t k = 0; k < from.size(); ++k, ++at) {
                list[at].begin = from[k].lower;
                list[at].end = from[k].upper;
            }
            offsets[i + 1] = at;
        }
    }
    pop_interval_lists c()
    {
        pop_interval_lists lists = { count, static_cast<std::size_t *>(first.at),
                                     static_cast<pop_interval *>(intervals.at) };
        return lists;
    }

  private:
    template <typename Lists> static std::size_t total(const Lists &lists)
    {
        std::size_t sum = 0;
        for (std::size_t i = 0; i < lists.size(); ++i)
            sum += lists[i].size();
        return sum;
    }
    std::size_t count;
    Memory first, intervals;
};
// Takes ownership of a list from C.
template <typename Lists = std::vector<std::vector<Interval>>> Lists takeLists(pop_interval_lists &lists)
{
    struct Release {
        pop_interval_lists *lists;
        ~Release()
        {
            pop_interval_lists_free(lists);
        }
    } release = { &lists };
    Lists result(lists.count);
    for (std::size_t i = 0; i < lists.count; ++i) {
        result[i].reserve(lists.first[i + 1] - lists.first[i]);
        for (std::size_t k = lists.first[i]; k < lists.first[i + 1]; ++k)
            result[i].emplace_back(lists.intervals[k].begin, lists.intervals[k].end);
    }
    return result;
}

// The index of an operator together with the user's line, as an operator has no other parameter for it.
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

#ifdef TREMULA_HEADER_ONLY
#include <poplar/impl/list.hpp>
#endif
#endif
