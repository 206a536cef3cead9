// SPDX-License-Identifier: Apache-2.0
// half is IEEE binary16: conversions of every bit pattern, rounding, arithmetic, and the types of mixed operations.
#include "../check.hpp"

#include <poplar/HalfFloat.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplar/type.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

static float fromBits(uint32_t bits)
{
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
}
static uint32_t toBits(float value)
{
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
}
static half raw(unsigned bits)
{
    return half::fromBits(static_cast<uint16_t>(bits));
}
static bool same(half a, uint16_t bits)
{
    return a.bits() == bits || (std::isnan(a) && (bits & 0x7fff) > 0x7c00);
}
// Pseudo-random numbers, the same in every run.
static uint32_t next(uint32_t &state)
{
    state = state * 1664525u + 1013904223u;
    return state ^ state >> 15;
}

TEST(everyBitPatternConvertsToFloatAndBack)
{
    for (unsigned bits = 0; bits < 65536; ++bits) {
        float wide = raw(bits);
        float soft = poplar::detail::softHalfToFloat(static_cast<uint16_t>(bits));
        float reference = pop_half_to_float(static_cast<uint16_t>(bits));
        CHECK(toBits(wide) == toBits(soft));
        CHECK(std::isnan(reference) ? std::isnan(wide) : toBits(wide) == toBits(reference));
        CHECK(same(half(wide), static_cast<uint16_t>(bits)));
    }
}

TEST(floatsRoundToNearestEven)
{
    uint32_t state = 1;
    for (unsigned bits = 0; bits < 0x7c00; ++bits) {
        // On, below and above each half, and each midpoint of two.
        float low = raw(bits), high = bits < 0x7bff ? static_cast<float>(raw(bits + 1)) : 65536.0f,
              middle = (low + high) / 2;
        const float values[] = { low, middle, std::nextafter(middle, 0.0f), std::nextafter(middle, 1e9f),
                                 std::nextafter(low, 1e9f) };
        for (float value : values) {
            CHECK(half(value).bits() == pop_half_from_float(value));
            CHECK(half(-value).bits() == pop_half_from_float(-value));
            CHECK(poplar::detail::softHalfFromFloat(value) == pop_half_from_float(value));
        }
        CHECK(half(middle).bits() % 2 == 0);
    }
    for (unsigned i = 0; i < 2000000; ++i) {
        float value = fromBits(next(state));
        CHECK(same(half(value), pop_half_from_float(value)));
        CHECK(same(raw(poplar::detail::softHalfFromFloat(value)), pop_half_from_float(value)));
        CHECK(half(value).bits() == poplar::detail::softHalfFromFloat(value));
    }
}

TEST(doublesRoundOnce)
{
    // Just above the midpoint of two halves, by less than float can represent: float alone would round to even, down.
    double tricky = 1.0 + 0.00048828125 + 1e-12;
    CHECK(half(tricky).bits() == 0x3c01);
    CHECK(half(-tricky).bits() == 0xbc01);
    CHECK(half(1.0 + 0.00048828125).bits() == 0x3c00);
    uint32_t state = 7;
    for (unsigned i = 0; i < 500000; ++i) {
        float value = raw(next(state) & 0x7bff);
        double near = value * (1.0 + 0.00048828125) * (1.0 + ((next(state) & 7) - 3.5) * 1e-11);
        CHECK(half(near).bits() == pop_half_from_double(near));
    }
    CHECK(half(1e300).bits() == 0x7c00);
    CHECK(half(-1e-300).bits() == 0x8000);
    CHECK(std::isnan(half(std::nan(""))));
}

TEST(eachOperationRoundsOnce)
{
    uint32_t state = 3;
    for (unsigned i = 0; i < 1000000; ++i) {
        half a = raw(next(state) & 0xffff), b = raw(next(state) & 0xffff);
        float x = a, y = b;
        CHECK(same(a + b, pop_half_from_double(static_cast<double>(x) + y)));
        CHECK(same(a - b, pop_half_from_double(static_cast<double>(x) - y)));
        CHECK(same(a * b, pop_half_from_double(static_cast<double>(x) * y)));
        CHECK(same(a / b, pop_half_from_double(static_cast<double>(x) / y)));
        CHECK((a < b) == (x < y) && (a == b) == (x == y) && (a != b) == (x != y) && (a >= b) == (x >= y));
    }
}

TEST(typesOfMixedOperations)
{
    half h = 1.5f;
    static_assert(std::is_same<decltype(h + h), half>::value, "half with half");
    static_assert(std::is_same<decltype(h * 2), half>::value, "half with int");
    static_assert(std::is_same<decltype(2u * h), half>::value, "unsigned with half");
    static_assert(std::is_same<decltype(h + 1.0f), float>::value, "half with float");
    static_assert(std::is_same<decltype(1.0 / h), double>::value, "double with half");
    static_assert(std::is_same<decltype(-h), half>::value, "minus");
    static_assert(std::is_same<decltype(std::sqrt(h)), float>::value, "std::sqrt");
    static_assert(sizeof(half) == 2 && alignof(half) == 2 && std::is_trivial<half>::value, "two bytes, nothing else");
    static_assert(std::is_same<poplar::half, half>::value && std::is_same<poplar::IeeeHalf, half>::value, "one class");
    h += 1;
    h -= half(0.5f);
    h *= 2.0;
    h /= 4.0f;
    CHECK(h == 1 && h == 1.0f && h == half(1) && 1 == h && h > 0 && 0.5 < h);
    CHECK(h++ == 1 && h == 2 && --h == 1 && !(h - 1));
    CHECK(static_cast<int>(h) == 1 && (float)h == 1.0f && (half)3 == 3.0f && half(2.5f) == 2.5);
    CHECK((-half(0.0f)).bits() == 0x8000);
    CHECK(std::max(h, half(3)) == 3 && std::fmax(h, 3.0f) == 3 && std::abs(-h) == 1 && std::pow(half(2), 3) == 8);
    enum { TWO = 2 };
    CHECK(half(TWO) == 2);
}

TEST(constantsAndLimits)
{
    constexpr half c = 1.5f;
    static_assert(c.bits() == 0x3e00 && half(2049).bits() == 0x6800 && half(0.1).bits() == 0x2e66, "constants");
    typedef std::numeric_limits<half> Limits;
    CHECK(Limits::max() == 65504 && Limits::lowest() == -65504 && Limits::infinity() > Limits::max());
    CHECK(Limits::min() == 0.00006103515625 && Limits::epsilon() == 0.0009765625 && std::isnan(Limits::quiet_NaN()));
    CHECK(half(65519.0f) == 65504 && std::isinf(half(65520.0f)) && std::isinf(half(1 << 20)));
}

MAIN()
