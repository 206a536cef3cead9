// SPDX-License-Identifier: Apache-2.0
// The guide's first codelet, with its preamble of Device code: the sum of two scalars.
#include <poplar/Vertex.hpp>

using namespace poplar;

class AdderVertex : public Vertex
{
  public:
    Input<float> x;
    Input<float> y;
    Output<float> sum;

    bool compute()
    {
        *sum = x + y;
        return true;
    }
};
