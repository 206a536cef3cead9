// SPDX-License-Identifier: Apache-2.0
#include <poplar/Vertex.hpp>
using namespace poplar;
constexpr auto COMPACT = poplar::VectorLayout::COMPACT_PTR;
template <typename T> class Stencil : public Vertex
{
  public:
    Input<Vector<T>> above;
    Input<Vector<T, VectorLayout::SPAN>> below;
    Vector<Input<Vector<T>>> mid;
    Vector<Output<Vector<T, VectorLayout::ONE_PTR>>, VectorLayout::SPAN> out;
    unsigned width, height;
    bool compute()
    {
        for (int y = 0; y < (int)height; y++)
            for (int x = 0; x < (int)width; x++) {
                T up = y == 0 ? above[x] : mid[y - 1][x], down = y == (int)height - 1 ? below[x] : mid[y + 1][x];
                T l = x == 0 ? T(0) : mid[y][x - 1], r = x == (int)width - 1 ? T(0) : mid[y][x + 1];
                out[y][x] = T(0.2f) * (mid[y][x] + up + down + l + r);
            }
        return true;
    }
};
template class Stencil<float>;
template class Stencil<half>;
