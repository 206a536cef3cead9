// SPDX-License-Identifier: Apache-2.0
#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

namespace mine
{

template <typename T, bool relu> class Axpy : public Vertex
{
  public:
    Input<Vector<T, VectorLayout::SPAN, 8>> x;
    InOut<Vector<T, VectorLayout::ONE_PTR, 8>> y;
    const float a;

    bool compute()
    {
        for (unsigned i = 0; i != x.size(); ++i) {
            const float value = float(y[i]) + a * float(x[i]);
            y[i] = relu && value < 0 ? T(0) : T(value);
        }
        return true;
    }
};
template class Axpy<float, true>;
template class Axpy<float, false>;
template class Axpy<half, true>;

class SumRows : public MultiVertex
{
  public:
    Vector<Input<Vector<float>>> rows;
    Output<Vector<float>> sums;

    bool compute(unsigned workerId)
    {
        for (unsigned i = workerId; i < rows.size(); i += numWorkers()) {
            float sum = 0;
            for (auto value : rows[i])
                sum += value;
            sums[i] = sum;
        }
        return true;
    }
};

} // namespace mine
