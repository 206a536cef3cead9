// SPDX-License-Identifier: Apache-2.0
// Short vectors and the device's functions, as codelets use them outside #ifdef __IPU__.
#include "../check.hpp"

#include <ipu_intrinsics>
#include <poplar/Alignment.hpp>
#include <poplar/Loops.hpp>
#include <poplar/QuarterFloat.hpp>

#include <cmath>

TEST(operatorsWorkOnEachElement)
{
    float2 v = { 1, 2 };
    v = v * v + 2.0f;
    CHECK(v[0] == 3 && v[1] == 6);
    int2 mask = v > float2{ 4, 4 };
    CHECK(mask[0] == 0 && mask[1] == -1);
    float4 w = { 1, 2, 3, 4 };
    w[2] = 9;
    CHECK((w + w)[2] == 18 && ipu::sum(w) == 16);

    half2 h = { 1.5f, v[1] };
    h = h * h + half2{ half(1), half(2) };
    h *= half(2);
    h += half2{ 1, 1 };
    CHECK(h[0] == 7.5f && h[1] == 77 && (-h)[0] == -7.5f);
    half4 q = { h[0], h[1], 1, 2 };
    q = half(2) * q - q / half(2);
    CHECK(q[0] == 11.25f && q[3] == 3);
    short2 less = h < half2{ 8, 8 };
    CHECK(less[0] == -1 && less[1] == 0);
    static_assert(sizeof(half2) == 4 && alignof(half2) == 4 && sizeof(half4) == 8 && alignof(half4) == 8,
                  "as wide as their elements");
    static_assert(sizeof(char4) == 4 && sizeof(uchar4) == 4 && sizeof(ushort2) == 4 && sizeof(uint2) == 8 &&
                      sizeof(short4) == 8,
                  "sizes");
    CHECK(static_cast<char4>(char4{ 1, -2, 3, -4 } + char4{ 1, 1, 1, 1 })[1] == -1);
}

// Many operations on vectors, each compared with the same operation on class half.
TEST(vectorsRoundAsHalfDoes)
{
    for (unsigned i = 0; i < 65536; ++i) {
        half a = half::fromBits(static_cast<uint16_t>(i)), b = half::fromBits(static_cast<uint16_t>(i * 40503u >> 3));
        half4 x = { a, b, a, b }, y = { b, a, a, b };
        half4 sum = x + y, product = x * y, quotient = x / y;
        for (unsigned lane = 0; lane < 4; ++lane) {
            half s = x[lane] + y[lane], p = x[lane] * y[lane], q = x[lane] / y[lane];
            CHECK(sum[lane].bits() == s.bits() || std::isnan(s));
            CHECK(product[lane].bits() == p.bits() || std::isnan(p));
            CHECK(quotient[lane].bits() == q.bits() || std::isnan(q));
        }
    }
}

TEST(loadsAndStoresMoveTheirPointer)
{
    alignas(8) float data[] = { 1, 2, 3, 4 };
    alignas(8) float copy[4] = { 0 };
    const float2 *from = reinterpret_cast<const float2 *>(&data[0]);
    float2 *to = reinterpret_cast<float2 *>(&copy[0]);
    for (unsigned i = 0; i < 2; ++i)
        ipu::store_postinc(&to, ipu::load_postinc(&from, 1) + 1.0f, 1);
    CHECK(copy[0] == 2 && copy[3] == 5 && to == reinterpret_cast<float2 *>(copy + 4));
    alignas(8) half halves[] = { 1, 2, 3, 4 };
    half4 *quad = reinterpret_cast<half4 *>(&halves[0]);
    half4 four = ipu::load_postinc(&quad, 1);
    quad -= 1;
    ipu::store_postinc(&quad, four + four, 1);
    CHECK(halves[3] == 8);
}

TEST(functionsOfEachType)
{
    CHECK(ipu::fabs(-1.5f) == 1.5f && ipu::fabs(half(-2)) == 2 && ipu::fabs(float2{ -1, 2 })[0] == 1);
    CHECK(ipu::sqrt(half2{ 4, 9 })[1] == 3 && ipu::rsqrt(4.0f) == 0.5f && ipu::sigmoid(0.0f) == 0.5f &&
          ipu::erf(half(0)) == 0);
    CHECK(ipu::exp(0.0f) == 1 && ipu::log(1.0f) == 0 && ipu::sin(0.0f) == 0 && ipu::cos(half(0)) == 1 &&
          ipu::tanh(half4{ 0, 0, 0, 0 })[2] == 0);
    CHECK(ipu::floor(1.5f) == 1 && ipu::ceil(half(1.5f)) == 2 && ipu::fmod(5.0f, 3.0f) == 2 &&
          ipu::pow(half(2), half(3)) == 8);
    CHECK(ipu::fmax(half4{ 1, 5, 2, 0 }, half4{ 3, 1, 2, 1 })[0] == 3 && ipu::fmin(1.0f, 2.0f) == 1 &&
          ipu::copysign(1.0f, -2.0f) == -1);
    CHECK(ipu::fma(2.0f, 3.0f, 1.0f) == 7 && ipu::fma(half(2), half(3), half(1)) == 7 && ipu::andc(-1.0f, -0.0f) == 1);
    CHECK(__builtin_ipu_exp2(3.0f) == 8 && __builtin_ipu_andc_f32(-1.0f, -0.0f) == 1 &&
          __builtin_ipu_isnan(std::nanf("")));
}

TEST(smallHeaders)
{
    unsigned sum = 0;
    poplar::forLoop(5u, [&](unsigned i) { sum += i; });
    poplar::rptLoop(3, [&] { ++sum; });
    CHECK(sum == 13 && poplar::alignUp(9, 8) == 16);
    CHECK(quarter::fromBits(0x38).bits() == 0x38 && sizeof(quarter) == 1);
}

MAIN()
