// SPDX-License-Identifier: Apache-2.0
// Codelets in C++ that use the tile's instructions: functions of mixed.S, builtins, inline assembly (--tile-builtins).
#include <ipu_intrinsics>
#include <poplar/TileConstants.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;
static constexpr auto ONE_PTR = VectorLayout::ONE_PTR;

extern "C" float mixed_dot(const float *x, const float *y, unsigned pairs);
extern "C" void mixed_scale(float *x, float factor, unsigned long pairs);
namespace mixed
{
int twice(int value);

// Functions in assembly get fields and variables of the codelet.
class Dot : public Vertex
{
  public:
    Input<Vector<float, ONE_PTR, 8>> x;
    Input<Vector<float, VectorLayout::SPAN, 8>> y;
    Output<float> out;
    bool compute()
    {
        float own[4] __attribute__((aligned(8))) = { 1, 2, 3, 4 };
        mixed_scale(own, 3.0f, 2);
        *out = mixed_dot(&x[0], &y[0], y.size() / 2) + own[0] + own[3] + static_cast<float>(twice(-50));
        return true;
    }
};

#ifndef __IPU__
#error "--tile-builtins defines __IPU__"
#endif

// y = a x + y with packed addresses.
class [[poplar::constraint("elem(*x) != elem(*y)")]] Axpy : public Vertex
{
  public:
    Input<Vector<float, ONE_PTR, 8>> x;
    InOut<Vector<float, VectorLayout::SPAN, 8>> y;
    float a;
    bool compute()
    {
        __builtin_ipu_put_tas(a);
        uint2 at = __builtin_ipu_tapack(&x[0], &y[0], &y[0]);
        for (unsigned pairs = y.size() / 2; pairs; --pairs) {
            float2 u, v;
            __builtin_ipu_ld2x64pace(u, v, at, 0, 0);
            __builtin_ipu_f32v2axpy(u, v);
            __builtin_ipu_st64pace(__builtin_ipu_f32v2axpy(float2{}, float2{}), at, 0, 0);
        }
        return true;
    }
};

// Statements with names, numbers, constants, a pair that is read and written, and a bundle.
class Statements : public Vertex
{
  public:
    Input<Vector<float, ONE_PTR, 8>> x;
    Output<Vector<float, VectorLayout::SPAN, 8>> y;
    bool compute()
    {
        const float *from = &x[0];
        float *to = &y[0];
        unsigned left = y.size() / 2, sum = 0;
        for (; left; --left) {
            float2 v;
            asm volatile("ld64step %[v], $mzero, %[from]+=, 1\n"
                         "  { add %[sum], %[sum], %c[step]\n"
                         "    f32v2mul %[v], %[v], %[v] }"
                         : [v] "=&r"(v), [from] "+r"(from), [sum] "+r"(sum)
                         : [step] "i"(3)
                         : "$m0", "$a0:1");
            asm volatile("st64step %1, $mzero, %0+=, 1" : "+r"(to) : "r"(v) : "memory");
        }
        int same;
        asm(
#if __IPU_ARCH_VERSION__ == 2 // lines between the parts of a statement
            "sub %0,"

#else
            "no instruction %0,"
        // So many lines are left out here that the preprocessor
        // marks where it goes on,
        // instead of
        // writing
        // a line
        // for
        // each
        // of
        // them.
#endif
            " 1, %1"
            : "=r"(same)

#ifdef __IPU__
            : "0"(sum)
#else
            : "r"(sum)

#endif

        );
        if (__builtin_ipu_get(CSR_W_WSR__INDEX) != 0)
            return false;
        return same == 1 - 3 * static_cast<int>(y.size() / 2) && to == &y[0] + y.size();
    }
};

// Each worker has registers of its own.
class Workers : public MultiVertex
{
  public:
    Output<Vector<unsigned, ONE_PTR>> numbers;
    bool compute(unsigned worker)
    {
        numbers[worker] = __builtin_ipu_get(CSR_W_WSR__INDEX) & CSR_W_WSR__CTXTID_M1__MASK;
        return true;
    }
};

// A product of a matrix of 8 x 16 with a vector: weights from the supervisor's statement, then the AMP on a worker.
class Product : public SupervisorVertex
{
  public:
    Input<Vector<half, ONE_PTR, 8>> weights;
    Output<Vector<unsigned, ONE_PTR>> done;
    __attribute__((target("supervisor"))) bool compute()
    {
        __builtin_ipu_put(&weights[0], CSR_S_CCCSLOAD__INDEX);
        __builtin_ipu_ld64putcs(0);
        done[0] = __builtin_ipu_get(CSR_S_CCCSLOAD__INDEX) != 0;
        return true;
    }
};

// The accumulators keep what statements leave there.
class Sums : public Vertex
{
  public:
    Input<Vector<float, ONE_PTR, 8>> x;
    Output<Vector<float, ONE_PTR, 8>> out;
    bool compute()
    {
        __builtin_ipu_aacc_zero();
        for (unsigned i = 0; i < 8; i += 4)
            __builtin_ipu_f32v4acc(float4{ x[i], x[i + 1], x[i + 2], x[i + 3] });
        const float2 first = __builtin_ipu_f32v2gina(float2{}, 0), second = __builtin_ipu_gina(float2{}, 0);
        out[0] = first[0];
        out[1] = first[1];
        out[2] = second[0];
        out[3] = second[1];
        half4 h = { { half(1.0f), half(2.0f), half(3.0f), half(4.0f) } };
        __builtin_ipu_f16v4cmac(h, h);
        out[4] = __builtin_ipu_f32v2gina(float2{}, 0)[1];
        return true;
    }
};

// Many short fields, whose ends are close to each other.
class Rows : public Vertex
{
  public:
    Vector<Input<Vector<float, ONE_PTR, 8>>> rows;
    Output<Vector<float>> out;
    bool compute()
    {
        for (unsigned i = 0; i < rows.size(); ++i)
            out[i] = mixed_dot(&rows[i][0], &rows[i][0], 1);
        return true;
    }
};

// Statements that fail.
class Beyond : public Vertex
{
  public:
    Input<Vector<int>> in;
    bool compute()
    {
        const int *at = &in[0];
        asm volatile("st32 %1, %0, $mzero, 0" ::"r"(at), "r"(7));
        return true;
    }
};
class Unknown : public Vertex
{
  public:
    Input<int> in;
    bool compute()
    {
        int out;
        asm volatile("addd %0, %1, 1" : "=r"(out) : "r"(*in));
        return out != 0;
    }
};

} // namespace mixed
