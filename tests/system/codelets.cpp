// SPDX-License-Identifier: Apache-2.0
// C++ codelets for test_cpp_codelets.c.
#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

#include <cassert>
#include <cmath>

using namespace poplar;

namespace cpp
{

template <typename T> class Sum : public Vertex
{
    Input<Vector<T>> in;
    Output<T> out;
    float scale = 1;

    bool compute()
    {
        float sum = 0;
        for (const auto &x : in)
            sum += static_cast<float>(x);
        *out = T(sum * scale);
        return sum > 0;
    }
};
template class Sum<float>;
template class Sum<half>;
template class Sum<int>;

class RowSums : public Vertex
{
  public:
    Vector<Input<Vector<int, VectorLayout::SPAN>>> rows;
    Output<Vector<int, VectorLayout::ONE_PTR>> sums;
    Vector<int> weights;

    void compute()
    {
        for (unsigned i = 0; i < rows.size(); ++i) {
            int sum = 0;
            for (unsigned j = 0; j < rows[i].size(); ++j)
                sum += rows[i][j];
            sums[i] = sum * weights[i];
        }
    }
};

class ListSum : public Vertex
{
  public:
    Input<VectorList<int, VectorListLayout::DELTANELEMENTS>> lists;
    Vector<Input<int>> more;
    Output<int> sum;

    void compute()
    {
        *sum = 0;
        for (unsigned i = 0; i < lists.size(); ++i)
            for (unsigned j = 0; j < lists[i].size(); ++j)
                *sum += lists[i][j];
        for (unsigned i = 0; i < more.size(); ++i)
            *sum += *more[i];
    }
};

class Worker : public MultiVertex
{
  public:
    InOut<Vector<int>> data;
    unsigned runs = 0;

    bool compute(unsigned worker)
    {
        for (unsigned i = worker; i < data.size(); i += numWorkers())
            data[i] += int(worker) + 1;
        return true;
    }
};

class Supervisor : public SupervisorVertex
{
  public:
    InOut<int> x;
    int step = 5;
    int times;

    __attribute__((target("supervisor"))) bool compute()
    {
        *x += step + times++;
        return true;
    }
};

class HalfSteps : public Vertex
{
  public:
    Input<Vector<half>> in;
    Output<Vector<half>> out;

    void compute()
    {
        half sum = 0;
        for (unsigned i = 0; i < in.size(); ++i) {
            sum += in[i] * half(3);
            out[i] = sum;
        }
    }
};

class Bad : public Vertex
{
  public:
    Output<Vector<int>> out;
    int at;

    bool compute()
    {
        assert(at < 100);
        out[at] = 1;
        return true;
    }
};

class External : public Vertex
{
  public:
    static const bool isExternalCodelet = true;
    Output<int> out;
    bool compute();
};

} // namespace cpp
