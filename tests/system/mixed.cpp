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
enum { STEPS = 20 };
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
        float kept;
        if (same < 1)
            asm("setzi $a6, 77"); // without operands, and without braces
        while (same > 1)
            asm("trap 0");
        asm volatile("mov %0, $a6" : "=r"(kept));
        unsigned bits;
        __builtin_memcpy(&bits, &kept, sizeof(bits));
        if (__builtin_ipu_get(CSR_W_WSR__INDEX) != 0 || bits != 77)
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

// The first weight of the tile's units.
class Weight : public Vertex
{
  public:
    Output<float> out;
    bool compute()
    {
        const half4 one = { { half(1.0f), half(0.0f), half(0.0f), half(0.0f) } };
        __builtin_ipu_aacc_zero();
        __builtin_ipu_f16v4sisoamp(one, float2{}, TAMP_F16V4_E4_P0);
        *out = __builtin_ipu_f16v4sisoamp(half4{}, float2{}, TAMP_F16V4_E4_P0)[0];
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

// Each builtin of the accumulators and units does what its instruction does with the same operands.
class Units : public Vertex
{
  public:
    Output<Vector<unsigned>> same; // by builtin: whether it is, and gives something
    const unsigned wide;           // two sets of accumulators: not on ipu1
    unsigned at;
    template <class D> void compare(const D (&first)[STEPS], const D (&second)[STEPS])
    {
        const D zero{};
        bool any = false;
        for (unsigned i = 0; i < STEPS; ++i)
            any |= __builtin_memcmp(&first[i], &zero, sizeof(D)) != 0;
        same[at++] = any && __builtin_memcmp(first, second, sizeof(first)) == 0;
    }
    template <class D, class B, class A> void unit(B builtin, A assembly)
    {
        D first[STEPS], second[STEPS];
        __builtin_ipu_aacc_zero();
        for (int i = 0; i < STEPS; ++i)
            first[i] = builtin(i);
        __builtin_ipu_aacc_zero();
        for (int i = 0; i < STEPS; ++i)
            second[i] = assembly(i);
        compare(first, second);
    }
    // The accumulators after a call and after an instruction.
    template <class B, class A> void sums(B builtin, A assembly)
    {
        float2 first[STEPS], second[STEPS];
        __builtin_ipu_aacc_zero();
        builtin();
        for (int i = 0; i < STEPS; ++i)
            first[i] = __builtin_ipu_f32v2gina(float2{}, 0);
        __builtin_ipu_aacc_zero();
        assembly();
        for (int i = 0; i < STEPS; ++i)
            asm volatile("f32v2gina %0, $azeros, 0" : "=r"(second[i]));
        compare(first, second);
    }
    bool compute()
    {
        const half4 x = { { half(1.0f), half(-2.0f), half(3.0f), half(0.5f) } },
                    y = { { half(0.25f), half(5.0f), half(-6.0f), half(7.0f) } };
        const half2 h = { { half(9.0f), half(-10.0f) } }, k = { { half(0.5f), half(1.5f) } };
        const float2 p = { 11, -12 }, q = { 0.5f, 3 };
        const float4 four = { 1, -2, 3, -4 };
        const float f = 1.5f, g = -3;
        at = 0;
// d = name(a, b, flag), with the flags of the phases.
#define COMPARE_UNIT(name, D, a, b, flag, phases)                                                                      \
    unit<D>([&](int i) { return __builtin_ipu_##name(a, b, flag + i % phases); },                                      \
            [&](int i) {                                                                                               \
                D d;                                                                                                   \
                asm volatile(#name " %0, %1, %2, %3" : "=r"(d) : "r"(a), "r"(b), "i"(flag + i % phases));              \
                return d;                                                                                              \
            });
#define COMPARE_SUMS(call, instruction, ...) sums([&] { call; }, [&] { asm volatile(instruction : : __VA_ARGS__); });
        COMPARE_UNIT(f16v4sisoamp, float2, x, p, TAMP_F16V4_E4_P0, 4)
        COMPARE_UNIT(f16v4hihoamp, half2, x, h, TAMP_F16V4_E4_P0, 4)
        COMPARE_UNIT(f16v4sihoamp, half2, x, p, TAMP_F16V4_E4_P0, 4)
        COMPARE_UNIT(f32sisoamp, float2, f, p, TAMP_F32_E4_P0, 8)
        COMPARE_UNIT(f16v4sisoslic, float2, x, p, TSLIC_F16V4_1x4_W0, 2)
        COMPARE_UNIT(f16v4hihoslic, half2, x, h, TSLIC_F16V4_1x4_W0, 2)
        COMPARE_UNIT(f16v4sihoslic, half2, x, p, TSLIC_F16V4_1x3_W0, 2)
        COMPARE_UNIT(f32sisoslic, float2, f, p, TSLIC_F16V4_1x4_W0, 1)
        {
            half4 first[STEPS] = {}, second[STEPS] = {};
            __builtin_ipu_f16v4istacc(x, y, TISTACC_P0);
            first[0] = __builtin_ipu_f16v4istacc(y, y, TISTACC_P1);
            first[1] = __builtin_ipu_f16v4stacc(TSTACC_P0);
            first[2] = __builtin_ipu_f16v4stacc(TSTACC_P1);
            first[3] = __builtin_ipu_f16v4istacc(y, x, TISTACC_P0);
            first[4] = __builtin_ipu_f16v4istacc(x, x, TISTACC_P1);
            asm volatile("f16v4istacc $a4:5, %0, %1, 0" ::"r"(x), "r"(y) : "$a4:5");
            asm volatile("f16v4istacc %0, %1, %1, 1" : "=r"(second[0]) : "r"(y));
            asm volatile("f16v4stacc %0, 0" : "=r"(second[1]));
            asm volatile("f16v4stacc %0, 1" : "=r"(second[2]));
            asm volatile("f16v4istacc %0, %1, %2, 0" : "=r"(second[3]) : "r"(y), "r"(x));
            asm volatile("f16v4istacc %0, %1, %1, 1" : "=r"(second[4]) : "r"(x));
            first[0] = second[0]; // what was there before
            compare(first, second);
        }
        COMPARE_SUMS(__builtin_ipu_f16v4acc(x), "f16v4acc %0", "r"(x))
        COMPARE_SUMS(__builtin_ipu_f16v4absacc(x), "f16v4absacc %0", "r"(x))
        COMPARE_SUMS(__builtin_ipu_f32v4acc(four), "f32v4acc %0", "r"(four))
        COMPARE_SUMS(__builtin_ipu_f32v4absacc(four), "f32v4absacc %0", "r"(four))
        COMPARE_SUMS(__builtin_ipu_f32v4sqacc(four), "f32v4sqacc %0", "r"(four))
        COMPARE_SUMS(__builtin_ipu_f32mac(f, g), "f32mac %0, %1", "r"(f), "r"(g))
        COMPARE_SUMS(__builtin_ipu_f32v2mac(p, q), "f32v2mac %0, %1", "r"(p), "r"(q))
        COMPARE_SUMS(__builtin_ipu_f16v2cmac(h, k), "f16v2cmac %0, %1", "r"(h), "r"(k))
        COMPARE_SUMS(__builtin_ipu_f16v4cmac(x, y), "f16v4cmac %0, %1", "r"(x), "r"(y))
        COMPARE_SUMS(__builtin_ipu_f32v2aop(p, q, 0), "f32v2aop %0, %1, 0", "r"(p), "r"(q))
        if (wide) {
            COMPARE_UNIT(f16v4hihov4amp, half4, x, y, TAMP_F16V4_E4_P0, 4)
            COMPARE_UNIT(f32sisov2amp, float2, f, p, TAMP_F32_E4_P0, 8)
            COMPARE_UNIT(f16v4hihov4slic, half4, x, y, TSLIC_F16V4_1x4_W0, 2)
            COMPARE_UNIT(f32sisov2slic, float2, f, p, TSLIC_F16V4_1x4_W0, 1)
        }
#undef COMPARE_UNIT
#undef COMPARE_SUMS
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
