/* SPDX-License-Identifier: Apache-2.0 */
/* Formats of custom floats on the host: names, packing, types, and the conversions of halves. */
#include <popfloat/gfloat.h>

#include <math.h>
#include <string.h>

/* ---- names ---- */

static const char *name_of(const char *const *names, size_t count, unsigned i)
{
    return i < count ? names[i] : "";
}
const char *popfloat_round_name(popfloat_round round)
{
    static const char *const names[] = { "INV", "RZ", "RN", "RA", "RU", "RD", "SR", "SX" };
    return name_of(names, POPFLOAT_ROUNDS, (unsigned)round);
}
const char *popfloat_format_type_name(popfloat_format_type type)
{
    static const char *const names[] = { "INVALID_FORMAT",     "IEEE_FP16",          "QUANTISED_FP32",
                                         "QUANTISED_FP16",     "MIN_NORM_ALIGN_GF8", "ONE_FIVE_TWO_GF8",
                                         "MAX_NORM_ALIGN_GF8", "BFLOAT16",           "NO_DENORM_GF16",
                                         "ENABLE_DENORM_GF16" };
    return name_of(names, POPFLOAT_FORMAT_TYPES, (unsigned)type);
}
const char *popfloat_density_name(popfloat_density density)
{
    static const char *const names[] = { "INVALID",
                                         "UNIFORM",
                                         "NORMAL",
                                         "TRUNCATED_NORMAL",
                                         "BERNOULLI",
                                         "LOGISTIC",
                                         "TRUNCATED_LOGISTIC",
                                         "LAPLACE",
                                         "TRUNCATED_LAPLACE",
                                         "LOGIT_NORMAL",
                                         "TRUNCATED_LOGIT_NORMAL" };
    return name_of(names, POPFLOAT_DENSITIES, (unsigned)density);
}
const char *popfloat_spec_name(popfloat_spec spec)
{
    static const char *const names[] = { "FP32", "BF16", "FP16", "INT8", "INT16", "INT32", "AUTO" };
    return name_of(names, POPFLOAT_SPECS, (unsigned)spec);
}

pop_type popfloat_spec_type(popfloat_spec spec)
{
    static const pop_type types[] = {
        POP_FLOAT, POP_FLOAT, POP_HALF, POP_SIGNED_CHAR, POP_SHORT, POP_INT, POP_TYPE_NULL
    };
    return (unsigned)spec < POPFLOAT_SPECS ? types[spec] : POP_TYPE_NULL;
}

/* ---- formats ---- */

uint32_t popfloat_pack_format(const popfloat_format *format)
{
    return (format->mantissa_bits & 0xff) | (format->exponent_bits & 0xff) << 8 |
           ((unsigned)format->bias & 0xff) << 16 | (unsigned)format->denormals << 24 |
           (unsigned)format->infinities << 25;
}
popfloat_format popfloat_unpack_format(uint32_t packed)
{
    return (popfloat_format){ packed & 0xff, packed >> 8 & 0xff, (int)(packed >> 16 & 0xff), packed >> 24 & 1,
                              packed >> 25 & 1 };
}
popfloat_format popfloat_effective_format(const popfloat_format *format)
{
    popfloat_format effective = *format;
    effective.infinities = format->infinities && format->exponent_bits;
    return effective;
}

/* The types that popfloat chooses by itself; false for too many bits. */
static bool choose(const popfloat_format *f, bool half_allowed, popfloat_cast *cast)
{
    unsigned m = f->mantissa_bits, e = f->exponent_bits, bits = 1 + m + e;
    bool is_half = m == 10 && e == 5;
    cast->calculation = cast->native = cast->storage = POP_FLOAT;
    if (m > 23 || e > 8)
        return false;
    if (m <= 10 && e <= 5 && !is_half && half_allowed) {
        cast->calculation = cast->native = POP_HALF;
        cast->storage = bits > 8 ? POP_HALF : POP_SIGNED_CHAR;
        cast->type = bits > 8        ? POPFLOAT_QUANTISED_FP16
                     : e < 5         ? POPFLOAT_MIN_NORM_ALIGN_GF8
                     : f->infinities ? POPFLOAT_ONE_FIVE_TWO_GF8
                                     : POPFLOAT_MAX_NORM_ALIGN_GF8;
    } else if (is_half && f->infinities) {
        cast->native = cast->storage = POP_HALF;
        cast->type = POPFLOAT_IEEE_FP16;
    } else if (bits <= 8) {
        cast->native = e <= 5 ? POP_HALF : POP_FLOAT;
        cast->storage = POP_SIGNED_CHAR;
        cast->type = POPFLOAT_ENABLE_DENORM_GF16;
    } else if (bits <= 16) {
        cast->storage = POP_SHORT;
        cast->type = e == 8 ? POPFLOAT_BFLOAT16 : f->denormals ? POPFLOAT_ENABLE_DENORM_GF16 : POPFLOAT_NO_DENORM_GF16;
    } else {
        cast->type = POPFLOAT_QUANTISED_FP32;
    }
    return true;
}

bool popfloat_choose_cast(const popfloat_format *format, popfloat_spec storage, popfloat_spec native,
                          popfloat_cast *cast)
{
    popfloat_format effective = popfloat_effective_format(format);
    if (!choose(&effective, storage != POPFLOAT_SPEC_FP32, cast))
        return false;
    unsigned bits = 1 + format->mantissa_bits + format->exponent_bits;
    pop_type wanted = popfloat_spec_type(storage);
    if (wanted == POP_HALF || wanted == POP_FLOAT || (wanted == POP_SHORT && bits <= 16) ||
        (wanted == POP_SIGNED_CHAR && bits <= 8))
        cast->storage = wanted;
    wanted = popfloat_spec_type(native);
    if (wanted == POP_HALF || wanted == POP_FLOAT)
        cast->native = wanted;
    return true;
}

/* ---- halves ---- */

uint16_t popfloat_single_to_half(float value, bool nanoo)
{
    enum { LARGEST = 0x7bff, DECIMAL_65504 = 0xffe0, INFINITE = 0x7c00 };
    uint16_t half = pop_half_from_float(value), size = half & 0x7fff;
    uint16_t sign = half & 0x8000;
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    if (isnan(value)) { /* the quiet bit and a rounded payload, which must not become an infinity */
        unsigned payload = (bits & 0x3fffff) >> 13, quiet = bits >> 22 & 1;
        payload += (bits >> 12 & 1) && payload < 0x1ff;
        return (uint16_t)(sign | INFINITE | quiet << 9 | (payload || quiet ? payload : 1));
    }
    if (size == INFINITE && !isinf(value))
        return (uint16_t)(nanoo ? sign | LARGEST : DECIMAL_65504);
    if (fabsf(value) == 0x1p-25f)
        return sign | 1;
    return half;
}

float popfloat_half_to_single(uint16_t bits)
{
    uint32_t quiet = 0x7fc00000, signalling = 0x7f800001;
    float value = pop_half_to_float(bits);
    if ((bits & 0x7c00) == 0x7c00 && (bits & 0x3ff))
        memcpy(&value, bits & 0x200 ? &quiet : &signalling, sizeof(value));
    return value;
}
