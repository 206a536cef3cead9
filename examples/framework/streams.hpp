// SPDX-License-Identifier: Apache-2.0
// Callbacks of streams: rows of a data set to the replicas, results from them.
#ifndef FRAMEWORK_STREAMS_HPP
#define FRAMEWORK_STREAMS_HPP

#include "data.hpp"

#include <popef/Types.hpp>
#include <poplar/StreamCallback.hpp>

#include <functional>
#include <memory>

namespace framework
{

// Which rows of a data set a transfer has: micro batch k of a replica follows those of all replicas of k - 1.
struct Order {
    std::size_t replicas, rows; // rows of a micro batch
    std::size_t first;          // number of the first micro batch

    std::size_t row(std::size_t transfer, std::size_t replica, std::size_t i) const
    {
        return ((first + transfer) * replicas + replica) * rows + i;
    }
};

// The callback of an input, "pixels" or "labels", of one replica. It may fetch one transfer ahead.
std::unique_ptr<poplar::StreamCallback> inputCallback(const popef::Anchor &anchor, const DataSet &data,
                                                      const Order &order, std::size_t replica);

// The callback of an output: take receives the number of the transfer and its data.
using Take = std::function<void(std::size_t transfer, const void *data)>;
std::unique_ptr<poplar::StreamCallback> outputCallback(Take take);

} // namespace framework
#endif
