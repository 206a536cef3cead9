// SPDX-License-Identifier: Apache-2.0
#include <poplar/Vertex.hpp>
using namespace poplar;
static constexpr auto SPAN = VectorLayout::SPAN;
class Twice : public Vertex
{
  public:
    Input<Vector<float, SPAN, 4>> in;
    Output<Vector<float, VectorLayout::ONE_PTR>> out;
    auto compute() -> bool
    {
        for (auto i = 0u; i < in.size(); i++)
            out[i] = in[i] * FACTOR;
        return true;
    }
};
