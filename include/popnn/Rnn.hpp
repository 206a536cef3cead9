// SPDX-License-Identifier: Apache-2.0
// The sizes of recurrent layers, as LstmParams and GruParams have them from 2.0 on: params.rnn.layerSizes.
#ifndef POPNN_RNN_HPP
#define POPNN_RNN_HPP

#include <poplar/Type.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace popnn
{
namespace rnn
{

struct RnnParams {
    poplar::Type dataType;
    std::size_t batchSize = 0;
    std::size_t timeSteps = 0;
    std::vector<std::size_t> layerSizes; // input, output

    RnnParams() = default;
    RnnParams(poplar::Type type, std::size_t batch, std::size_t steps, std::vector<std::size_t> sizes)
        : dataType(type), batchSize(batch), timeSteps(steps), layerSizes(std::move(sizes))
    {
    }
};

} // namespace rnn

namespace detail
{

// The sizes under the names of both eras: params.layerSizes and params.rnn.layerSizes are one object.
struct LayerParams : rnn::RnnParams {
    rnn::RnnParams &rnn = *this;

    LayerParams() = default;
    explicit LayerParams(rnn::RnnParams sizes) : rnn::RnnParams(std::move(sizes))
    {
    }
    LayerParams(const LayerParams &other) : rnn::RnnParams(other)
    {
    }
    LayerParams &operator=(const LayerParams &other)
    {
        rnn::RnnParams::operator=(other);
        return *this;
    }
    ~LayerParams() = default;
};

} // namespace detail
} // namespace popnn
#endif
