// SPDX-License-Identifier: Apache-2.0
#include <poplar/QuarterFloat.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

class Widen : public Vertex
{
  public:
    Input<Vector<quarter>> in;
    Output<Vector<float>> out;
    void compute()
    {
        const auto metadata = unpackMetadata(in.getMetadata());
        for (unsigned i = 0; i < in.size(); ++i)
            out[i] = toFloat(in[i], metadata);
    }
};

// Scalars and state have codes alone: the metadata is a field of its own.
class Scalars : public Vertex
{
  public:
    Input<quarter> in;
    InOut<quarter> sum;
    Input<quarter_metadata> format;
    quarter start;
    Output<float> wide;
    void compute()
    {
        const auto metadata = unpackMetadata(&*format);
        const float x = toFloat(*in, metadata) + toFloat(*sum, metadata) + toFloat(start, metadata);
        *sum = toQuarter(x, metadata);
        *wide = x;
    }
};

class AddTo : public MultiVertex
{
  public:
    Input<Vector<float>> in;
    InOut<Vector<quarter, VectorLayout::ONE_PTR, 8>> out;
    Output<Vector<bool>> is_f143;
    void compute(unsigned worker)
    {
        const auto metadata = unpackMetadata(out.getMetadata());
        for (unsigned i = worker; i < in.size(); i += numWorkers())
            out[i] = toQuarter(in[i] + toFloat(out[i], metadata), metadata);
        if (!worker)
            is_f143[0] = metadata.getFormat() == QuarterMetadata::Format::F143;
    }
};

template <typename T> class Copies : public Vertex
{
  public:
    Input<Vector<T>> in;
    Output<Vector<T>> out;
    void compute()
    {
        for (unsigned i = 0; i < in.size(); ++i)
            out[i] = in[i];
    }
};
template class Copies<quarter>;
template class Copies<float>;
