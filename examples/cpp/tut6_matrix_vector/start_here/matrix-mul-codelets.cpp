// SPDX-License-Identifier: Apache-2.0
// Tutorial 6: the outline of a dot product.  Complete its compute function.
#include <poplar/Vertex.hpp>

using namespace poplar;

class DotProductVertex : public Vertex
{
  public:
    Input<Vector<float>> a;
    Input<Vector<float>> b;
    Output<float> out;

    bool compute()
    {
        *out = 0;
        return true;
    }
};
