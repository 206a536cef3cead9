/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that codelets call and no object defines: the compiler's (doubles, blocks of memory) and the
 * mathematical library's. Arguments and results follow the calling convention: singles in f10 and f11, all else in
 * x10 to x12. */
#include "popc/device/device.h"

#include "base/mix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Slots charged for a call of what the device has in software; a guess, documented as one in
 * docs/concepts/codelets.md.  Block functions process eight bytes at once.  CALL: instructions of a call, which the
 * device does not need for what is one of its own. */
enum { OF_SINGLE = 10, OF_DOUBLE = 60, OF_LIBRARY = 60, OF_BLOCK = 10, BLOCK_BYTES = 8, CALL = 2 };

static void charge(struct device_machine *m, uint64_t slots)
{
    m->run->instructions += slots;
    m->run->slots += slots;
}

static float single_at(const struct device_machine *m, unsigned r)
{
    float value;
    memcpy(&value, &m->f[r], sizeof(value));
    return value;
}
static double double_at(const struct device_machine *m, unsigned r)
{
    double value;
    memcpy(&value, &m->x[r], sizeof(value));
    return value;
}
static void give_single(struct device_machine *m, float value)
{
    memcpy(&m->f[10], &value, sizeof(value));
}
static void give_double(struct device_machine *m, double value)
{
    memcpy(&m->x[10], &value, sizeof(value));
}

/* ---- functions by name ---- */

/* Bytes of code, including called functions: picolibc 1.8 for rv32imf, or one instruction where the device has one
 * for singles. */
static const struct {
    const char *name; /* of the double version; the single version has the suffix f */
    double (*of_one)(double);
    double (*of_two)(double, double);
    uint32_t single_bytes, double_bytes; /* 0: a single instruction replaces the call */
    uint32_t single_slots;               /* its slots */
} mathematics[] = {
    { "exp", exp, NULL, 0, 1960, 3 },
    { "exp2", exp2, NULL, 0, 7056, 3 },
    { "expm1", expm1, NULL, 932, 2332, 0 },
    { "log", log, NULL, 0, 2288, 6 },
    { "log2", log2, NULL, 0, 2428, 6 },
    { "log10", log10, NULL, 1044, 2860, 0 },
    { "log1p", log1p, NULL, 1048, 2428, 0 },
    { "sin", sin, NULL, 5748, 9808, 0 },
    { "cos", cos, NULL, 5744, 9804, 0 },
    { "tan", tan, NULL, 5704, 9892, 0 },
    { "asin", asin, NULL, 760, 2956, 0 },
    { "acos", acos, NULL, 884, 3188, 0 },
    { "atan", atan, NULL, 700, 1704, 0 },
    { "sinh", sinh, NULL, 2036, 4948, 0 },
    { "cosh", cosh, NULL, 1960, 4764, 0 },
    { "tanh", tanh, NULL, 0, 2952, 5 },
    { "erf", erf, NULL, 2332, 5424, 0 },
    { "erfc", erfc, NULL, 2372, 5408, 0 },
    { "sqrt", sqrt, NULL, 0, 1024, 5 },
    { "cbrt", cbrt, NULL, 236, 744, 0 },
    { "floor", floor, NULL, 0, 352, 1 },
    { "ceil", ceil, NULL, 0, 316, 1 },
    { "trunc", trunc, NULL, 0, 164, 1 },
    { "round", round, NULL, 0, 308, 1 },
    { "rint", rint, NULL, 0, 604, 1 },
    { "fabs", fabs, NULL, 0, 12, 1 },
    { "nearbyint", nearbyint, NULL, 0, 880, 1 },
    { "pow", NULL, pow, 2680, 7028, 0 },
    { "fmod", NULL, fmod, 572, 1464, 0 },
    { "atan2", NULL, atan2, 1344, 2664, 0 },
    { "hypot", NULL, hypot, 572, 2288, 0 },
    { "fmax", NULL, fmax, 0, 348, 1 },
    { "fmin", NULL, fmin, 0, 348, 1 },
    { "copysign", NULL, copysign, 0, 36, 3 },
    { "remainder", NULL, remainder, 928, 2240, 0 },
};

/* Index of a function in the table; *is_single is set for the version with suffix f. */
static size_t find_mathematics(const char *name, bool *is_single)
{
    size_t i = 0;
    for (; i < sizeof(mathematics) / sizeof(mathematics[0]); ++i) {
        size_t length = strlen(mathematics[i].name);
        *is_single = strncmp(name, mathematics[i].name, length) == 0 && strcmp(name + length, "f") == 0;
        if (*is_single || strcmp(name, mathematics[i].name) == 0)
            break;
    }
    return i;
}

bool device_library_bytes(const char *name, uint32_t *bytes)
{
    bool is_single;
    size_t i = find_mathematics(name, &is_single);
    if (i == sizeof(mathematics) / sizeof(mathematics[0]))
        return false;
    *bytes = is_single ? mathematics[i].single_bytes : mathematics[i].double_bytes;
    return true;
}

static bool call_mathematics(struct device_machine *m, const char *name)
{
    bool is_single;
    size_t i = find_mathematics(name, &is_single);
    if (i == sizeof(mathematics) / sizeof(mathematics[0]))
        return false;
    double a = is_single ? single_at(m, 10) : double_at(m, 10), b = is_single ? single_at(m, 11) : double_at(m, 11);
    double value = mathematics[i].of_one ? mathematics[i].of_one(a) : mathematics[i].of_two(a, b);
    if (is_single)
        give_single(m, (float)value);
    else
        give_double(m, value);
    if (is_single && mathematics[i].single_slots)
        m->run->slots += mathematics[i].single_slots - (uint64_t)CALL;
    else
        charge(m, is_single ? OF_SINGLE : OF_LIBRARY);
    return true;
}

enum double_kind {
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    COMPARE,
    COMPARE_GREATER,
    UNORDERED,
    FROM_SINGLE,
    TO_SINGLE,
    TO_INT,
    TO_UNSIGNED,
    FROM_INT,
    FROM_UNSIGNED,
    FROM_LONG,
    FROM_UNSIGNED_LONG
};
static const struct {
    const char *name;
    enum double_kind kind;
} doubles[] = {
    { "__adddf3", ADD },
    { "__subdf3", SUBTRACT },
    { "__muldf3", MULTIPLY },
    { "__divdf3", DIVIDE },
    { "__eqdf2", COMPARE },
    { "__nedf2", COMPARE },
    { "__ltdf2", COMPARE },
    { "__ledf2", COMPARE },
    { "__gtdf2", COMPARE_GREATER },
    { "__gedf2", COMPARE_GREATER },
    { "__unorddf2", UNORDERED },
    { "__extendsfdf2", FROM_SINGLE },
    { "__truncdfsf2", TO_SINGLE },
    { "__fixdfsi", TO_INT },
    { "__fixdfdi", TO_INT },
    { "__fixunsdfsi", TO_UNSIGNED },
    { "__fixunsdfdi", TO_UNSIGNED },
    { "__floatsidf", FROM_INT },
    { "__floatunsidf", FROM_UNSIGNED },
    { "__floatdidf", FROM_LONG },
    { "__floatundidf", FROM_UNSIGNED_LONG },
};

static void call_double(struct device_machine *m, enum double_kind kind)
{
    double a = double_at(m, 10), b = double_at(m, 11);
    uint64_t bits = m->x[10];
    switch (kind) {
    case ADD:
        give_double(m, a + b);
        return;
    case SUBTRACT:
        give_double(m, a - b);
        return;
    case MULTIPLY:
        give_double(m, a * b);
        return;
    case DIVIDE:
        give_double(m, a / b);
        return;
    case COMPARE: /* the sign of a - b; for unordered operands one that makes the comparison false */
        m->x[10] = a < b ? UINT64_MAX : a == b ? 0 : 1;
        return;
    case COMPARE_GREATER:
        m->x[10] = a > b ? 1 : a == b ? 0 : UINT64_MAX;
        return;
    case UNORDERED:
        m->x[10] = isnan(a) || isnan(b);
        return;
    case FROM_SINGLE:
        give_double(m, single_at(m, 10));
        return;
    case TO_SINGLE:
        give_single(m, (float)a);
        return;
    case TO_INT:
        m->x[10] = a > -9e18 && a < 9e18 ? (uint64_t)(int64_t)a : 0;
        return;
    case TO_UNSIGNED:
        m->x[10] = a > 0 && a < 1.8e19 ? (uint64_t)a : 0;
        return;
    case FROM_INT:
        give_double(m, (int32_t)bits);
        return;
    case FROM_UNSIGNED:
        give_double(m, (uint32_t)bits);
        return;
    case FROM_LONG:
        give_double(m, (double)(int64_t)bits);
        return;
    case FROM_UNSIGNED_LONG:
        give_double(m, (double)bits);
        return;
    }
}

/* memcpy, memmove, memset, memcmp. */
static bool call_memory(struct device_machine *m, const char *name)
{
    uint64_t bytes = m->x[12];
    bool set = strcmp(name, "memset") == 0, compares = strcmp(name, "memcmp") == 0;
    void *to = device_memory(m, m->x[10], bytes, !compares),
         *from = set ? to : device_memory(m, m->x[11], bytes, false);
    if (bytes && (!to || !from))
        return false;
    charge(m, OF_BLOCK + bytes / BLOCK_BYTES);
    if (compares)
        m->x[10] = bytes ? (uint64_t)(int64_t)memcmp(to, from, bytes) : 0;
    else if (bytes && set)
        memset(to, (int)m->x[11], bytes);
    else if (bytes)
        memmove(to, from, bytes);
    return true;
}

bool device_function(struct device_machine *m, const char *name)
{
    enum { WORKER_CYCLES = 6 }; /* of an instruction */
    for (size_t i = 0; i < sizeof(doubles) / sizeof(doubles[0]); ++i)
        if (strcmp(name, doubles[i].name) == 0) {
            charge(m, OF_DOUBLE);
            call_double(m, doubles[i].kind);
            return true;
        }
    if (strcmp(name, "memcpy") == 0 || strcmp(name, "memmove") == 0 || strcmp(name, "memset") == 0 ||
        strcmp(name, "memcmp") == 0)
        return call_memory(m, name);
    if (strcmp(name, "__popc_urand64") == 0) { /* one instruction of the machine */
        charge(m, 1);
        m->x[10] = mix(m->run->instructions);
        return true;
    }
    if (strcmp(name, "__popc_cycles") == 0 || strcmp(name, "__popc_tile_id") == 0) {
        charge(m, 1);
        m->x[10] = m->run->slots * (name[7] == 'c' ? WORKER_CYCLES : 0);
        return true;
    }
    return call_mathematics(m, name) || device_trap(m, "it calls '%.60s', which is not counted", name);
}
