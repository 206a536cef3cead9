// SPDX-License-Identifier: Apache-2.0
// Conversion between the 16 bits of a half and other numbers: with F16C (on the device: zfh) by the processor, else by
// integer arithmetic, with the same bits.
#ifndef POPLAR_DETAIL_HALF_BITS_HPP
#define POPLAR_DETAIL_HALF_BITS_HPP

#include <stdint.h>

namespace poplar
{
namespace detail
{

constexpr uint32_t floatBits(float value)
{
    return __builtin_bit_cast(uint32_t, value);
}
constexpr float floatFromBits(uint32_t bits)
{
    return __builtin_bit_cast(float, bits);
}

// ---- by integer arithmetic: selections instead of branches, so that loops can be vectorised ----

// Exponent and mantissa at float's positions, the exponent still biased by 15.  NaN becomes quiet, as on the processor.
constexpr uint32_t widenMagnitude(uint32_t magnitude)
{
    return magnitude > 0x0f800000u    ? (magnitude + (224u << 23)) | 0x00400000u
           : magnitude == 0x0f800000u ? 0x7f800000u
           : magnitude < 0x00800000u  ? floatBits(floatFromBits(magnitude + (113u << 23)) - floatFromBits(113u << 23))
                                      : magnitude + (112u << 23);
}
constexpr float softHalfToFloat(uint16_t half)
{
    return floatFromBits((half & 0x8000u) << 16 | widenMagnitude((half & 0x7fffu) << 13));
}

// Below the smallest normal half, adding 0.5 rounds to the half's last place, which is the last place of 0.5.
constexpr uint32_t narrowMagnitude(uint32_t magnitude)
{
    return magnitude > 0x7f800000u    ? 0x7e00u | (magnitude >> 13 & 0x3ffu)
           : magnitude >= 0x47800000u ? 0x7c00u
           : magnitude < 0x38800000u  ? floatBits(floatFromBits(magnitude) + 0.5f) - 0x3f000000u
                                      : (magnitude - (112u << 23) + 0xfffu + (magnitude >> 13 & 1u)) >> 13;
}
constexpr uint16_t narrowBits(uint32_t bits)
{
    return static_cast<uint16_t>((bits >> 16 & 0x8000u) | narrowMagnitude(bits & 0x7fffffffu));
}
constexpr uint16_t softHalfFromFloat(float value)
{
    return narrowBits(floatBits(value));
}

// ---- by popc, with the tile's floating-point behaviour (-ffloat-behaviour) ----

#if defined(POPC_FLOAT_BEHAVIOUR)
extern "C" unsigned short popc_half_from_float(float value);
constexpr float halfToFloat(uint16_t half)
{
    return softHalfToFloat(half);
}
constexpr uint16_t halfFromFloat(float value)
{
    return __builtin_is_constant_evaluated() ? softHalfFromFloat(value) : popc_half_from_float(value);
}
#else

// ---- by the processor ----

#if defined(__F16C__) && defined(__clang__)
#define POPLAR_HALF_TYPE __fp16
#elif (defined(__F16C__) && defined(__FLT16_MANT_DIG__)) || defined(__riscv_zfh)
#define POPLAR_HALF_TYPE _Float16
#endif
#ifdef POPLAR_HALF_TYPE
__extension__ typedef POPLAR_HALF_TYPE ProcessorHalf;
#undef POPLAR_HALF_TYPE

inline float processorHalfToFloat(uint16_t half)
{
    return static_cast<float>(__builtin_bit_cast(ProcessorHalf, half));
}
inline uint16_t processorHalfFromFloat(float value)
{
    return __builtin_bit_cast(uint16_t, static_cast<ProcessorHalf>(value));
}
constexpr float halfToFloat(uint16_t half)
{
    return __builtin_is_constant_evaluated() ? softHalfToFloat(half) : processorHalfToFloat(half);
}
constexpr uint16_t halfFromFloat(float value)
{
    return __builtin_is_constant_evaluated() ? softHalfFromFloat(value) : processorHalfFromFloat(value);
}
#else
constexpr float halfToFloat(uint16_t half)
{
    return softHalfToFloat(half);
}
constexpr uint16_t halfFromFloat(float value)
{
    return softHalfFromFloat(value);
}
#endif
#endif

// ---- from other types ----

// The double rounded to a float towards zero, with the last bit set if it is inexact (round to odd): a second rounding
// then gives the same result as a single one.
constexpr float cutOff(double value, float near)
{
    return static_cast<double>(near) == value
               ? near
               : floatFromBits((floatBits(near) - ((near < 0 ? -static_cast<double>(near) : static_cast<double>(near)) >
                                                   (value < 0 ? -value : value))) |
                               1u);
}
constexpr uint16_t halfFrom(float value)
{
    return halfFromFloat(value);
}
constexpr uint16_t halfFrom(double value)
{
    return halfFromFloat(cutOff(value, static_cast<float>(value)));
}
constexpr uint16_t halfFrom(long double value)
{
    return halfFrom(static_cast<double>(value));
}
// Integers that are inexact in float are far above the largest half.
template <class T> constexpr uint16_t halfFrom(T value)
{
    return halfFromFloat(static_cast<float>(value));
}

} // namespace detail
} // namespace poplar

#endif
