// SPDX-License-Identifier: Apache-2.0
// What the recurrent layers' C++ interfaces share.
#ifndef POPNN_DETAIL_RECURRENT_HPP
#define POPNN_DETAIL_RECURRENT_HPP

#include <poplar/OptionFlags.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/fully_connected.h>
#include <popnn/detail/rnn_params.hpp>

#include <utility>
#include <vector>

namespace popnn
{
namespace detail
{

// An option that is false unless it is given as true.
inline bool given(const poplar::OptionFlags &options, const char *name)
{
    bool is = false;
    for (const poplar::OptionFlags::OptionFlag &flag : options)
        if (flag.first == name)
            is = flag.second == "true";
    return is;
}

// A step's products with those of the layer's options that they take.
inline std::vector<std::pair<poplin::MatMulParams, poplar::OptionFlags>>
products(const poplin_fc_mat_mul *list, std::size_t count, const poplar::OptionFlags &options)
{
    poplar::OptionFlags taken;
    for (const poplar::OptionFlags::OptionFlag &flag : options)
        if (flag.first == "partialsType" || flag.first == "availableMemoryProportion")
            taken.set(flag.first, flag.second);
    std::vector<std::pair<poplin::MatMulParams, poplar::OptionFlags>> result;
    for (std::size_t i = 0; i < count; ++i) {
        taken.set("fullyConnectedPass", list[i].pass);
        result.push_back(std::make_pair(poplin::detail::matMulParams(list[i].params), taken));
    }
    return result;
}

} // namespace detail
} // namespace popnn
#endif
