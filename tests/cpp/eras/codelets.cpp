// SPDX-License-Identifier: Apache-2.0
// Codelets of the era test: compute() in the form of the guide's era, and of later ones.
#include <poplar/Vertex.hpp>

class Scale : public poplar::Vertex
{
  public:
    poplar::Input<poplar::Vector<float>> in;
    poplar::Output<poplar::Vector<float>> out;
    float factor;

    bool compute()
    {
        for (unsigned i = 0; i < in.size(); ++i)
            out[i] = in[i] * factor;
        return true;
    }
};

class ScaleAll : public poplar::MultiVertex
{
  public:
    poplar::Input<poplar::Vector<float>> in;
    poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR>> out;
    const float factor;

    ScaleAll();
    void compute(unsigned workerId)
    {
        for (unsigned i = workerId; i < in.size(); i += MultiVertex::numWorkers())
            out[i] = in[i] * factor;
    }
};
