// SPDX-License-Identifier: Apache-2.0
// Short vectors that are assigned and returned in braces.
#include <ipudef.h>
#include <poplar/Vertex.hpp>
using namespace poplar;

static float2 both(float a, float b)
{
    return { a, b };
}

class Braces : public Vertex
{
  public:
    Input<Vector<float>> in;
    Output<Vector<float>> out;
    InOut<Vector<int>> counts;

    bool compute()
    {
        float2 v;
        int2 m;
        short4 s;
        v = { in[0], in[1] };
        m = { 1, -2 };
        s = { 1, 2, 3, 4 };
        v = v + both(in[1], in[0]);
        float2 *to = reinterpret_cast<float2 *>(&out[0]);
        to[0] = { v[0], v[1] + 1 };
        to[1] = m > int2{ 0, 0 } ? v : both(7, 8);
        counts[0] += m[0] + m[1] + s[0] + s[3];
        return true;
    }
};
