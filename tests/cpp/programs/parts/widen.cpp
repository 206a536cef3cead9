// SPDX-License-Identifier: Apache-2.0
#include <cassert>
#include <cmath>
#include <poplar/AvailableVTypes.h>
#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>
#include <type_traits>
#if defined(VECTOR_AVAIL_SHORT_SPAN)
static constexpr auto SHORT_SPAN = poplar::VectorLayout::SHORT_SPAN;
#else
static constexpr auto SHORT_SPAN = poplar::VectorLayout::SPAN;
#endif
#ifdef VECTOR_AVAIL_SCALED_PTR32
static constexpr auto PTR_ALIGN32 = poplar::VectorLayout::SCALED_PTR32;
#else
static constexpr auto PTR_ALIGN32 = poplar::VectorLayout::ONE_PTR;
#endif
#ifdef VECTORLIST_AVAIL_DELTAN
static constexpr auto DELTAN = poplar::VectorListLayout::DELTAN;
#else
static constexpr auto DELTAN = poplar::VectorListLayout::DELTANELEMENTS;
#endif
using namespace poplar;
static constexpr auto ONE_PTR = poplar::VectorLayout::ONE_PTR;
static constexpr auto SPAN = poplar::VectorLayout::SPAN;
template <bool B> constexpr bool flip()
{
    return !B;
}
#define IS_EXTERNAL_CODELET(VALUE) static const bool isExternalCodelet = (VALUE)
#define INSTANTIATE(name, ...)     template class name<__VA_ARGS__>
namespace ops
{
enum class Op { ADD, MUL };
template <class A, class B, bool useExtern>
class [[poplar::constraint("elem(*in) != elem(*out)")]] Widen : public SupervisorVertexIf<useExtern && false>
{
  public:
    Widen();
    Input<Vector<A, PTR_ALIGN32, 8>> in;
    Output<Vector<B, ONE_PTR, 8, true>> out;
    const unsigned short size;
    IS_EXTERNAL_CODELET(useExtern && false);
    bool compute()
    {
        for (unsigned i = 0; i != size; ++i)
            out[i] = static_cast<B>(in[i]) + B(1);
        return true;
    }
};
template class Widen<half, float, true>;
template class Widen<float, half, false>;
INSTANTIATE(Widen, half, float, false);
template <Op op, typename T, unsigned N> class Pick : public Vertex
{
  public:
    Pick();
    InOut<VectorList<T, DELTAN>> list;
    Vector<InOut<Vector<T, ONE_PTR>>> out;
    Input<Vector<unsigned short, ONE_PTR>> worklist;
    Vector<unsigned short, SPAN> table;
    bool compute()
    {
        for (unsigned i = 0; i < list.size(); i++) {
            auto l = list[i];
            for (unsigned j = 0; j < l.size(); j++)
                l[j] = table[i] + j + worklist[i] * 100;
        }
        if (op == Op::ADD)
            for (unsigned i = 0; i < out.size(); i++)
                out[i][3] = N;
        return true;
    }
};
template class Pick<Op::ADD, int, 2>;
template class Pick<ops::Op::MUL, int, 2>;
} // namespace ops
