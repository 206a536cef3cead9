/* SPDX-License-Identifier: Apache-2.0 */
/* An interpreter of rv64imf_zfh: four-byte instructions, no privileged instructions, no atomics. */
#include "popc/device/device_machine.h"
#include "popc/device/device.h"

#include <math.h>
#include <poplar/text.h>
#include <poplar/type.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

enum { FUNCTION = 0x0b }; /* a custom opcode: call of a missing function, with its number in the upper bits */

bool device_trap(struct device_machine *m, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pop_text_vformat(m->run->reason, sizeof(m->run->reason), format, arguments);
    va_end(arguments);
    return false;
}

void *device_memory(struct device_machine *m, uint64_t address, uint64_t bytes, bool write)
{
    uint64_t from = address - (uintptr_t)m->run->memory, code = address - (uintptr_t)m->image->memory;
    if (from < m->run->bytes && bytes <= m->run->bytes - from)
        return m->run->memory + from;
    if (code < m->image->bytes && bytes <= m->image->bytes - code && (!write || code >= m->image->code_bytes))
        return m->image->memory + code;
    device_trap(m, "it %s memory outside of its fields", write ? "writes" : "reads");
    return NULL;
}

/* ---- fields of instructions ---- */

static uint32_t bits(uint32_t word, int low, int count)
{
    return word >> low & ((1u << count) - 1);
}
static unsigned rd(uint32_t word)
{
    return bits(word, 7, 5);
}
static unsigned rs1(uint32_t word)
{
    return bits(word, 15, 5);
}
static unsigned rs2(uint32_t word)
{
    return bits(word, 20, 5);
}
static int64_t immediate_i(uint32_t word)
{
    return (int32_t)word >> 20;
}
static int64_t immediate_s(uint32_t word)
{
    return ((int32_t)word >> 25) * 32 + (int64_t)bits(word, 7, 5);
}
static int64_t immediate_b(uint32_t word)
{
    return ((int32_t)word >> 31) * 4096 +
           (int64_t)(bits(word, 7, 1) << 11 | bits(word, 25, 6) << 5 | bits(word, 8, 4) << 1);
}
static int64_t immediate_j(uint32_t word)
{
    return ((int32_t)word >> 31) * 1048576 +
           (int64_t)(bits(word, 12, 8) << 12 | bits(word, 20, 1) << 11 | bits(word, 21, 10) << 1);
}
static int64_t immediate_u(uint32_t word)
{
    return (int32_t)(word & 0xfffff000u);
}

/* ---- integers ---- */

static bool load(struct device_machine *m, uint32_t word)
{
    unsigned width = bits(word, 12, 3), bytes = 1u << (width & 3);
    uint64_t value = 0;
    const void *from = device_memory(m, m->x[rs1(word)] + (uint64_t)immediate_i(word), bytes, false);
    if (!from || width == 7)
        return from ? device_trap(m, "an unknown load") : false;
    memcpy(&value, from, bytes);
    unsigned shift = 64 - 8 * bytes;
    m->x[rd(word)] = width & 4 ? value : (uint64_t)((int64_t)(value << shift) >> shift);
    return true;
}

static bool store(struct device_machine *m, uint32_t word)
{
    unsigned bytes = 1u << (bits(word, 12, 3) & 3);
    void *to = device_memory(m, m->x[rs1(word)] + (uint64_t)immediate_s(word), bytes, true);
    if (to)
        memcpy(to, &m->x[rs2(word)], bytes);
    return to != NULL;
}

/* 64-bit arithmetic: `base` operations with a second operand, shifts by up to 63. */
static uint64_t operate(unsigned kind, bool other, uint64_t a, uint64_t b)
{
    switch (kind) {
    case 0:
        return other ? a - b : a + b;
    case 1:
        return a << (b & 63);
    case 2:
        return (int64_t)a < (int64_t)b;
    case 3:
        return a < b;
    case 4:
        return a ^ b;
    case 5:
        return other ? (uint64_t)((int64_t)a >> (b & 63)) : a >> (b & 63);
    case 6:
        return a | b;
    default:
        return a & b;
    }
}

static uint64_t sign_extend(uint64_t value)
{
    return (uint64_t)(int64_t)(int32_t)(uint32_t)value;
}

static uint64_t operate_word(unsigned kind, bool other, uint64_t a, uint64_t b)
{
    uint32_t x = (uint32_t)a, shift = (uint32_t)b & 31;
    if (kind == 1)
        return sign_extend(x << shift);
    if (kind == 5)
        return sign_extend(other ? (uint32_t)((int32_t)x >> shift) : x >> shift);
    return sign_extend(other ? a - b : a + b);
}

/* Division by zero gives all ones, as RISC-V defines it. */
static uint64_t multiply(unsigned kind, uint64_t a, uint64_t b)
{
    int64_t x = (int64_t)a, y = (int64_t)b;
    bool over = x == INT64_MIN && y == -1;
    switch (kind) {
    case 0:
        return a * b;
    case 1:
        return (uint64_t)((unsigned_wide)((wide)x * (wide)y) >> 64);
    case 2:
        return (uint64_t)((unsigned_wide)((wide)x * (wide)(unsigned_wide)b) >> 64);
    case 3:
        return (uint64_t)((unsigned_wide)a * (unsigned_wide)b >> 64);
    case 4:
        return !b ? UINT64_MAX : over ? a : (uint64_t)(x / y);
    case 5:
        return !b ? UINT64_MAX : a / b;
    case 6:
        return !b ? a : over ? 0 : (uint64_t)(x % y);
    default:
        return !b ? a : a % b;
    }
}

static uint64_t multiply_word(unsigned kind, uint64_t a, uint64_t b)
{
    bool is_signed = kind == 0 || kind == 4 || kind == 6;
    uint64_t x = is_signed ? sign_extend(a) : (uint32_t)a, y = is_signed ? sign_extend(b) : (uint32_t)b;
    return sign_extend(multiply(kind, x, y));
}

static bool taken(uint32_t word, uint64_t a, uint64_t b)
{
    unsigned kind = bits(word, 12, 3);
    bool is = kind < 2 ? a == b : kind < 6 ? (int64_t)a < (int64_t)b : a < b;
    return is != (kind & 1);
}

/* ---- singles and halves ---- */

static float single(const struct device_machine *m, unsigned r)
{
    float value;
    memcpy(&value, &m->f[r], sizeof(value));
    return value;
}
static void set_single(struct device_machine *m, unsigned r, float value)
{
    memcpy(&m->f[r], &value, sizeof(value));
}
static void set_bits(struct device_machine *m, unsigned r, uint32_t value, bool is_half)
{
    m->f[r] = is_half ? 0xffff0000u | value : value;
}

static float value_of(const struct device_machine *m, unsigned r, bool is_half)
{
    return is_half ? pop_half_to_float((uint16_t)m->f[r]) : single(m, r);
}
static void set_value(struct device_machine *m, unsigned r, double value, bool is_half)
{
    if (is_half)
        set_bits(m, r, pop_half_from_double(value), true);
    else
        set_single(m, r, (float)value);
}

static bool load_float(struct device_machine *m, uint32_t word)
{
    bool is_half = bits(word, 12, 3) == 1;
    uint32_t value = 0;
    const void *from = device_memory(m, m->x[rs1(word)] + (uint64_t)immediate_i(word), is_half ? 2 : 4, false);
    if (!from)
        return false;
    memcpy(&value, from, is_half ? 2 : 4);
    set_bits(m, rd(word), value, is_half);
    return true;
}

static bool store_float(struct device_machine *m, uint32_t word)
{
    unsigned bytes = bits(word, 12, 3) == 1 ? 2 : 4;
    void *to = device_memory(m, m->x[rs1(word)] + (uint64_t)immediate_s(word), bytes, true);
    if (to)
        memcpy(to, &m->f[rs2(word)], bytes);
    return to != NULL;
}

static double rounded(double value, unsigned mode)
{
    switch (mode) {
    case 1:
        return trunc(value);
    case 2:
        return floor(value);
    case 3:
        return ceil(value);
    case 4:
        return round(value);
    default:
        return nearbyint(value);
    }
}

/* Conversion to integers, which saturates as RISC-V defines it. */
static uint64_t to_integer(double value, unsigned kind)
{
    static const double min[] = { -2147483648.0, 0, -9223372036854775808.0, 0 };
    static const double above[] = { 2147483648.0, 4294967296.0, 9223372036854775808.0, 18446744073709551616.0 };
    static const uint64_t lowest[] = { (uint64_t)INT32_MIN, 0, (uint64_t)INT64_MIN, 0 };
    static const uint64_t highest[] = { INT32_MAX, UINT64_MAX, INT64_MAX, UINT64_MAX };
    if (!(value < above[kind]))
        return highest[kind];
    if (value < min[kind])
        return lowest[kind];
    return kind == 1 ? sign_extend((uint64_t)value) : kind == 3 ? (uint64_t)value : (uint64_t)(int64_t)value;
}

static double from_integer(uint64_t value, unsigned kind)
{
    return kind == 0   ? (int32_t)value
           : kind == 1 ? (uint32_t)value
           : kind == 2 ? (double)(int64_t)value
                       : (double)value;
}

static uint64_t class_of(const struct device_machine *m, unsigned r, bool is_half)
{
    float value = value_of(m, r, is_half);
    bool negative = signbit(value) != 0;
    int kind = isinf(value) ? 0 : value == 0 ? 3 : isnormal(value) ? 1 : 2;
    return isnan(value) ? 1u << 9 : 1u << (negative ? kind : 7 - kind);
}

static bool compare(unsigned kind, double a, double b)
{
    return kind == 0 ? a <= b : kind == 1 ? a < b : a == b;
}

static uint32_t with_sign(const struct device_machine *m, uint32_t word, bool is_half)
{
    uint32_t sign = is_half ? 0x8000u : 0x80000000u, a = m->f[rs1(word)], b = m->f[rs2(word)];
    uint32_t wanted = bits(word, 12, 3) == 0 ? b : bits(word, 12, 3) == 1 ? ~b : a ^ b;
    uint32_t value = (a & ~sign) | (wanted & sign);
    return is_half ? value & 0xffff : value;
}

static bool operate_float(struct device_machine *m, uint32_t word)
{
    unsigned kind = bits(word, 27, 5), to = rd(word), variant = bits(word, 12, 3);
    bool is_half = bits(word, 25, 2) == 2;
    double a = value_of(m, rs1(word), is_half), b = value_of(m, rs2(word), is_half);
    switch (kind) {
    case 0:
        return set_value(m, to, a + b, is_half), true;
    case 1:
        return set_value(m, to, a - b, is_half), true;
    case 2:
        return set_value(m, to, a * b, is_half), true;
    case 3:
        return set_value(m, to, a / b, is_half), true;
    case 11:
        return set_value(m, to, sqrt(a), is_half), true;
    case 4:
        return set_bits(m, to, with_sign(m, word, is_half), is_half), true;
    case 5:
        return set_value(m, to, variant ? fmax(a, b) : fmin(a, b), is_half), true;
    case 8: /* conversion between formats: rs2 names the source format */
        return set_value(m, to, value_of(m, rs1(word), rs2(word) == 2), is_half), true;
    case 20:
        m->x[to] = compare(variant, a, b);
        return true;
    case 24:
        m->x[to] = to_integer(rounded(a, variant), rs2(word) & 3);
        return true;
    case 26:
        return set_value(m, to, from_integer(m->x[rs1(word)], rs2(word) & 3), is_half), true;
    case 28:
        m->x[to] = variant   ? class_of(m, rs1(word), is_half)
                   : is_half ? (uint64_t)(int64_t)(int16_t)m->f[rs1(word)]
                             : sign_extend(m->f[rs1(word)]);
        return true;
    case 30:
        return set_bits(m, to, is_half ? (uint16_t)m->x[rs1(word)] : (uint32_t)m->x[rs1(word)], is_half), true;
    default:
        return device_trap(m, "an unknown instruction %08x", (unsigned)word);
    }
}

/* Fused multiply-add and its variants: opcodes 0x43, 0x47, 0x4b, 0x4f. */
static void multiply_add(struct device_machine *m, uint32_t word)
{
    bool is_half = bits(word, 25, 2) == 2;
    unsigned kind = bits(word, 2, 2);
    double a = value_of(m, rs1(word), is_half), b = value_of(m, rs2(word), is_half),
           c = value_of(m, bits(word, 27, 5), is_half);
    set_value(m, rd(word), fma(kind & 2 ? -a : a, b, kind == 1 || kind == 3 ? -c : c), is_half);
}

/* ---- the machine ---- */

static bool jump(struct device_machine *m, uint64_t to)
{
    ++m->run->jumps;
    m->pc = to;
    return true;
}

static bool call(struct device_machine *m, uint32_t word)
{
    size_t index = word >> 7;
    return (index < m->image->missing.count ? device_function(m, m->image->missing.data[index])
                                            : device_trap(m, "a broken call")) &&
           jump(m, m->x[1]);
}

static bool step_register(struct device_machine *m, uint32_t word)
{
    uint64_t a = m->x[rs1(word)], b = m->x[rs2(word)];
    unsigned kind = bits(word, 12, 3);
    bool other = word >> 30 & 1, narrow = (word & 0x7f) == 0x3b;
    if (word >> 25 == 1)
        m->x[rd(word)] = (narrow ? multiply_word : multiply)(kind, a, b);
    else
        m->x[rd(word)] = (narrow ? operate_word : operate)(kind, other, a, b);
    return true;
}

static bool step_immediate(struct device_machine *m, uint32_t word)
{
    unsigned kind = bits(word, 12, 3);
    bool other = kind == 5 && (word >> 30 & 1), narrow = (word & 0x7f) == 0x1b;
    m->x[rd(word)] = (narrow ? operate_word : operate)(kind, other, m->x[rs1(word)], (uint64_t)immediate_i(word));
    return true;
}

/* Executes one instruction; pc already points at the next one. */
static bool step(struct device_machine *m, uint32_t word)
{
    uint64_t here = m->pc - 4, target;
    switch (word & 0x7f) {
    case 0x03:
        return load(m, word);
    case 0x07:
        return load_float(m, word);
    case 0x0f: /* fence */
        return true;
    case 0x13:
    case 0x1b:
        return step_immediate(m, word);
    case 0x17:
        m->x[rd(word)] = here + (uint64_t)immediate_u(word);
        return true;
    case 0x23:
        return store(m, word);
    case 0x27:
        return store_float(m, word);
    case 0x33:
    case 0x3b:
        return step_register(m, word);
    case 0x37:
        m->x[rd(word)] = (uint64_t)immediate_u(word);
        return true;
    case 0x43:
    case 0x47:
    case 0x4b:
    case 0x4f:
        return multiply_add(m, word), true;
    case 0x53:
        return operate_float(m, word);
    case 0x63:
        return taken(word, m->x[rs1(word)], m->x[rs2(word)]) ? jump(m, here + (uint64_t)immediate_b(word)) : true;
    case 0x67:
        target = m->x[rs1(word)] + (uint64_t)immediate_i(word);
        m->x[rd(word)] = here + 4;
        return jump(m, target & ~(uint64_t)1);
    case 0x6f:
        m->x[rd(word)] = here + 4;
        return jump(m, here + (uint64_t)immediate_j(word));
    case FUNCTION:
        --m->run->instructions; /* device_function charges the call instead */
        return call(m, word);
    default:
        return device_trap(m, "an instruction %08x that is not counted", (unsigned)word);
    }
}

bool device_run(struct device_image *image, uint64_t entry, struct device_run *run)
{
    struct device_machine m = { .image = image, .run = run, .pc = entry };
    uint64_t first = (uintptr_t)image->memory;
    run->instructions = run->slots = run->jumps = 0;
    run->reason[0] = 0;
    m.x[2] = ((uintptr_t)run->memory + run->bytes) & ~(uint64_t)15;
    m.x[10] = run->arguments[0];
    m.x[11] = run->arguments[1];
    while (m.pc) { /* the outermost function has return address 0 */
        uint32_t word;
        if (m.pc - first > image->code_bytes - 4)
            return device_trap(&m, "it jumps to an address outside of its code");
        if (run->instructions++ >= run->max)
            return device_trap(&m, "it executes more than %llu instructions", (unsigned long long)run->max);
        memcpy(&word, image->memory + (m.pc - first), sizeof(word));
        m.pc += 4;
        m.x[0] = 0;
        run->slots += (uint64_t)(int64_t)device_slots(&m.slots, word, m.x);
        if (!step(&m, word))
            return false;
        m.x[0] = 0;
    }
    return true;
}
