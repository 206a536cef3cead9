// SPDX-License-Identifier: Apache-2.0
// The sizes of recurrent layers, as in LstmParams and GruParams since 2.0: params.rnn.layerSizes.
#ifndef POPNN_DETAIL_RNN_PARAMS_HPP
#define POPNN_DETAIL_RNN_PARAMS_HPP

#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <poputil/exceptions.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace poplar
{
class Graph;
}

namespace popnn
{
namespace rnn
{

// Sizes of a recurrent layer.
struct RnnParams {
    poplar::Type dataType;     // HALF or FLOAT
    std::size_t batchSize = 0; // sequences
    union {
        std::size_t timeSteps = 0; // steps of each sequence; the largest number with varTimeSteps
        std::size_t maxTimeSteps;  // timeSteps, by its name since 2.3
    };
    // Number of steps of each sequence, read at run time: {batch}, or {1} for all, UNSIGNED_INT; unset: all steps.
    // Loops end at the largest of them. Later steps do not change the state, and their outputs and gradients are 0.
    poplar::Tensor varTimeSteps;
    std::vector<std::size_t> layerSizes; // input, output

    RnnParams() = default;
    // A layer whose sequences all have `steps` steps.
    RnnParams(poplar::Type type, std::size_t batch, std::size_t steps, std::vector<std::size_t> sizes)
        : dataType(type), batchSize(batch), timeSteps(steps), layerSizes(std::move(sizes))
    {
    }
    // A layer whose sequences have numbers of steps that a tensor holds.
    RnnParams(poplar::Type type, std::size_t batch, std::size_t steps, const poplar::Tensor &variable,
              std::vector<std::size_t> sizes)
        : dataType(type), batchSize(batch), timeSteps(steps), varTimeSteps(variable), layerSizes(std::move(sizes))
    {
    }
    // Whether sequences have numbers of steps that a tensor holds.
    bool variableTimeSteps() const
    {
        return varTimeSteps.valid();
    }
    // Whether each sequence has a number of its own.
    bool batchVariableTimeSteps() const
    {
        return varTimeSteps.valid() && varTimeSteps.numElements() > 1;
    }
    // Bytes of a step of the input or output on the fullest tile, with shards on separate tiles (popnn/Rnn.hpp).
    std::size_t getInputBytesPerTile(const poplar::Graph &graph) const;
    std::size_t getOutputBytesPerTile(const poplar::Graph &graph) const;
    std::size_t getMaxShards(const poplar::Graph &graph) const;
};

} // namespace rnn

namespace detail
{

inline void checkLayer(const rnn::RnnParams &params, const char *layer, const char *article)
{
    if (params.layerSizes.size() != 2)
        throw poputil::poplibs_error(std::string(article) + " " + layer +
                                     " has two layer sizes, of its input and of its output");
}

// The sizes under the names of both releases: params.layerSizes and params.rnn.layerSizes are the same object.
struct LayerParams : rnn::RnnParams {
    rnn::RnnParams &rnn = *this; // this object, by the name of its sizes since 2.3

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
