// SPDX-License-Identifier: Apache-2.0
// An order of a tensor's elements, and the way back.
#ifndef POPLAR_TENSOR_REARRANGER_HPP
#define POPLAR_TENSOR_REARRANGER_HPP

#include <poplar/Tensor.hpp>

namespace poplar {

namespace detail {

// A template, so that those who reorder nothing do not compile the lists.
template <typename Tensors = std::vector<Tensor>, typename Intervals = std::vector<Interval>, typename Places = std::vector<std::size_t>>
struct Rearrangement : Counted {
    template <typename Groups> Rearrangement(const Tensor &t, const Groups &groups) : Counted(end), shape(t.shape<Places>())
    {
        for (const Intervals &group : groups)
            order.insert(order.end(), group.begin(), group.end());
        for (std::size_t i = 0; i < order.size(); ++i)
            back.insert(back.begin() + static_cast<std::ptrdiff_t>(place(order[i].begin())), i);
    }
    static void end(Counted *self) { delete static_cast<Rearrangement *>(self); }

    Tensor rearrange(const Tensor &t, Where where) const
    {
        checkSize(t, where);
        return order.empty() ? t.flatten(where) : concat(t.flatten(where).template slices<Tensors>(order, 0, where), 0, where);
    }
    Tensor undo(const Tensor &t, Where where) const
    {
        checkSize(t, where);
        const Tensor flat = t.flatten(where);
        Tensors parts, sorted;
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
            raise(POP_POPLAR_ERROR, where, "TensorRearranger", "a tensor of %zu elements: the order is that of %zu", t.numElements(), elements);
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

    Places shape;
    Intervals order;
    Places back; // indices of order, by where its intervals begin
};

} // namespace detail

class TensorRearranger {
public:
    TensorRearranger() {}
    // An order of t's flattened elements: the groups' intervals one after the other.
    template <typename Groups = std::vector<std::vector<Interval>>>
    TensorRearranger(const Tensor &t, const typename detail::Same<Groups>::type &groups)
        : shared(new detail::Rearrangement<std::vector<Tensor>, typename Groups::value_type>(t, groups))
    {
    }
    bool valid() const { return shared.get() != nullptr; }
    template <typename Order = detail::Rearrangement<>> Tensor rearrange(const Tensor &t, detail::Where where = detail::Where::here()) const
    {
        return known<Order>(where).rearrange(t, where);
    }
    // In the shape of the tensor that the order was made for.
    template <typename Order = detail::Rearrangement<>> Tensor undoRearrangement(const Tensor &t, detail::Where where = detail::Where::here()) const
    {
        return known<Order>(where).undo(t, where);
    }

private:
    template <typename Order> const Order &known(const pop_where &where) const
    {
        if (!valid())
            detail::raise(POP_POPLAR_ERROR, where, "TensorRearranger", "it has no order: Graph::getSimplifyingRearranger gives one");
        return *static_cast<const Order *>(shared.get());
    }

    detail::Handle shared; // a Rearrangement, or nothing
};

} // namespace poplar
#endif
