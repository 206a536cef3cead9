// SPDX-License-Identifier: Apache-2.0
// Shared by the C++ interfaces of the recurrent layers.
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

// Whether an option is given as true.
inline bool given(const poplar::OptionFlags &options, const char *name, bool standard = false)
{
    bool is = standard;
    for (const poplar::OptionFlags::OptionFlag &flag : options)
        if (flag.first == name)
            is = flag.second == "true";
    return is;
}

// A step's products, with those options of the layer that apply to them.
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
