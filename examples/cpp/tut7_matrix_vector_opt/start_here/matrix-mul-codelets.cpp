// SPDX-License-Identifier: Apache-2.0
// Tutorial 7: the dot product of a segment of a row with that of the vector, and the sum of a row's partial results.
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
        float sum = 0;
        for (unsigned i = 0; i < a.size(); ++i)
            sum += a[i] * b[i];
        *out = sum;
        return true;
    }
};

class ReduceVertex : public Vertex
{
  public:
    Input<Vector<float>> in;
    Output<float> out;

    bool compute()
    {
        float sum = 0;
        for (const auto &x : in)
            sum += x;
        *out = sum;
        return true;
    }
};
