// SPDX-License-Identifier: Apache-2.0
#include <poplar/Vertex.hpp>

class Twice : public poplar::Vertex
{
  public:
    poplar::Input<float> in;
    poplar::Output<float> out;

    void compute()
    {
        *out = *in * 2;
    }
};
