// SPDX-License-Identifier: Apache-2.0
// Sixty lines of codelets without a standard header: the cost of the first and the second use of a source (row
// "codelet").
#include <poplar/Vertex.hpp>

using namespace poplar;

enum class Operation { ADD, MULTIPLY, MAXIMUM };

template <typename T> class Sum : public Vertex
{
  public:
    Input<Vector<T>> in;
    Output<T> out;

    bool compute()
    {
        float sum = 0;
        for (const auto &x : in)
            sum += float(x);
        *out = T(sum);
        return true;
    }
};
template class Sum<float>;
template class Sum<half>;

template <typename T, Operation op> class Binary : public Vertex
{
  public:
    Input<Vector<T>> a;
    Input<Vector<T, VectorLayout::ONE_PTR>> b;
    Output<Vector<T, VectorLayout::ONE_PTR>> out;

    bool compute()
    {
        for (unsigned i = 0; i < a.size(); ++i) {
            if (op == Operation::ADD)
                out[i] = a[i] + b[i];
            else if (op == Operation::MULTIPLY)
                out[i] = a[i] * b[i];
            else
                out[i] = a[i] > b[i] ? a[i] : b[i];
        }
        return true;
    }
};
template class Binary<float, Operation::ADD>;
template class Binary<float, Operation::MULTIPLY>;
template class Binary<int, Operation::MAXIMUM>;

class Scale : public MultiVertex
{
  public:
    InOut<Vector<float>> data;
    float factor = 1;

    bool compute(unsigned worker)
    {
        for (unsigned i = worker; i < data.size(); i += numWorkers())
            data[i] *= factor;
        return true;
    }
};
