// SPDX-License-Identifier: Apache-2.0
// Permutations of elements.
#ifndef POPLAR_IMPL_TENSOR_REARRANGER_HPP
#define POPLAR_IMPL_TENSOR_REARRANGER_HPP

#include <poplar/TensorRearranger.hpp>

namespace poplar
{

namespace detail
{

// The intervals of a permutation, and its inverse.
struct Rearrangement : Counted {
    Rearrangement(const Tensor &t, const std::vector<std::vector<Interval>> &groups) : Counted(end), shape(t.shape())
    {
        for (const std::vector<Interval> &group : groups)
            order.insert(order.end(), group.begin(), group.end());
        for (std::size_t i = 0; i < order.size(); ++i)
            back.insert(back.begin() + static_cast<std::ptrdiff_t>(place(order[i].begin())), i);
    }
    static void end(Counted *self)
    {
        delete static_cast<Rearrangement *>(self);
    }

    Tensor rearrange(const Tensor &t, Where where) const
    {
        checkSize(t, where);
        return order.empty() ? t.flatten(where) : concat(t.flatten(where).slices(order, 0, where), 0, where);
    }
    Tensor undo(const Tensor &t, Where where) const
    {
        checkSize(t, where);
        const Tensor flat = t.flatten(where);
        std::vector<Tensor> parts, sorted;
        for (std::size_t i = 0, at = 0; i < order.size(); at += order[i].size(), ++i)
            parts.push_back(flat.slice(at, at + order[i].size(), 0, where));
        for (std::size_t i : back)
            sorted.push_back(parts[i]);
        return (parts.empty() ? flat : concat(sorted, 0, where)).reshape(shape, where);
    }

  private:
    void checkSize(const Tensor &t, const pop_where &where) const
    {
        std::size_t elements = 1;
        for (std::size_t dim : shape)
            elements *= dim;
        if (elements != t.numElements())
            raise(POP_POPLAR_ERROR, where, "TensorRearranger", "a tensor of %zu elements: the order is that of %zu",
                  t.numElements(), elements);
    }
    // The position in back of an interval with the given begin.
    std::size_t place(std::size_t begin) const
    {
        std::size_t low = 0, high = back.size();
        while (low < high) {
            std::size_t middle = low + (high - low) / 2;
            if (order[back[middle]].begin() < begin)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }

    std::vector<std::size_t> shape;
    std::vector<Interval> order;
    std::vector<std::size_t> back; // indices of order, sorted by the begin of its intervals
};

} // namespace detail

POPLAR_IMPL TensorRearranger::TensorRearranger(const Tensor &t, const std::vector<std::vector<Interval>> &groups)
    : shared(new detail::Rearrangement(t, groups))
{
}
POPLAR_IMPL Tensor TensorRearranger::rearrange(const Tensor &t, detail::Where where) const
{
    return known(where).rearrange(t, where);
}
POPLAR_IMPL Tensor TensorRearranger::undoRearrangement(const Tensor &t, detail::Where where) const
{
    return known(where).undo(t, where);
}
POPLAR_IMPL const detail::Rearrangement &TensorRearranger::known(const pop_where &where) const
{
    if (!valid())
        detail::raise(POP_POPLAR_ERROR, where, "TensorRearranger",
                      "it has no order: Graph::getSimplifyingRearranger gives one");
    return *static_cast<const detail::Rearrangement *>(shared.get());
}

} // namespace poplar
#endif
