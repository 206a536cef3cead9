// SPDX-License-Identifier: Apache-2.0
// Names of <cmath>'s constants that a codelet defines, beside others that it uses; integers of <cstdint> by <array> and
// <cstddef> alone.
#include <array>
#include <cstddef>

#include <cmath>

static const float M_PI = 3.0f;
static constexpr float M_E{ 2.0f };

static uint32_t bits(std::uint16_t x)
{
    return x == UINT16_MAX ? 0 : x;
}

#include <poplar/Vertex.hpp>

class Constants : public poplar::Vertex
{
  public:
    poplar::Output<float> x;
    bool compute()
    {
        *x = M_PI + M_E + float(M_SQRT2) + float(bits(1));
        return true;
    }
};
