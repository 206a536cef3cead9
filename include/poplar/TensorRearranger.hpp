// SPDX-License-Identifier: Apache-2.0
// An order of a tensor's elements, and the way back.
#ifndef POPLAR_TENSOR_REARRANGER_HPP
#define POPLAR_TENSOR_REARRANGER_HPP

#include <poplar/Tensor.hpp>

namespace poplar {

// What it does is in templates, so that those who do not call it do not compile it.
class TensorRearranger {
public:
    TensorRearranger() = default;
    // An order of t's flattened elements: the groups' intervals one after the other.
    template <int = 0> TensorRearranger(const Tensor &t, const std::vector<std::vector<Interval>> &groups) : shape(t.shape()), known(true)
    {
        for (const std::vector<Interval> &group : groups)
            order.insert(order.end(), group.begin(), group.end());
        for (std::size_t i = 0; i < order.size(); ++i)
            back.insert(back.begin() + static_cast<std::ptrdiff_t>(place(order[i].begin())), i);
    }
    bool valid() const { return known; }
    template <int = 0> Tensor rearrange(const Tensor &t, detail::Where where = detail::Where::here()) const
    {
        checkSize(t, where);
        if (order.empty())
            return t.flatten(where);
        return concat(t.flatten(where).slices(order, 0, where), 0, where);
    }
    // In the shape of the tensor that the order was made for.
    template <int = 0> Tensor undoRearrangement(const Tensor &t, detail::Where where = detail::Where::here()) const
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
        std::size_t elements = known ? 1 : 0;
        for (std::size_t dim : shape)
            elements *= dim;
        if (elements != t.numElements())
            detail::raise(POP_POPLAR_ERROR, where, "TensorRearranger", "a tensor of %zu elements: the order is that of %zu", t.numElements(), elements);
    }
    // Where an interval that begins there belongs in back.
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
    std::vector<std::size_t> back; // indices of order, by where its intervals begin
    bool known = false;
};

} // namespace poplar
#endif
