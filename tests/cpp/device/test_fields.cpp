// SPDX-License-Identifier: Apache-2.0
// Classes as in codelets, compiled for the host; compute() runs on storage with the engine's layout, filled by hand.
#include "../check.hpp"

#include <poplar/AvailableVTypes.h>
#include <poplar/StackSizeDefs.hpp>
#include <poplar/TileConstants.hpp>
#include <poplar/Vertex.hpp>
#include <print.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

using namespace poplar;
static constexpr auto ONE_PTR = poplar::VectorLayout::ONE_PTR;

// The state as the engine writes it.
struct Pair {
    void *data;
    size_t count;
};
template <class T> static Pair pair(T *data, size_t count)
{
    return Pair{ const_cast<typename std::remove_const<T>::type *>(data), count };
}
// A vertex whose state was written as bytes.
template <class V> class Built
{
  public:
    template <class State> explicit Built(const State &state)
    {
        static_assert(sizeof(State) == sizeof(V), "the layout of src/popc/module/codelet.h");
        std::memcpy(bytes, &state, sizeof(state));
    }
    V *operator->()
    {
        return reinterpret_cast<V *>(bytes);
    }

  private:
    alignas(V) unsigned char bytes[sizeof(V)];
};

class SumVertex : public Vertex
{
  public:
    Input<Vector<float>> in;
    Output<float> out;
    InOut<float> total;
    Input<float> x, y;
    bool compute()
    {
        *out = 0;
        for (auto value : in)
            *out += value;
        for (unsigned i = 0; i < in.size(); ++i)
            *total += in[i];
        const float *p = &in[0];
        *total += x + y * 2 - *x;
        return in->size() == in.size() && p == in.data() && in.end() - in.begin() == 3;
    }
};

TEST(edgesToScalarsAndVectors)
{
    struct {
        Pair in;
        float *out, *total, *x, *y;
    } state;
    float in[] = { 1, 2, 4 }, out = 9, total = 100, x = 3, y = 5;
    state = { pair(in, 3), &out, &total, &x, &y };
    Built<SumVertex> vertex(state);
    CHECK(vertex->compute());
    CHECK(out == 7 && total == 117);
}

#ifdef __clang__
#pragma clang diagnostic ignored "-Wunknown-attributes"
#else
#pragma GCC diagnostic ignored "-Wattributes"
#endif
template <typename T, bool twice> class [[poplar::constraint("elem(*in) != elem(*out)")]] Nested : public Vertex
{
  public:
    Nested();
    Vector<Input<Vector<T, ONE_PTR, 8>>, ONE_PTR> in;
    Vector<Output<Vector<T, VectorLayout::SPAN, 4, true>>> out;
    InOut<VectorList<T, VectorListLayout::DELTANELEMENTS>> lists;
    InputSet<T> set;
    Vector<unsigned, ONE_PTR> widths;
    const unsigned short rows;
    void compute()
    {
        for (unsigned i = 0; i < rows; ++i)
            for (unsigned j = 0; j < widths[i]; ++j)
                out[i][j] = in[i][j] * (twice ? 2 : 1) + *set[0];
        for (auto &list : lists)
            for (auto &element : list)
                element += T(1);
        lists[1][lists[1].size() - 1] = T(lists.size());
    }
};
template class Nested<float, true>;
template class Nested<half, false>;

template <class T, bool twice> static void runNested()
{
    T a[] = { T(1), T(2) }, b[] = { T(3) }, oa[2], ob[1], one = T(10), list[] = { T(5), T(6), T(7) };
    unsigned widths[] = { 2, 1 };
    T *in[] = { a, b }, *set[] = { &one };
    Pair out[] = { pair(oa, 2), pair(ob, 1) }, lists[] = { pair(list, 1), pair(list + 1, 2) };
    struct State {
        T **in;
        Pair out, lists, set;
        unsigned *widths;
        unsigned short rows;
    } state = { in, pair(out, 2), pair(lists, 2), pair(set, 1), widths, 2 };
    Built<Nested<T, twice>>(state)->compute();
    int by = twice ? 2 : 1;
    CHECK(oa[0] == T(1 * by + 10) && oa[1] == T(2 * by + 10) && ob[0] == T(3 * by + 10));
    CHECK(list[0] == T(6) && list[1] == T(7) && list[2] == T(2));
}
TEST(nestedVectorsListsAndState)
{
    runNested<float, true>();
    runNested<half, false>();
}

// An edge to a half can be read as a half and as a float.
class Halves : public Vertex
{
    Input<half> a, b;
    Output<half> out;
    Input<float> f;

  public:
    bool compute()
    {
        half h = a, k = half(f), m(a);
        float wide = a;
        h += b;
        h = h * a + a * b - -b;
        *out = a + b + a * 2 + (a + 1.0f) + k + m + f;
        return a < b && a == h / 3 && wide<f &&static_cast<float>(b)> 1 && a <= 1.0f && a == 1;
    }
};
TEST(edgesToHalf)
{
    half a = 1, b = 2, out;
    float f = 4;
    void *state[] = { &a, &b, &out, &f };
    Built<Halves> vertex(state);
    CHECK(!vertex->compute());
    CHECK(out == 1 + 2 + 2 + 2 + 4 + 1 + 4);
}

class Workers : public MultiVertex
{
  public:
    InOut<Vector<unsigned, VectorLayout::SHORT_SPAN>> counts;
    bool compute(unsigned workerId)
    {
        for (unsigned i = workerId; i < counts.size(); i += numWorkers())
            ++counts[i];
        return true;
    }
};
static_assert(std::is_base_of<SupervisorVertex, SupervisorVertexIf<true>>::value &&
                  std::is_base_of<Vertex, SupervisorVertexIf<false>>::value,
              "kinds");
class Alone : public SupervisorVertex
{
  public:
    Output<unsigned> out;
    __attribute__((target("supervisor"))) bool compute()
    {
        *out = plain(41);
        return true;
    }
    __attribute__((target("worker"), noinline)) static unsigned plain(unsigned x);
};
__attribute__((noinline, const)) unsigned Alone::plain(unsigned x)
{
    return x + 1;
}
// A promise to the compiler, and a compute() that changes none of its own members.
class Promise : public Vertex
{
  public:
    Output<Vector<float>> out;
    bool compute() const
    {
        const size_t size = out.size();
        __builtin_assume(size > 0);
        out[0] = 4;
        *out.data() += 1;
        return out->size() == 2;
    }
};
TEST(aConstComputeWrites)
{
    float out[2] = { 0, 0 };
    CHECK(Built<Promise>(pair(out, 2))->compute() && out[0] == 5);
}
// Other attributes are ignored as before.
struct Aligned {
    char c;
} __attribute__((aligned(32), unused));
static_assert(alignof(Aligned) == 32, "aligned");
TEST(supervisorsCompileForTheHost)
{
    unsigned out = 0, *state = &out;
    CHECK(Built<Alone>(state)->compute() && out == 42);
}
static_assert(std::is_empty<ExternalExchangeVertex>::value && std::is_empty<Vertex>::value &&
                  std::is_empty<MultiVertex>::value,
              "no state of their own");

TEST(everyWorkerHasItsShare)
{
    unsigned counts[13] = { 0 };
    Built<Workers> vertex(pair(counts, 13));
    for (unsigned worker = 0; worker < MultiVertex::numWorkers(); ++worker)
        CHECK(vertex->compute(worker));
    for (unsigned count : counts)
        CHECK(count == 1);
    static_assert(CTXT_WORKERS == 6 && CSR_W_WSR__CTXTID_M1__MASK == 7, "constants");
}

TEST(printfTakesHalvesAndEdges)
{
    half h = 1.5f;
    float f = 2;
    void *state[] = { &h, &f };
    struct Edges {
        Input<half> a;
        Input<float> b;
    };
    Built<Edges> edges(state);
    CHECK(printf("%g %g %g %d\n", h, edges->a, edges->b, 3) == 12);
    CHECK(printf("plain\n") == 6);
}

MAIN()
