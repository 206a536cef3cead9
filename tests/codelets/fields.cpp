// SPDX-License-Identifier: Apache-2.0
// Vertices with all kinds of fields, for the tests of popc's reflection of C++.
#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

#include <stdint.h>

using namespace poplar;

static constexpr auto ONE_PTR = poplar::VectorLayout::ONE_PTR;
template <class T> using Compact = Vector<T, VectorLayout::COMPACT_PTR, 4, true>;

class Scalars : public Vertex
{
    Input<bool> a; // private, as in many programs
    Output<char> b;
    InOut<signed char> c;
    Input<unsigned char> d;
    Output<short> e;
    InOut<unsigned short> f;
    Input<int> g;
    Output<unsigned> h;
    InOut<long long> i;
    Input<unsigned long long> j;
    Output<half> k;
    InOut<float> l;
    Input<int64_t> m;

  public:
    bool compute()
    {
        return true;
    }
};

struct Layouts : Vertex {
    Input<Vector<float>> span;
    Output<Vector<float, VectorLayout::SHORT_SPAN>> shortSpan;
    InOut<Vector<half, ONE_PTR, 8>> one;
    Input<Vector<int, VectorLayout::SCALED_PTR32, 4>> p32;
    Input<Vector<int, VectorLayout::SCALED_PTR64, 8>> p64;
    Input<Vector<unsigned char, VectorLayout::SCALED_PTR128, 16, true>> p128;
    Input<Compact<bool>> compact;
    void compute()
    {
    }
};

class Nested : public Vertex
{
  public:
    Vector<Input<Vector<float>>> rows;
    Vector<Output<Vector<half>>, ONE_PTR> oneSpan;
    Vector<InOut<Vector<int, ONE_PTR, 8>>> spanOne;
    Vector<Input<Vector<short, ONE_PTR>>, ONE_PTR> oneOne;
    Input<VectorList<float, VectorListLayout::COMPACT_DELTAN>> list;
    Output<VectorList<half, VectorListLayout::DELTANELEMENTS, 8, true>> elements;
    Vector<Output<float>> outs;
    Vector<Input<unsigned>, ONE_PTR> ins;
    InputSet<float> set;
    void compute();
};
void Nested::compute()
{
}

enum Colour { RED, GREEN = 7 };
enum class Size : unsigned char { SMALL = 1, LARGE = 200 };

class State : public Vertex
{
  public:
    State();
    const unsigned short constant;
    unsigned char *nothing()
    {
        return nullptr;
    }
    static const bool isExternalCodelet = false;
    static constexpr unsigned numbers[2] = { 1, 2 };
    Colour colour;
    Size size;
    size_t count;
    long more;
    half h;
    bool flag;
    Vector<unsigned, ONE_PTR> worklist;
    Vector<Vector<float>> weights;
    Vector<int> values;
    bool compute()
    {
        return flag;
    }
};

class Defaults : public Vertex
{
  public:
    int three = 3;
    const float half_ = 0.5f;
    bool yes{ true };
    Size size = Size::LARGE;
    half h = 1.5f;
    unsigned computed = three * 7;
    Input<Vector<float>> in;
    Vector<float, ONE_PTR> v;
    int untouched;
    void compute()
    {
    }
};

class Constructed : public Vertex
{
  public:
    Constructed() : a(40)
    {
        b = a + 2;
    }
    int a, b;
    void compute()
    {
    }
};

// A constructor that is declared but not defined, which allows members without a default value.
class Declared : public Vertex
{
  public:
    Declared();
    const int none;
    int four = 4;
    void compute()
    {
    }
};

class External : public Vertex
{
  public:
    bool compute(); // in assembly
};

namespace outer
{
namespace inner
{
enum class Kind { SUM, PRODUCT };
enum Plain { FIRST = 3, SECOND };

template <class T, bool B> class Two : public Vertex
{
  public:
    Input<Vector<T>> in;
    Output<T> out;
    bool compute()
    {
        *out = in[0];
        return B;
    }
};
template class Two<float, true>;
template class Two<half, false>;
template class Two<unsigned, true>;
template class Two<uint8_t, true>;

template <typename T, Kind K, Plain P> class Enums : public Vertex
{
  public:
    Output<T> out;
    void compute()
    {
        *out = K == Kind::SUM ? T(P) : T(-int(P));
    }
};
template class Enums<int, Kind::SUM, FIRST>;
template class Enums<unsigned short, Kind::PRODUCT, SECOND>;
} // namespace inner

inline namespace now
{
template <unsigned N, int M, class... Types> class Numbers : public Vertex
{
  public:
    Output<int> out;
    void compute()
    {
        *out = int(N) + M + int(sizeof...(Types));
    }
};
} // namespace now
} // namespace outer
template class outer::Numbers<3000000000u, -4>;
template class outer::Numbers<0, 1, long long, signed char, outer::inner::Two<float, true>>;

namespace
{
class Hidden : public Vertex
{
    Output<int> out;
    bool compute()
    {
        *out = 1;
        return true;
    }
};
} // namespace

// Fields of base classes come first; a base without compute() is not a vertex.
struct Counted {
    unsigned count;
};
template <class T> class Base : public Vertex, public Counted
{
  protected:
    Input<T> in;
    unsigned char small;
};
class Derived : public Base<float>
{
    unsigned char own;

  public:
    bool compute()
    {
        return true;
    }
};
class Heir : public Derived
{
    Output<float> out;
};

template <class T> class Multi : public MultiVertex
{
  public:
    Output<T> out;
    bool compute(unsigned workerId)
    {
        return workerId < numWorkers();
    }
};
template class Multi<float>;

class Boss : public SupervisorVertex
{
  public:
    Output<int> out;
    __attribute__((target("supervisor"))) bool compute();
};
bool Boss::compute()
{
    return true;
}

template <bool S> class Either : public SupervisorVertexIf<S>
{
  public:
    Output<int> out;
    bool compute()
    {
        return true;
    }
};
template class Either<true>;
template class Either<false>;

class [[poplar::constraint("elem(*a) != elem(*b)")]] Constrained : public Vertex
{
  public:
    Input<Vector<float>> a;
    Output<Vector<float>> b;
    bool compute()
    {
        return true;
    }
};

#define APART(x, y) [[poplar::constraint("elem(**" #x ") != elem(*" #y ")")]]
namespace outer
{
namespace inner
{
template <class T>
class alignas(16) APART(a, b) [[poplar::constraint("elem(*b) != elem(*c)", "region(*b) "
                                                                           "!= region(*c)")]] Apart : public Vertex
{
  public:
    Vector<Input<Vector<T>>> a;
    Output<Vector<T>> b, c;
    void compute()
    {
    }
};
template class Apart<float>;
template class Apart<half>;
} // namespace inner
} // namespace outer
