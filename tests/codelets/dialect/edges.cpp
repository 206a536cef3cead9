// SPDX-License-Identifier: Apache-2.0
// Edges where vectors and halves are expected, and vectors of edges that compute() never touches.
#include <ipu_vector_math>
#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>
using namespace poplar;

static float total(Vector<float> &values)
{
    float sum = 0;
    for (unsigned i = 0; i < values.size(); ++i)
        sum += values[i];
    return sum;
}
static float first(Vector<float> values)
{
    return values[0];
}
static float last(const Vector<float> &values)
{
    return values[values.size() - 1];
}

class Sums : public Vertex
{
  public:
    Input<Vector<float>> values;
    Vector<Input<Vector<float>>> from;
    Vector<Output<Vector<float>>> to;
    InOut<Vector<half, VectorLayout::SPAN, 8>> halves;
    Output<float> sum;
    bool compute()
    {
        *sum = total(values) + first(values) + last(values);
        to[0] = from[0];
        half2 *pairs = reinterpret_cast<half2 *>(&halves[0]);
        pairs[0] = pairs[0] + pairs[0];
        *sum = ipu::clamp(*sum, -100.0f, 100.0f);
        return true;
    }
};
class Fill : public Vertex
{
  public:
    Output<Vector<half>> out;
    Input<float> value;
    bool compute()
    {
        for (unsigned i = 0; i < out.size(); ++i)
            out[i] = value;
        return true;
    }
};
class Barrier : public Vertex
{
  public:
    Vector<InOut<Vector<float, VectorLayout::ONE_PTR, 8>>, VectorLayout::ONE_PTR, 4> rows;
    Vector<InOut<Vector<bool, VectorLayout::ONE_PTR, 1>>, VectorLayout::ONE_PTR, 1> flags;
    void compute()
    {
    }
};
