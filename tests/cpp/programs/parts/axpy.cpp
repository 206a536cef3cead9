// SPDX-License-Identifier: Apache-2.0
#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>
#ifdef __IPU__
#include <ipu_builtins.h>
#include <ipu_memory_intrinsics>
#include <ipu_vector_math>
#endif
class [[poplar::constraint("elem(*x) != elem(*y)")]] Axpy : public poplar::MultiVertex
{
  public:
    poplar::Input<poplar::Vector<float, poplar::VectorLayout::SPAN, 8>> x;
    poplar::InOut<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> y;
    poplar::Input<float> alpha;
    bool compute(unsigned workerId)
    {
        for (auto i = workerId; i < x.size(); i += numWorkers())
            y[i] += *alpha * x[i];
        return true;
    }
};
