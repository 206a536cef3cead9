// SPDX-License-Identifier: Apache-2.0
// A codelet that includes standard headers: popc's time compared with g++'s (row "start").
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <poplar/Vertex.hpp>
#include <type_traits>
#include <utility>
using namespace poplar;
class Smooth : public Vertex
{
  public:
    Input<Vector<float>> in;
    Output<Vector<float>> out;
    float factor;
    bool compute()
    {
        std::array<float, 3> window{};
        for (unsigned i = 0; i + 2 < in.size(); ++i) {
            std::copy(&in[i], &in[i] + 3, window.begin());
            std::sort(window.begin(), window.end());
            out[i] = std::max(window[1] * factor, std::numeric_limits<float>::lowest());
        }
        return true;
    }
};
