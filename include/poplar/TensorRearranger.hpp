// SPDX-License-Identifier: Apache-2.0
// A permutation of a tensor's elements and its inverse.
#ifndef POPLAR_TENSOR_REARRANGER_HPP
#define POPLAR_TENSOR_REARRANGER_HPP

#include <poplar/Tensor.hpp>
#include <poplar/detail/compiled.hpp>

namespace poplar
{
namespace detail
{
struct Rearrangement;
}

// A change of the order of a tensor's elements that makes it more contiguous, and the way back.
class POP_API TensorRearranger
{
  public:
    TensorRearranger()
    {
    }
    // The permutation of t's flattened elements that concatenates the groups' intervals.
    TensorRearranger(const Tensor &t, const std::vector<std::vector<Interval>> &groups);
    // Whether there is a rearrangement.
    bool valid() const
    {
        return shared.get() != nullptr;
    }
    // The tensor's elements in the new order.
    Tensor rearrange(const Tensor &t, detail::Where where = detail::Where::here()) const;
    // In the shape of the original tensor.
    Tensor undoRearrangement(const Tensor &t, detail::Where where = detail::Where::here()) const;

  private:
    const detail::Rearrangement &known(const pop_where &where) const;

    detail::Handle shared; // a Rearrangement, or nothing
};

} // namespace poplar

#ifdef TREMULA_HEADER_ONLY
#include <poplar/impl/TensorRearranger.hpp>
#endif
#endif
