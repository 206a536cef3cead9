// SPDX-License-Identifier: Apache-2.0
#include <poplar/Vertex.hpp>
using namespace poplar;
struct AddOne : public Vertex {
    Vector<Input<Vector<int, VectorLayout::SPAN>>, VectorLayout::ONE_PTR> in;
    Vector<Output<Vector<int>>> out;
    bool compute()
    {
        for (unsigned i = 0; i < out.size(); ++i)
            for (unsigned j = 0; j < out[i].size(); ++j)
                out[i][j] = in[i][j] + 1;
        return true;
    }
};
