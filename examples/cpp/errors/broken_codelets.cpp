// SPDX-License-Identifier: Apache-2.0
#include <poplar/Vertex.hpp>

class Broken : public poplar::Vertex
{
  public:
    poplar::Output<float> out;

    void compute()
    {
        *out = input;
    }
};
