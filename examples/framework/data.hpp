// SPDX-License-Identifier: Apache-2.0
// Digits as the model takes them: pictures of 14 x 14, pixels -1 to 1.
#ifndef FRAMEWORK_DATA_HPP
#define FRAMEWORK_DATA_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

namespace framework
{

struct DataSet {
    static constexpr std::size_t side = 14, pixels = side * side, classes = 10;
    std::vector<float> images; // count x pixels
    std::vector<std::uint32_t> labels;

    std::size_t count() const
    {
        return labels.size();
    }
};

// Digits that are drawn at random, the same for the same seed.
DataSet drawnDigits(std::size_t count, unsigned seed);

} // namespace framework
#endif
