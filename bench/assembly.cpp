// SPDX-License-Identifier: Apache-2.0
// The vertices of rows_assembly.c: code in assembly.S, and the same work in C++.
#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;
static constexpr auto ONE_PTR = VectorLayout::ONE_PTR;

// out = in * a + out, `times` times over.
template <bool Assembly> class Simple : public Vertex
{
  public:
    static const bool isExternalCodelet = Assembly;
    Input<Vector<float, ONE_PTR, 8>> in;
    InOut<Vector<float, VectorLayout::SPAN, 8>> out;
    const float a;
    const unsigned times;
    bool compute()
    {
        for (unsigned t = 0; t < times; ++t)
            for (unsigned i = 0; i < out.size(); ++i)
                out[i] = in[i] * a + out[i];
        return true;
    }
};
template class Simple<true>;
template class Simple<false>;

// A convolution of 1x1: 16 channels of half to 8 of float, added to partials. Column m has weights[m][].
template <bool Assembly> class Conv : public SupervisorVertex
{
  public:
    static const bool isExternalCodelet = Assembly;
    Input<Vector<half, ONE_PTR, 16>> in;
    Input<Vector<float, ONE_PTR, 16, true>> partials;
    Output<Vector<float, VectorLayout::SPAN, 16>> out;
    Input<Vector<half, ONE_PTR, 8>> weights;
    __attribute__((target("supervisor"))) bool compute()
    {
        for (unsigned p = 0; p < out.size() / 8; ++p)
            for (unsigned m = 0; m < 8; ++m) {
                float sum = partials[8 * p + m];
                for (unsigned c = 0; c < 16; ++c)
                    sum += static_cast<float>(in[16 * p + c]) * static_cast<float>(weights[16 * m + c]);
                out[8 * p + m] = sum;
            }
        return true;
    }
};
template class Conv<true>;
template class Conv<false>;
