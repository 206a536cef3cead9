// SPDX-License-Identifier: Apache-2.0
// What Tensor::upsample puts between elements.
#ifndef POPLAR_UPSAMPLE_METHOD_HPP
#define POPLAR_UPSAMPLE_METHOD_HPP

namespace poplar
{

enum class UpsampleMethod {
    REPEAT // each element again
};

} // namespace poplar
#endif
