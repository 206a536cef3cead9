// SPDX-License-Identifier: Apache-2.0
// How Tensor::upsample fills in elements.
#ifndef POPLAR_UPSAMPLE_METHOD_HPP
#define POPLAR_UPSAMPLE_METHOD_HPP

namespace poplar
{

// How Tensor::upsample makes new elements.
enum class UpsampleMethod {
    REPEAT // each element again
};

} // namespace poplar
#endif
