/* SPDX-License-Identifier: Apache-2.0 */
#include <poplar/type.h>

#include <math.h>
#include <string.h>

enum { KIND_NONE, KIND_b, KIND_s, KIND_u, KIND_f, KIND_q, KIND_x }; /* the letters of types.def */
static const struct {
    const char *name;
    unsigned char bytes, kind;
} types[POP_TYPE_COUNT] = {
    { "null", 0, KIND_NONE },
#define POP_ELEMENT_TYPE(constant, spelling, size, class) { spelling, size, KIND_##class },
#include <poplar/types.def>
#undef POP_ELEMENT_TYPE
};

/* Aliases: names in C and C++, and those that compilers write into debug information. */
static const struct {
    const char *name;
    pop_type type;
} aliases[] = {
    { "_Bool", POP_BOOL },
    { "_Float16", POP_HALF },
    { "int8_t", POP_SIGNED_CHAR },
    { "uint8_t", POP_UNSIGNED_CHAR },
    { "signed short", POP_SHORT },
    { "short int", POP_SHORT },
    { "int16_t", POP_SHORT },
    { "short unsigned int", POP_UNSIGNED_SHORT },
    { "unsigned short int", POP_UNSIGNED_SHORT },
    { "uint16_t", POP_UNSIGNED_SHORT },
    { "signed", POP_INT },
    { "signed int", POP_INT },
    { "int32_t", POP_INT },
    { "unsigned", POP_UNSIGNED_INT },
    { "uint32_t", POP_UNSIGNED_INT },
    { "long int", POP_LONG },
    { "long unsigned int", POP_UNSIGNED_LONG },
    { "unsigned long int", POP_UNSIGNED_LONG },
    { "long long int", POP_LONGLONG },
    { "int64_t", POP_LONGLONG },
    { "long long unsigned int", POP_UNSIGNED_LONGLONG },
    { "unsigned long long int", POP_UNSIGNED_LONGLONG },
    { "uint64_t", POP_UNSIGNED_LONGLONG },
};

static bool known(pop_type type)
{
    return (unsigned)type < POP_TYPE_COUNT;
}

const char *pop_type_name(pop_type type)
{
    return types[known(type) ? type : POP_TYPE_NULL].name;
}

pop_type pop_type_by_name(const char *name)
{
    if (!name)
        return POP_TYPE_NULL;
    for (int i = 1; i < POP_TYPE_COUNT; ++i)
        if (strcmp(name, types[i].name) == 0)
            return (pop_type)i;
    for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); ++i)
        if (strcmp(name, aliases[i].name) == 0)
            return aliases[i].type;
    return POP_TYPE_NULL;
}

size_t pop_type_size(pop_type type)
{
    return known(type) ? types[type].bytes : 0;
}

bool pop_type_is_floating_point(pop_type type)
{
    return type == POP_QUARTER || type == POP_HALF || type == POP_FLOAT || type == POP_DOUBLE;
}

bool pop_type_is_integral(pop_type type)
{
    return known(type) && type != POP_TYPE_NULL && !pop_type_is_floating_point(type);
}

bool pop_type_is_signed(pop_type type)
{
    return known(type) && (types[type].kind == KIND_s || type == POP_LONG || pop_type_is_floating_point(type));
}

bool pop_type_is_supported(pop_type type)
{
    return known(type) && type != POP_TYPE_NULL && types[type].kind != KIND_x;
}

/* The half nearest to significand x 2^(exponent - 52), ties to even; significand has its leading one at bit 52. */
static uint16_t half_round(uint16_t sign, int exponent, uint64_t significand)
{
    if (exponent > 15)
        return sign | 0x7c00;
    int shift = 42; /* 52 bits of fraction to 10 */
    if (exponent < -14)
        shift += -14 - exponent; /* subnormal */
    if (shift > 53)
        return sign; /* less than half of the least subnormal */
    uint64_t bits = significand >> shift, rest = significand & (((uint64_t)1 << shift) - 1),
             middle = (uint64_t)1 << (shift - 1);
    if (rest > middle || (rest == middle && (bits & 1)))
        ++bits; /* may carry into the exponent, which is then right, up to infinity */
    if (exponent >= -14)
        bits += (uint64_t)(exponent + 14) << 10; /* the leading one adds the last 1 of the exponent */
    return (uint16_t)(sign | bits);
}

uint16_t pop_half_from_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    int exponent = (int)(bits >> 23 & 0xff);
    uint32_t fraction = bits & 0x7fffff;
    if (exponent == 0xff)
        return fraction ? (uint16_t)(sign | 0x7e00 | fraction >> 13)
                        : (uint16_t)(sign | 0x7c00); /* signalling NaNs become quiet */
    return exponent ? half_round(sign, exponent - 127, (uint64_t)(fraction | 0x800000) << 29) : sign;
}

uint16_t pop_half_from_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    uint16_t sign = (uint16_t)(bits >> 48 & 0x8000);
    int exponent = (int)(bits >> 52 & 0x7ff);
    uint64_t fraction = bits & (((uint64_t)1 << 52) - 1);
    if (exponent == 0x7ff)
        return fraction ? (uint16_t)(sign | 0x7e00 | fraction >> 42) : (uint16_t)(sign | 0x7c00);
    return exponent ? half_round(sign, exponent - 1023, fraction | (uint64_t)1 << 52) : sign;
}

float pop_half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 0x1f, fraction = half & 0x3ff, bits;
    if (exponent == 0x1f) {
        bits = sign | 0x7f800000 | fraction << 13;
    } else if (exponent) {
        bits = sign | (exponent + 112) << 23 | fraction << 13;
    } else if (fraction) {
        exponent = 113;
        for (; !(fraction & 0x400); --exponent)
            fraction <<= 1;
        bits = sign | exponent << 23 | (fraction & 0x3ff) << 13;
    } else {
        bits = sign;
    }
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

void pop_copy_float_to_device_half(const float *from, void *to, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        uint16_t half = pop_half_from_float(from[i]);
        memcpy((char *)to + i * sizeof(half), &half, sizeof(half));
    }
}

void pop_copy_device_half_to_float(const void *from, float *to, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        uint16_t half;
        memcpy(&half, (const char *)from + i * sizeof(half), sizeof(half));
        to[i] = pop_half_to_float(half);
    }
}

/* Conversion widens a chunk to the widest type of its kind, which represents every value of the narrower ones. */
enum { CHUNK = 256 };
enum wide_kind { WIDE_NONE, WIDE_SIGNED, WIDE_UNSIGNED, WIDE_FLOAT };
union wide_number {
    int64_t s[CHUNK];
    uint64_t u[CHUNK];
    double f[CHUNK];
};

/* memcpy: buffers may be unaligned. */
#define LOAD(T, member)                                                                                                \
    for (size_t i = 0; i < count; ++i) {                                                                               \
        T value;                                                                                                       \
        memcpy(&value, (const char *)from + i * sizeof(T), sizeof(T));                                                 \
        wide->member[i] = value;                                                                                       \
    }

static enum wide_kind load(pop_type type, const void *from, union wide_number *wide, size_t count)
{
    switch (type) {
    case POP_BOOL: /* any byte: reading one that is neither 0 nor 1 as bool would be undefined */
        for (size_t i = 0; i < count; ++i)
            wide->u[i] = ((const unsigned char *)from)[i] != 0;
        return WIDE_UNSIGNED;
    case POP_CHAR:
    case POP_SIGNED_CHAR:
        LOAD(int8_t, s)
        return WIDE_SIGNED;
    case POP_SHORT:
        LOAD(int16_t, s)
        return WIDE_SIGNED;
    case POP_INT:
        LOAD(int32_t, s)
        return WIDE_SIGNED;
    case POP_LONG:
    case POP_LONGLONG:
        LOAD(int64_t, s)
        return WIDE_SIGNED;
    case POP_UNSIGNED_CHAR:
    case POP_QUARTER_METADATA:
        LOAD(uint8_t, u)
        return WIDE_UNSIGNED;
    case POP_UNSIGNED_SHORT:
        LOAD(uint16_t, u)
        return WIDE_UNSIGNED;
    case POP_UNSIGNED_INT:
        LOAD(uint32_t, u)
        return WIDE_UNSIGNED;
    case POP_UNSIGNED_LONG:
    case POP_UNSIGNED_LONGLONG:
        LOAD(uint64_t, u)
        return WIDE_UNSIGNED;
    case POP_HALF:
        for (size_t i = 0; i < count; ++i) {
            uint16_t half;
            memcpy(&half, (const char *)from + i * sizeof(half), sizeof(half));
            wide->f[i] = pop_half_to_float(half);
        }
        return WIDE_FLOAT;
    case POP_FLOAT:
        LOAD(float, f)
        return WIDE_FLOAT;
    case POP_DOUBLE:
        LOAD(double, f)
        return WIDE_FLOAT;
    default:
        return WIDE_NONE;
    }
}

/* C leaves a real value that the integer cannot hold undefined; here it is the nearest bound, and 0 for NaN. */
static int64_t to_signed(double value, int64_t low, int64_t high)
{
    return isnan(value) ? 0 : value >= (double)high ? high : value <= (double)low ? low : (int64_t)value;
}

static uint64_t to_unsigned(double value, uint64_t high)
{
    return !(value > 0) ? 0 : value >= (double)high ? high : (uint64_t)value;
}

#define STORE(T, from_signed, from_unsigned, from_float)                                                               \
    for (size_t i = 0; i < count; ++i) {                                                                               \
        T value = (T)(kind == WIDE_SIGNED     ? (T)(from_signed)                                                       \
                      : kind == WIDE_UNSIGNED ? (T)(from_unsigned)                                                     \
                                              : (T)(from_float));                                                      \
        memcpy((char *)to + i * sizeof(T), &value, sizeof(T));                                                         \
    }
#define STORE_SIGNED(T, low, high) STORE(T, wide->s[i], wide->u[i], to_signed(wide->f[i], low, high))
#define STORE_UNSIGNED(T, high)    STORE(T, wide->s[i], wide->u[i], to_unsigned(wide->f[i], high))

static void store(pop_type type, void *to, const union wide_number *wide, enum wide_kind kind, size_t count)
{
    switch (type) {
    case POP_BOOL:
        STORE(uint8_t, wide->s[i] != 0, wide->u[i] != 0, wide->f[i] != 0)
        break;
    case POP_CHAR:
    case POP_SIGNED_CHAR:
        STORE_SIGNED(int8_t, INT8_MIN, INT8_MAX)
        break;
    case POP_SHORT:
        STORE_SIGNED(int16_t, INT16_MIN, INT16_MAX)
        break;
    case POP_INT:
        STORE_SIGNED(int32_t, INT32_MIN, INT32_MAX)
        break;
    case POP_LONG:
    case POP_LONGLONG:
        STORE_SIGNED(int64_t, INT64_MIN, INT64_MAX)
        break;
    case POP_UNSIGNED_CHAR:
    case POP_QUARTER_METADATA:
        STORE_UNSIGNED(uint8_t, UINT8_MAX)
        break;
    case POP_UNSIGNED_SHORT:
        STORE_UNSIGNED(uint16_t, UINT16_MAX)
        break;
    case POP_UNSIGNED_INT:
        STORE_UNSIGNED(uint32_t, UINT32_MAX)
        break;
    case POP_UNSIGNED_LONG:
    case POP_UNSIGNED_LONGLONG:
        STORE_UNSIGNED(uint64_t, UINT64_MAX)
        break;
    case POP_HALF: /* integers beyond a double's 53 bits overflow to infinity in half, so the result is rounded once */
        STORE(uint16_t, pop_half_from_double((double)wide->s[i]), pop_half_from_double((double)wide->u[i]),
              pop_half_from_double(wide->f[i]))
        break;
    case POP_FLOAT:
        STORE(float, wide->s[i], wide->u[i], wide->f[i])
        break;
    case POP_DOUBLE:
        STORE(double, wide->s[i], wide->u[i], wide->f[i])
        break;
    default:
        break;
    }
}

void pop_convert(pop_type from_type, const void *from, pop_type to_type, void *to, size_t count)
{
    size_t from_size = pop_type_size(from_type), to_size = pop_type_size(to_type);
    if (!count || !to_size)
        return;
    if (from_type == to_type && from_type != POP_BOOL) {
        memcpy(to, from, count * to_size);
        return;
    }
    for (size_t done = 0; done < count; done += CHUNK) {
        union wide_number wide;
        size_t now = count - done < CHUNK ? count - done : CHUNK;
        enum wide_kind kind = load(from_type, (const char *)from + done * from_size, &wide, now);
        if (kind == WIDE_NONE || to_type == POP_QUARTER) /* a quarter has no value without its metadata */
            memset((char *)to + done * to_size, 0, now * to_size);
        else
            store(to_type, (char *)to + done * to_size, &wide, kind, now);
    }
}
