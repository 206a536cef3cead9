// SPDX-License-Identifier: Apache-2.0
#include <poplar/Vertex.hpp>

#ifndef INSTALLED_VERTEX_HPP
#error "this is not the header of the installed prefix"
#endif

class Double : public poplar::Vertex
{
  public:
    poplar::Input<float> in;
    poplar::Output<float> out;
    void compute()
    {
        *out = 2 * in;
    }
};
