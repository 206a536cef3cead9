// SPDX-License-Identifier: Apache-2.0
// Vertices whose code is in assembly.S.  Their computes are not used: those that are defined give results that no test
// takes.
#include <poplar/AvailableVTypes.h>
#include <poplar/Vertex.hpp>

using namespace poplar;
static constexpr auto ONE_PTR = VectorLayout::ONE_PTR;

namespace assembly
{

class AddPairs : public Vertex
{
  public:
    static const bool isExternalCodelet = true;
    Input<Vector<float, ONE_PTR, 8>> a;
    Input<Vector<float, ONE_PTR, 8>> b;
    Output<Vector<float, VectorLayout::SPAN, 8>> out;
    bool compute();
};

template <typename T> class Scale : public MultiVertex
{
  public:
    static const bool isExternalCodelet = true;
    Input<Vector<T, ONE_PTR, 8>> in;
    Output<Vector<T, ONE_PTR, 8>> out;
    const unsigned pairs;
    const T factor;
    bool compute(unsigned)
    {
        return false;
    }
};
template class Scale<float>;

// A field of each layout; the code adds the first element of each.
class Layouts : public Vertex
{
  public:
    static const bool isExternalCodelet = true;
    Input<Vector<int, VectorLayout::SHORT_SPAN>> shortSpan;
    Input<Vector<int, VectorLayout::SCALED_PTR32, 4>> scaled32;
    Input<Vector<int, VectorLayout::SCALED_PTR64, 8>> scaled64;
    Input<Vector<int, VectorLayout::SCALED_PTR128, 16>> scaled128;
    Input<Vector<int, VectorLayout::COMPACT_PTR, 8>> compact;
    const unsigned char small;
    const unsigned short number;
    Input<int> scalar;
    InOut<int> sum;
    bool compute();
};

// Vectors of vectors: rows with pointers, rows with sizes, and scalars; the code adds all elements.
class Rows : public Vertex
{
  public:
    static const bool isExternalCodelet = true;
    Vector<Input<Vector<int, VectorLayout::SPAN>>> rows;
    Vector<Input<Vector<int, ONE_PTR>>, ONE_PTR> first;
    Vector<Input<int>, VectorLayout::SPAN> scalars;
    Vector<int> weights;
    Output<int> sum;
    bool compute();
};

// A list of vectors; each element becomes its negative.
class List : public Vertex
{
  public:
    static const bool isExternalCodelet = true;
    InOut<VectorList<int, VectorListLayout::COMPACT_DELTAN>> list;
    const unsigned short one;
    bool compute();
};

// The supervisor starts its workers twice, with a state that it builds on its stack.
class Supervised : public SupervisorVertex
{
  public:
    static const bool isExternalCodelet = true;
    InOut<Vector<int, ONE_PTR>> values; // one for each worker
    bool compute();
};

// Returns whether the value is 0, and counts its own executions.
class IsZero : public Vertex
{
  public:
    static const bool isExternalCodelet = true;
    Input<int> value;
    int executions = 0;
    Output<int> times;
    bool compute();
};

// The first seeds the workers' random numbers of its tile, the second draws from each.
class Seed : public MultiVertex
{
  public:
    static const bool isExternalCodelet = true;
    Input<unsigned> seed;
    bool compute(unsigned);
};
class Draw : public MultiVertex
{
  public:
    static const bool isExternalCodelet = true;
    Output<Vector<unsigned, ONE_PTR>> out; // six
    bool compute(unsigned);
};

// Counts its value down to 0, and adds 10 to it: its work depends on data.
class Countdown : public Vertex
{
  public:
    static const bool isExternalCodelet = true;
    InOut<int> value;
    bool compute();
};

// Where its field is in the tile's memory.
class Address : public Vertex
{
  public:
    static const bool isExternalCodelet = true;
    Input<Vector<int, ONE_PTR, 8>> in;
    Output<int> address;
    bool compute();
};

// Loads from both at once, from different memory elements.
class LoadBoth : public Vertex
{
  public:
    static const bool isExternalCodelet = true;
    Input<Vector<int, ONE_PTR, 8>> a;
    Input<Vector<int, ONE_PTR, 8>> b;
    InOut<int> sum;
    bool compute();
};

// The first loads a word of weights into the units of its tile, the second multiplies with it.
class LoadWeights : public SupervisorVertex
{
  public:
    static const bool isExternalCodelet = true;
    Input<Vector<half, ONE_PTR, 8>> weights; // four
    bool compute();
};
class UseWeights : public Vertex
{
  public:
    static const bool isExternalCodelet = true;
    Input<Vector<half, ONE_PTR, 8>> x; // four
    Output<float> sum;
    bool compute();
};

// The dot product of docs/concepts/assembly.md.
class [[poplar::constraint("elem(*x) != elem(*y)")]] DotProduct : public Vertex
{
  public:
    static const bool isExternalCodelet = true;
    Input<Vector<float, ONE_PTR, 8>> x;
    Input<Vector<float, VectorLayout::SPAN, 8>> y;
    Output<float> out;
    bool compute();
};

// Stores one element behind its field.
class Beyond : public Vertex
{
  public:
    static const bool isExternalCodelet = true;
    Output<Vector<int>> out;
    bool compute();
};

// Stores outside of the tile's memory.
class Wild : public Vertex
{
  public:
    static const bool isExternalCodelet = true;
    Output<Vector<int>> out;
    bool compute();
};

} // namespace assembly
