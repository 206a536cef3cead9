// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <poplar/HalfFloat.hpp>
#include <poplar/StackSizeDefs.hpp>
#include <poplar/Vertex.hpp>
#if __has_include(<poplar/TileConstants.hpp>)
#include <poplar/TileConstants.hpp>
#endif
namespace poplar
{
}
using namespace poplar;
enum Mode : unsigned char { A, B };
class Nested : public Vertex
{
  public:
    Nested() = default;
    Vector<Input<Vector<float, VectorLayout::ONE_PTR>>> in;
    Output<Vector<float>> out;
    Output<VectorList<half, VectorListLayout::DELTANELEMENTS>> list;
    Output<Vector<int>> st;
    Vector<float> w;
    Vector<unsigned, VectorLayout::ONE_PTR> off;
    Vector<Vector<int>> twoD;
    Vector<Output<unsigned>> scalars;
    bool flag;
    Mode mode;
    unsigned long long big;
    unsigned char small;
    unsigned count;
    bool compute()
    {
        for (unsigned i = 0; i < in.size(); i++) {
            float s = 0;
            for (int j = 0; j < 4; j++)
                s += in[i][j];
            out[i] = s * w[i];
        }
        for (unsigned i = 0; i < list.size(); i++)
            for (unsigned j = 0; j < list[i].size(); j++)
                list[i][j] = half(float(i * 10 + j));
        int k = 0;
        st[k++] = off[0];
        st[k++] = off[1];
        st[k++] = twoD.size();
        st[k++] = twoD[0][0] + twoD[0][1] + twoD[1][0];
        st[k++] = mode == B;
        st[k++] = small;
        st[k++] = big == 5000000000ull && flag;
        st[k++] = twoD[0].size();
        for (unsigned i = 0; i < scalars.size(); i++)
            *scalars[i] = 10 + i;
        return true;
    }
};
