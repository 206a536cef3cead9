// SPDX-License-Identifier: Apache-2.0
#include <poplar/Vertex.hpp>
class AdderVertex : public poplar::Vertex
{
  public:
    poplar::Input<float> x;
    poplar::Input<float> y;
    poplar::Output<float> sum;
    bool compute()
    {
        *sum = x + y;
        return true;
    }
};
