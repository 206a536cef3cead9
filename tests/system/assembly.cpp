// SPDX-License-Identifier: Apache-2.0
// Vertices whose code is in assembly.S.  Their computes are not used: those that are defined give results that no test
// takes.
#include <poplar/AvailableVTypes.h>
#include <poplar/Vertex.hpp>

using namespace poplar;
static constexpr auto ONE_PTR = VectorLayout::ONE_PTR;

namespace assembly
{

class AddPairs : public Vertex
{
  public:
    static const bool isExternalCodelet = true;
    Input<Vector<float, ONE_PTR, 8>> a;
    Input<Vector<float, ONE_PTR, 8>> b;
    Output<Vector<float, VectorLayout::SPAN, 8>> out;
    bool compute();
};

template <typename T> class Scale : public MultiVertex
{
  public:
    static const bool isExternalCodelet = true;
    Input<Vector<T, ONE_PTR, 8>> in;
    Output<Vector<T, ONE_PTR, 8>> out;
    const unsigned pairs;
    const T factor;
    bool compute(unsigned)
    {
        return false;
    }
};
template class Scale<float>;

} // namespace assembly
