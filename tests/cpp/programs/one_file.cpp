// SPDX-License-Identifier: Apache-2.0
// Program and codelets in one file: supervisors, multivertices, short vectors, half.
// build: c++14 c++20
#ifdef __POPC__
#include <cmath>
#include <cstring>
#include <ipudef.h>
#include <poplar/FieldTypes.hpp>
#include <poplar/HalfFloat.hpp>
#include <poplar/TileConstants.hpp>
#include <poplar/VectorTypes.hpp>
#include <poplar/Vertex.hpp>
#include <tuple>
#ifdef __IPU__
#include <ipu_intrinsics>
#include <ipu_vector_math>
#define TARGET_SUPERVISOR __attribute__((target("supervisor")))
#else
#define TARGET_SUPERVISOR
#endif
#define RESTRICT __restrict
using namespace poplar;
static constexpr auto SPAN = poplar::VectorLayout::SPAN;
static constexpr auto ONE_PTR = poplar::VectorLayout::ONE_PTR;
template <typename T, size_t N> struct Pack {
    T v[N];
    T &operator[](size_t i)
    {
        return v[i];
    }
};
namespace ipu_like
{
template <typename F> inline F rsqrt_(F x)
{
    return F(1.0f / std::sqrt(float(x)));
}
} // namespace ipu_like
class Super : public SupervisorVertex
{
  public:
    Input<Vector<float, SPAN, 8>> x;
    Output<float> sum;
    __attribute__((target("supervisor"))) bool compute()
    {
        float s = 0.f;
        for (auto v : x)
            s += v;
        *sum = s;
        return true;
    }
};
template <typename T, bool inv>
class [[poplar::constraint("elem(*x) != elem(*y)", "region(*x) != region(*y)")]] Multi : public MultiVertex
{
  public:
    Multi();
    Input<Vector<T, ONE_PTR, 8>> x;
    Output<Vector<T, ONE_PTR, 8, true>> y;
    const unsigned n;
    unsigned short pad = 3;
    bool compute(unsigned wid)
    {
        const T *RESTRICT in = &x[0];
        T *RESTRICT out = &y[0];
        for (unsigned i = wid; i < n; i += CTXT_WORKERS)
            out[i] = inv ? ipu_like::rsqrt_(in[i]) : T(in[i] * in[i]);
        return true;
    }
};
template class Multi<float, true>;
template class Multi<half, false>;
template class Multi<float, false>;
class Vecs : public Vertex
{
  public:
    Input<Vector<float, ONE_PTR, 16>> x;
    InOut<Vector<float, SPAN, 16>> y;
    Input<Vector<half, SPAN, 8>> h;
    Output<Vector<int>> o;
    void compute()
    {
        const float2 *p = reinterpret_cast<const float2 *>(&x[0]);
        float2 *q = (float2 *)&y[0];
        const float2 two = { 2.0f, 2.0f };
        for (unsigned i = 0; i < y.size() / 2; i++) {
            float2 t = p[i] * two;
            q[i] += t;
            float2 neg = -t;
            q[i] = q[i] + neg * float2{ 0.5f, 0.5f };
        }
        const half4 *hp = reinterpret_cast<const half4 *>(&h[0]);
        half4 acc = hp[0] + hp[1];
        half2 lo{ acc[0], acc[1] };
        lo = lo * lo;
        float4 wide{ (float)acc[0], (float)acc[1], (float)acc[2], (float)acc[3] };
        int2 ii{ 1, 2 };
        uint2 uu = { 3u, 4u };
        short2 ss{ 5, 6 };
        ushort4 us{ 1, 2, 3, 4 };
        char4 cc = { 1, 2, 3, 4 };
        ii[0] += cc[3];
        o[0] = int(float(lo[1]));
        o[1] = wide[3];
        o[2] = ii[0] + uu[1] + ss[0] + us[2];
        o[3] = std::fmin(2.f, fabsf(-3.f)) + std::max(1, 2) + (int)std::floor(2.7f) + (int)lroundf(1.6f) +
               (std::isnan(x[0]) ? 100 : 0);
    }
};
#else
#include <cmath>
#include <iostream>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
using namespace poplar;
using namespace poplar::program;
int main(int argc, char **argv)
{
    IPUModel m;
    m.tilesPerIPU = 2;
    Device d = m.createDevice();
    Graph g(d.getTarget());
    g.addCodelets(__FILE__, CodeletFileType::Auto, "-O2 -Wall");
    const unsigned n = 20;
    auto x = g.addVariable(FLOAT, { n }, "x"), y = g.addVariable(FLOAT, { n }, "y"), sum = g.addVariable(FLOAT, { 1 }),
         h = g.addVariable(HALF, { 8 }), o = g.addVariable(INT, { 4 }), z = g.addVariable(FLOAT, { n }),
         hs = g.addVariable(HALF, { 8 });
    for (auto t : { x, y, sum, h, o, z, hs })
        g.setTileMapping(t, 1);
    std::vector<float> hx(n);
    for (unsigned i = 0; i < n; i++)
        hx[i] = i + 1;
    g.setInitialValue(x, ArrayRef<float>(hx));
    g.setInitialValue(z, ArrayRef<float>(hx));
    g.setInitialValue<float>(h, { 1, 2, 3, 4, 5, 6, 7, 8 });
    auto cs = g.addComputeSet(), cs2 = g.addComputeSet();
    auto v = g.addVertex(cs, "Super", { { "x", x }, { "sum", sum[0] } });
    g.setTileMapping(v, 1);
    v = g.addVertex(cs, "Multi<float,true>", { { "x", x }, { "y", y } });
    g.setInitialValue(v["n"], n);
    g.setTileMapping(v, 1);
    v = g.addVertex(cs, "Multi<half,false>", { { "x", h }, { "y", hs } });
    g.setInitialValue(v["n"], 8);
    g.setTileMapping(v, 1);
    v = g.addVertex(cs2, "Vecs", { { "x", x }, { "y", z }, { "h", h }, { "o", o } });
    g.setTileMapping(v, 1);
    g.createHostRead("y", y);
    g.createHostRead("sum", sum);
    g.createHostRead("z", z);
    g.createHostRead("o", o);
    g.createHostRead("hs", hs);
    Engine e(g, Sequence(Execute(cs), Execute(cs2)));
    e.load(d);
    e.run(0);
    std::vector<float> hy(n), hz(n);
    float s;
    int ho[4];
    uint16_t raw[8];
    e.readTensor("y", hy.data(), hy.data() + n);
    e.readTensor("z", hz.data(), hz.data() + n);
    e.readTensor("sum", &s, &s + 1);
    e.readTensor("o", ho, ho + 4);
    e.readTensor("hs", raw, raw + 8);
    float f8[8];
    copyDeviceHalfToFloat(d.getTarget(), raw, f8, 8);
    int bad = s != 210;
    for (unsigned i = 0; i < n; i++)
        bad += std::fabs(hy[i] - 1 / std::sqrt(i + 1.f)) > 1e-6 || hz[i] != 2 * hx[i];
    bad += f8[7] != 64 || ho[0] != 64 || ho[1] != 12 || ho[2] != 1 + 4 + 4 + 5 + 3 || ho[3] != 8;
    std::cout << bad << " " << s << " " << ho[0] << " " << ho[1] << " " << ho[2] << " " << ho[3] << " " << f8[7]
              << "\n";
    return bad;
}
#endif
