// SPDX-License-Identifier: Apache-2.0
// How a stream's data are distributed to the replicas of a graph.
#ifndef POPLAR_REPLICATED_STREAM_MODE_HPP
#define POPLAR_REPLICATED_STREAM_MODE_HPP

namespace poplar
{

// What replicas of a stream receive: each its own data, or all the same.
enum class ReplicatedStreamMode {
    REPLICATE, // each its own data
    BROADCAST  // all the same
};

inline const char *toString(ReplicatedStreamMode value)
{
    switch (value) {
    case ReplicatedStreamMode::REPLICATE:
        return "REPLICATE";
    case ReplicatedStreamMode::BROADCAST:
        return "BROADCAST";
    }
    return "";
}

} // namespace poplar
#endif
