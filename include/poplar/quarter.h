/* SPDX-License-Identifier: Apache-2.0 */
/* 8-bit floats (QUARTER): a sign, and 4 bits of exponent with 3 of mantissa (F143) or 5 with 2 (F152), times a power of
 * two that all elements of a tensor share.  Format and power are in one byte, the metadata: bit 7 is set for F143, bits
 * 0 to 5 are the power in two's complement, bit 6 has no meaning and is 0 here.
 *
 * There is no infinity and no minus zero: their codes are numbers, and 0x80 is the only NaN.  The exponent's bias is 8
 * in F143 and 16 in F152, so that the largest values are 240 and 57344.  (Poplibs 3.4's tests; the formats are MLIR's
 * Float8E4M3FNUZ and Float8E5M2FNUZ.)
 *
 * The inline functions work in codelets too. */
#ifndef POPLAR_QUARTER_H
#define POPLAR_QUARTER_H

#include <poplar/type.h>

#ifdef __cplusplus
#include <cstring>
#else
#include <string.h>
#endif

/* Formats of 8-bit floats, named after their bits: sign, exponent, mantissa. */
typedef enum pop_quarter_format { POP_QUARTER_F143 = 0, POP_QUARTER_F152 = 1 } pop_quarter_format;

/* Scales as far as the device can convert to them: it negates the scale in 6 bits, in which 32 does not exist. */
enum { POP_QUARTER_SCALE_LEAST = -31, POP_QUARTER_SCALE_MOST = 31 };

enum { POP_QUARTER_NAN = 0x80 };

/* The metadata byte of a format and a scale, of which the low 6 bits count. */
static inline uint8_t pop_quarter_metadata(pop_quarter_format format, int scale)
{
    return (uint8_t)((format == POP_QUARTER_F143 ? 0x80u : 0u) | ((unsigned)scale & 0x3fu));
}
/* The format of a metadata byte. */
static inline pop_quarter_format pop_quarter_metadata_format(uint8_t metadata)
{
    return metadata & 0x80 ? POP_QUARTER_F143 : POP_QUARTER_F152;
}
/* The scale of a metadata byte: -32 to 31. */
static inline int pop_quarter_metadata_scale(uint8_t metadata)
{
    return (int)((metadata & 0x3fu) ^ 0x20u) - 0x20;
}

/* The value of a code; exact. */
static inline float pop_quarter_to_float(uint8_t code, uint8_t metadata)
{
    const unsigned mantissa_bits = metadata & 0x80 ? 3 : 2;
    const int bias = metadata & 0x80 ? 8 : 16;
    const unsigned exponent = (code & 0x7fu) >> mantissa_bits;
    unsigned mantissa = code & ((1u << mantissa_bits) - 1);
    if (exponent)
        mantissa |= 1u << mantissa_bits;
    const int power = (int)(exponent ? exponent : 1) - bias - (int)mantissa_bits + pop_quarter_metadata_scale(metadata);
    uint32_t bits = (uint32_t)(power + 127) << 23; /* -49 to 44: a normal float */
    float unit;
    if (code == POP_QUARTER_NAN)
        bits = 0x7fc00000;
    memcpy(&unit, &bits, sizeof(unit));
    return code & 0x80 ? (float)mantissa * -unit : (float)mantissa * unit;
}

/* The code of the value nearest to value x 2^-scale, ties to even.  Magnitudes that round beyond the largest value
 * become NaN with nanoo, otherwise the largest value with its sign; infinity is NaN in either case.  One rounding. */
static inline uint8_t pop_quarter_from_double(double value, uint8_t metadata, bool nanoo)
{
    const unsigned mantissa_bits = metadata & 0x80 ? 3 : 2;
    const int bias = metadata & 0x80 ? 8 : 16;
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    const unsigned sign = (unsigned)(bits >> 63) << 7;
    const int field = (int)(bits >> 52 & 0x7ff);
    if (field == 0x7ff)
        return POP_QUARTER_NAN;
    if (!field) /* 0 and a double's subnormals */
        return 0;
    const int exponent = field - 1023 - pop_quarter_metadata_scale(metadata) + bias;
    const int shift = 52 - (int)mantissa_bits + (exponent < 1 ? 1 - exponent : 0);
    if (shift > 53) /* less than half of the least subnormal */
        return 0;
    const uint64_t significand = (uint64_t)1 << 52 | (bits & (((uint64_t)1 << 52) - 1));
    const uint64_t rest = significand & (((uint64_t)1 << shift) - 1), middle = (uint64_t)1 << (shift - 1);
    uint64_t code = significand >> shift;
    if (rest > middle || (rest == middle && (code & 1)))
        ++code; /* may carry into the exponent, which is then right */
    if (exponent >= 1)
        code += (uint64_t)(exponent - 1) << mantissa_bits;
    if (code > 0x7f)
        return (uint8_t)(nanoo ? (unsigned)POP_QUARTER_NAN : sign | 0x7fu);
    return (uint8_t)(code ? sign | (unsigned)code : 0);
}
/* The same for a float, which a double represents exactly. */
static inline uint8_t pop_quarter_from_float(float value, uint8_t metadata, bool nanoo)
{
    return pop_quarter_from_double((double)value, metadata, nanoo);
}

POP_BEGIN_DECLS

/* Converts count host values, of any type but QUARTER, to codes. Buffers must not overlap. */
POP_API void pop_convert_to_quarter(uint8_t metadata, pop_type from_type, const void *from, uint8_t *to, size_t count,
                                    bool nanoo);
/* Converts count codes to a type but QUARTER, as pop_convert does from float. */
POP_API void pop_convert_from_quarter(uint8_t metadata, const uint8_t *from, pop_type to_type, void *to, size_t count);
/* The metadata with the scale, from POP_QUARTER_SCALE_LEAST to POP_QUARTER_SCALE_MOST, at which the values converted
 * without nanoo have the least mean square error; of several the one nearest to 0, of two such ones the positive.
 * Values that are not finite do not count. */
POP_API uint8_t pop_quarter_best_metadata(pop_quarter_format format, pop_type type, const void *values, size_t count);

POP_END_DECLS
#endif
