// SPDX-License-Identifier: Apache-2.0
#include "scale.h"
#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>
struct ScaleVertex : poplar::Vertex {
#ifdef WIDE
    poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> x;
#endif
    poplar::Output<float> out;
    bool compute()
    {
        *out = scaled(x[0]);
        return true;
    }
};
