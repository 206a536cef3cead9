/* SPDX-License-Identifier: Apache-2.0 */
/* popops::Reduce<op,partials,out,update,specialisation> and popops::ScaledReduce<...>, which multiplies by *k.  See reduce_types.h. */
#include "popops/reduce_types.h"

#ifdef __POPC__
#include "poplibs/half_vectors.h"

#include <math.h>

enum { LANES = 128, SHORT_LANES = 16, CHUNK = 1024 };

typedef bool truth;

typedef float half_sum;
typedef float float_sum;
typedef int int_sum;
typedef unsigned unsigned_sum;
typedef unsigned char truth_sum;

static float log_add(float a, float b)
{
    float most = a > b ? a : b, least = a > b ? b : a;
    return least == -INFINITY ? most : most + log1pf(expf(least - most));
}

#define LEAST_half -INFINITY
#define LEAST_float -INFINITY
#define LEAST_int (-2147483647 - 1)
#define LEAST_unsigned 0u
#define MOST_half INFINITY
#define MOST_float INFINITY
#define MOST_int 2147483647
#define MOST_unsigned 4294967295u

/* Each operation: its neutral value, what of an element goes in, how two are joined; int wraps. */
#define NEUTRAL_Add(T) 0
#define NEUTRAL_SquareAdd(T) 0
#define NEUTRAL_LogAdd(T) -INFINITY
#define NEUTRAL_Mul(T) 1
#define NEUTRAL_Min(T) MOST_##T
#define NEUTRAL_Max(T) LEAST_##T
#define NEUTRAL_And(T) 1
#define NEUTRAL_Or(T) 0
#define VALUE_Add(T, x) (T##_sum)(x)
#define VALUE_SquareAdd(T, x) TIMES_##T((T##_sum)(x), (T##_sum)(x))
#define VALUE_LogAdd(T, x) (T##_sum)(x)
#define VALUE_Mul(T, x) (T##_sum)(x)
#define VALUE_Min(T, x) (T##_sum)(x)
#define VALUE_Max(T, x) (T##_sum)(x)
#define VALUE_And(T, x) (T##_sum)(x)
#define VALUE_Or(T, x) (T##_sum)(x)
#define JOIN_Add(T, a, b) PLUS_##T(a, b)
#define JOIN_SquareAdd(T, a, b) PLUS_##T(a, b)
#define JOIN_LogAdd(T, a, b) log_add(a, b)
#define JOIN_Mul(T, a, b) TIMES_##T(a, b)
#define JOIN_Min(T, a, b) ((b) < (a) ? (b) : (a))
#define JOIN_Max(T, a, b) ((b) > (a) ? (b) : (a))
#define JOIN_And(T, a, b) ((a) & (b))
#define JOIN_Or(T, a, b) ((a) | (b))
#define PLUS_half(a, b) ((a) + (b))
#define PLUS_float(a, b) ((a) + (b))
#define PLUS_int(a, b) ((int)((unsigned)(a) + (unsigned)(b)))
#define TIMES_half(a, b) ((a) * (b))
#define TIMES_float(a, b) ((a) * (b))
#define TIMES_int(a, b) ((int)((unsigned)(a) * (unsigned)(b)))
#define SCALED_Add(a, k) ((a) * (k))
#define SCALED_SquareAdd(a, k) ((a) * (k))
#define SCALED_LogAdd(a, k) ((a) + (k))

/* Joins rows of width elements, stride apart, to sums. */
#define ADD_ROWS(op, T)                                                                                                \
    POPLIBS_FAST void add_rows_##op##_##T(T##_sum *restrict sums, const T *restrict in, size_t rows, size_t width, size_t stride)\
    {                                                                                                                  \
        for (; rows >= 4; rows -= 4, in += 4 * stride) {                                                               \
            const T *restrict b = in + stride, *restrict c = b + stride, *restrict d = c + stride;                     \
            for (size_t i = 0; i < width; ++i) {                                                                       \
                T##_sum low = JOIN_##op(T, VALUE_##op(T, in[i]), VALUE_##op(T, b[i]));                                 \
                T##_sum high = JOIN_##op(T, VALUE_##op(T, c[i]), VALUE_##op(T, d[i]));                                 \
                low = JOIN_##op(T, low, high);                                                                         \
                sums[i] = JOIN_##op(T, sums[i], low);                                                                  \
            }                                                                                                          \
        }                                                                                                              \
        for (; rows; --rows, in += stride)                                                                             \
            for (size_t i = 0; i < width; ++i)                                                                         \
                sums[i] = JOIN_##op(T, sums[i], VALUE_##op(T, in[i]));                                                 \
    }
/* The same of half, widened eight at a time in registers and fetched AHEAD, for four rows at once are more than the machine foresees.  GROUP_ joins vectors as
 * JOIN_ does numbers; LogAdd has none, and is done one by one. */
enum { AHEAD = 512 };
typedef poplibs_eight eight;
typedef int eight_bits __attribute__((vector_size(32)));
static inline eight choose(eight_bits first, eight a, eight b)
{
    return (eight)((first & (eight_bits)a) | (~first & (eight_bits)b));
}
#define GROUP_Add(a, b) ((a) + (b))
#define GROUP_SquareAdd(a, b) ((a) + (b))
#define GROUP_Mul(a, b) ((a) * (b))
#define GROUP_Min(a, b) choose((b) < (a), b, a)
#define GROUP_Max(a, b) choose((b) > (a), b, a)
#define GROUP_VALUE_Add(x) (x)
#define GROUP_VALUE_SquareAdd(x) ((x) * (x))
#define GROUP_VALUE_Mul(x) (x)
#define GROUP_VALUE_Min(x) (x)
#define GROUP_VALUE_Max(x) (x)
#define ADD_GROUPS_OF_HALF(op)                                                                                         \
    static inline eight group_##op(const half *in)                                                                     \
    {                                                                                                                  \
        eight x = poplibs_widen_eight(in);                                                                             \
        __builtin_prefetch(in + AHEAD);                                                                                \
        return GROUP_VALUE_##op(x);                                                                                    \
    }                                                                                                                  \
    static size_t add_groups_##op(float *sums, const half *in, size_t rows, size_t width, size_t stride)               \
    {                                                                                                                  \
        size_t whole = width / 8 * 8;                                                                                  \
        for (; rows >= 4; rows -= 4, in += 4 * stride) {                                                               \
            const half *b = in + stride, *c = b + stride, *d = c + stride;                                             \
            for (size_t i = 0; i < whole; i += 8) {                                                                    \
                eight low = GROUP_##op(group_##op(in + i), group_##op(b + i)), high = GROUP_##op(group_##op(c + i), group_##op(d + i));\
                eight all = GROUP_##op(low, high), *to = (eight *)(void *)(sums + i);                                  \
                *to = GROUP_##op(*to, all);                                                                            \
            }                                                                                                          \
        }                                                                                                              \
        for (; rows; --rows, in += stride)                                                                             \
            for (size_t i = 0; i < whole; i += 8) {                                                                    \
                eight one = group_##op(in + i), *to = (eight *)(void *)(sums + i);                                     \
                *to = GROUP_##op(*to, one);                                                                            \
            }                                                                                                          \
        return whole;                                                                                                  \
    }
static size_t add_groups_LogAdd(float *sums, const half *in, size_t rows, size_t width, size_t stride)
{
    (void)sums, (void)in, (void)rows, (void)width, (void)stride;
    return 0;
}
ADD_GROUPS_OF_HALF(Add)
ADD_GROUPS_OF_HALF(SquareAdd)
ADD_GROUPS_OF_HALF(Mul)
ADD_GROUPS_OF_HALF(Min)
ADD_GROUPS_OF_HALF(Max)
#define ADD_ROWS_OF_HALF(op)                                                                                           \
    POPLIBS_FAST void add_rows_##op##_half(float *sums, const half *in, size_t rows, size_t width, size_t stride)      \
    {                                                                                                                  \
        size_t first = add_groups_##op(sums, in, rows, width, stride);                                                 \
        for (; first < width && rows; --rows, in += stride)                                                            \
            for (size_t i = first; i < width; ++i)                                                                     \
                sums[i] = JOIN_##op(half, sums[i], VALUE_##op(half, in[i]));                                           \
    }
/* The same, where narrow rows that follow each other are taken many at a time, as one wide one. */
#define REDUCE(op, T)                                                                                                  \
    POPLIBS_FAST void reduce_##op##_##T(T##_sum *restrict sums, const T *restrict in, size_t rows, size_t width, size_t stride)\
    {                                                                                                                  \
        if (width == stride && width <= LANES / 2 && rows * width >= 2 * LANES) {                                      \
            _Alignas(64) T##_sum wide[LANES];                                                                          \
            size_t fold = 2;                                                                                           \
            while (2 * fold * width <= LANES)                                                                          \
                fold *= 2;                                                                                             \
            size_t lanes = fold * width, whole = rows / fold;                                                          \
            for (size_t i = 0; i < LANES; ++i)                                                                         \
                wide[i] = NEUTRAL_##op(T);                                                                             \
            add_rows_##op##_##T(wide, in, whole, lanes, lanes);                                                        \
            for (size_t half_of = lanes / 2; half_of >= width; half_of /= 2)                                           \
                for (size_t i = 0; i < half_of; ++i)                                                                   \
                    wide[i] = JOIN_##op(T, wide[i], wide[half_of + i]);                                                \
            for (size_t i = 0; i < width; ++i)                                                                         \
                sums[i] = JOIN_##op(T, sums[i], wide[i]);                                                              \
            in += whole * lanes;                                                                                       \
            rows -= whole * fold;                                                                                      \
        }                                                                                                              \
        add_rows_##op##_##T(sums, in, rows, width, stride);                                                            \
    }
/* Joins inner elements each to sums.  Of a few, known when this is compiled, many sums become vectors. */
#define REDUCE_EACH(op, T)                                                                                             \
    static inline __attribute__((always_inline)) void reduce_few_##op##_##T(T##_sum *restrict sums, const T *restrict in, size_t count, const size_t inner)\
    {                                                                                                                  \
        for (size_t k = 0; k < count; ++k) {                                                                           \
            T##_sum sum = sums[k];                                                                                     \
            for (size_t i = 0; i < inner; ++i)                                                                         \
                sum = JOIN_##op(T, sum, VALUE_##op(T, in[k * inner + i]));                                             \
            sums[k] = sum;                                                                                             \
        }                                                                                                              \
    }                                                                                                                  \
    POPLIBS_FAST void reduce_each_##op##_##T(T##_sum *restrict sums, const T *restrict in, size_t count, size_t inner) \
    {                                                                                                                  \
        switch (inner) {                                                                                               \
        case 2:                                                                                                        \
            reduce_few_##op##_##T(sums, in, count, 2);                                                                 \
            return;                                                                                                    \
        case 3:                                                                                                        \
            reduce_few_##op##_##T(sums, in, count, 3);                                                                 \
            return;                                                                                                    \
        case 4:                                                                                                        \
            reduce_few_##op##_##T(sums, in, count, 4);                                                                 \
            return;                                                                                                    \
        case 8:                                                                                                        \
            reduce_few_##op##_##T(sums, in, count, 8);                                                                 \
            return;                                                                                                    \
        }                                                                                                              \
        for (size_t k = 0; k < count; ++k, in += inner) {                                                              \
            T##_sum sum = sums[k], lanes[SHORT_LANES];                                                                 \
            size_t i = 0;                                                                                              \
            if (inner >= 8 * LANES) {                                                                                  \
                reduce_##op##_##T(&sums[k], in, inner, 1, 1);                                                          \
                continue;                                                                                              \
            }                                                                                                          \
            if (inner >= SHORT_LANES) {                                                                                \
                for (size_t j = 0; j < SHORT_LANES; ++j)                                                               \
                    lanes[j] = VALUE_##op(T, in[j]);                                                                   \
                for (i = SHORT_LANES; i + SHORT_LANES <= inner; i += SHORT_LANES)                                      \
                    for (size_t j = 0; j < SHORT_LANES; ++j)                                                           \
                        lanes[j] = JOIN_##op(T, lanes[j], VALUE_##op(T, in[i + j]));                                   \
                for (size_t half_of = SHORT_LANES / 2; half_of; half_of /= 2)                                          \
                    for (size_t j = 0; j < half_of; ++j)                                                               \
                        lanes[j] = JOIN_##op(T, lanes[j], lanes[half_of + j]);                                         \
                sum = JOIN_##op(T, sum, lanes[0]);                                                                     \
            }                                                                                                          \
            for (; i < inner; ++i)                                                                                     \
                sum = JOIN_##op(T, sum, VALUE_##op(T, in[i]));                                                         \
            sums[k] = sum;                                                                                             \
        }                                                                                                              \
    }
#define REDUCE_EACH_OF_HALF(op)                                                                                        \
    static void reduce_each_##op##_half(float *sums, const half *in, size_t count, size_t inner)                       \
    {                                                                                                                  \
        float wide[4 * CHUNK];                                                                                         \
        size_t block = inner ? 4 * CHUNK / inner : count;                                                              \
        for (size_t k = 0; k < count && !block; ++k)                                                                   \
            reduce_##op##_half(&sums[k], in + k * inner, inner, 1, 1);                                                 \
        for (size_t n; count && block; count -= n, sums += n, in += n * inner) {                                       \
            n = count < block ? count : block;                                                                         \
            poplibs_widen(wide, in, n * inner);                                                                        \
            reduce_each_##op##_float(sums, wide, n, inner);                                                            \
        }                                                                                                              \
    }
#define KERNELS(op, T) ADD_ROWS(op, T) REDUCE(op, T) REDUCE_EACH(op, T)
#define REAL_KERNELS(op) KERNELS(op, float) ADD_ROWS_OF_HALF(op) REDUCE(op, half) REDUCE_EACH_OF_HALF(op)
REAL_KERNELS(Add)
REAL_KERNELS(SquareAdd)
REAL_KERNELS(LogAdd)
REAL_KERNELS(Mul)
REAL_KERNELS(Min)
REAL_KERNELS(Max)
KERNELS(Add, int)
KERNELS(SquareAdd, int)
KERNELS(Mul, int)
KERNELS(Min, int)
KERNELS(Max, int)
KERNELS(Min, unsigned)
KERNELS(Max, unsigned)
KERNELS(And, truth)
KERNELS(Or, truth)

/* Before an output's elements, and what becomes of it after: PLAIN_, UPDATE_, SCALE_ and BOTH_. */
#define START(op, T)                                                                                                   \
    POPLIBS_FAST void start_##op##_##T(T##_sum *sums, size_t count)                                                    \
    {                                                                                                                  \
        for (size_t i = 0; i < count; ++i)                                                                             \
            sums[i] = NEUTRAL_##op(T);                                                                                 \
    }
#define FINISH(op, O, how, result)                                                                                     \
    POPLIBS_FAST void finish_##how##_##op##_##O(O *restrict out, const O##_sum *restrict sums, size_t count, float k)  \
    {                                                                                                                  \
        for (size_t i = 0; i < count; ++i)                                                                             \
            out[i] = (O)(result);                                                                                      \
    }
#define FINISH_PLAIN(op, O) FINISH(op, O, PLAIN, sums[i])
#define FINISH_SUM(op, O)                                                                                              \
    FINISH_PLAIN(op, O)                                                                                                \
    FINISH(op, O, UPDATE, JOIN_##op(O, (O##_sum)out[i], sums[i]))                                                      \
    FINISH(op, O, SCALE, (O##_sum)(SCALED_##op(sums[i], k)))                                                           \
    FINISH(op, O, BOTH, JOIN_##op(O, (O##_sum)out[i], (O##_sum)(SCALED_##op(sums[i], k))))
#define EACH_SUM(X) X(Add, half) X(Add, float) X(Add, int) X(SquareAdd, half) X(SquareAdd, float) X(SquareAdd, int) X(LogAdd, half) X(LogAdd, float)
#define EACH_OTHER(X)                                                                                                  \
    X(Mul, half) X(Mul, float) X(Mul, int) X(Min, half) X(Min, float) X(Min, int) X(Min, unsigned)                     \
    X(Max, half) X(Max, float) X(Max, int) X(Max, unsigned) X(And, truth) X(Or, truth)
EACH_SUM(START)
EACH_OTHER(START)
EACH_SUM(FINISH_SUM)
EACH_OTHER(FINISH_PLAIN)

#define PLAIN_OUT POP_OUTPUT
#define UPDATE_OUT POP_INOUT
#define SCALE_OUT POP_OUTPUT
#define BOTH_OUT POP_INOUT
#define PLAIN_FACTOR
#define UPDATE_FACTOR
#define SCALE_FACTOR POP_INPUT(float) k;
#define BOTH_FACTOR POP_INPUT(float) k;
#define PLAIN_K 1
#define UPDATE_K 1
#define SCALE_K *v->k
#define BOTH_K *v->k

#define VERTICES_OF(op, T, O, how, class, update)                                                                      \
    POP_VERTEX(Default##how##op##T##O) {                                                                               \
        how##_OUT(POP_VECTOR_LIST(O)) out;                                                                                     \
        POP_INPUT(POP_VECTOR_LIST(T)) partials;                                                                            \
        POP_STATE(POP_VECTOR(unsigned)) numPartials;                                                                   \
        how##_FACTOR                                                                                                   \
    };                                                                                                                 \
    POP_VERTEX_NAME(Default##how##op##T##O, NAME_OF(class, op, T, O, update, "0"));                                    \
    void Default##how##op##T##O##_compute(Default##how##op##T##O *v)                                                   \
    {                                                                                                                  \
        size_t region = 0;                                                                                             \
        for (size_t i = 0; i < v->out.size; region += v->numPartials.data[i++]) {                                      \
            O *out = v->out.data[i].data;                                                                              \
            size_t width = v->out.data[i].size;                                                                        \
            for (size_t from = 0; from < width; from += CHUNK) {                                                       \
                T##_sum sums[CHUNK];                                                                                   \
                size_t count = width - from < CHUNK ? width - from : CHUNK;                                            \
                start_##op##_##T(sums, count);                                                                         \
                for (size_t p = region; p < region + v->numPartials.data[i]; ++p)                                      \
                    reduce_##op##_##T(sums, v->partials.data[p].data + from, v->partials.data[p].size / width, count, width);             \
                finish_##how##_##op##_##O(out + from, sums, count, how##_K);                                           \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    POP_VERTEX(Single##how##op##T##O) {                                                                                \
        how##_OUT(O) out;                                                                                              \
        POP_INPUT(POP_VECTOR(T)) partials;                                                                             \
        how##_FACTOR                                                                                                   \
    };                                                                                                                 \
    POP_VERTEX_NAME(Single##how##op##T##O, NAME_OF(class, op, T, O, update, "2"));                                     \
    void Single##how##op##T##O##_compute(Single##how##op##T##O *v)                                                     \
    {                                                                                                                  \
        T##_sum sum = NEUTRAL_##op(T);                                                                                 \
        reduce_##op##_##T(&sum, v->partials.data, v->partials.size, 1, 1);                                             \
        finish_##how##_##op##_##O(v->out, &sum, 1, how##_K);                                                           \
    }                                                                                                                  \
    POP_VERTEX(Strided##how##op##T##O) {                                                                               \
        how##_OUT(POP_VECTOR(O)) out;                                                                                  \
        POP_INPUT(POP_VECTOR(T, ONE_PTR)) partials;                                                                    \
        POP_STATE(unsigned) width;                                                                                     \
        POP_STATE(unsigned) stride;                                                                                    \
        POP_STATE(unsigned) rows;                                                                                      \
        how##_FACTOR                                                                                                   \
    };                                                                                                                 \
    POP_VERTEX_NAME(Strided##how##op##T##O, NAME_OF(class, op, T, O, update, "3"));                                    \
    void Strided##how##op##T##O##_compute(Strided##how##op##T##O *v)                                                   \
    {                                                                                                                  \
        size_t rows = v->rows, width = v->width, block = rows * v->stride;                                             \
        const T *partials = v->partials.data;                                                                          \
        O *out = v->out.data;                                                                                          \
        for (O *end = out + v->out.size; out < end; out += width, partials += block)                                   \
            for (size_t from = 0; from < width; from += CHUNK) {                                                       \
                T##_sum sums[CHUNK];                                                                                   \
                size_t count = width - from < CHUNK ? width - from : CHUNK;                                            \
                start_##op##_##T(sums, count);                                                                         \
                reduce_##op##_##T(sums, partials + from, rows, count, v->stride);                                      \
                finish_##how##_##op##_##O(out + from, sums, count, how##_K);                                           \
            }                                                                                                          \
    }                                                                                                                  \
    POP_VERTEX(Continuous##how##op##T##O) {                                                                            \
        how##_OUT(POP_VECTOR(O)) out;                                                                                  \
        POP_INPUT(POP_VECTOR(T)) partials;                                                                             \
        POP_STATE(unsigned) inner;                                                                                     \
        how##_FACTOR                                                                                                   \
    };                                                                                                                 \
    POP_VERTEX_NAME(Continuous##how##op##T##O, NAME_OF(class, op, T, O, update, "4"));                                 \
    void Continuous##how##op##T##O##_compute(Continuous##how##op##T##O *v)                                             \
    {                                                                                                                  \
        size_t inner = v->inner, row = v->out.size * inner;                                                            \
        for (size_t from = 0; from < v->out.size; from += CHUNK) {                                                     \
            T##_sum sums[CHUNK];                                                                                       \
            size_t count = v->out.size - from < CHUNK ? v->out.size - from : CHUNK;                                    \
            O *out = v->out.data + from;                                                                               \
            start_##op##_##T(sums, count);                                                                             \
            for (size_t at = from * inner; at < v->partials.size; at += row)                                           \
                reduce_each_##op##_##T(sums, v->partials.data + at, count, inner);                                     \
            finish_##how##_##op##_##O(out, sums, count, how##_K);                                                      \
        }                                                                                                              \
    }

#define PLAIN_VERTICES(op, T, O) VERTICES_OF(op, T, O, PLAIN, "Reduce", "false")
#define SUM_VERTICES(op, T, O)                                                                                         \
    PLAIN_VERTICES(op, T, O)                                                                                           \
    VERTICES_OF(op, T, O, UPDATE, "Reduce", "true")                                                                    \
    VERTICES_OF(op, T, O, SCALE, "ScaledReduce", "false")                                                              \
    VERTICES_OF(op, T, O, BOTH, "ScaledReduce", "true")
REDUCE_SUMS(SUM_VERTICES)
REDUCE_OTHERS(PLAIN_VERTICES)

#else
#include "poplibs/support.h"
#include "popops/vertices.h"

/* Poplibs 1.2's formulas (poplibs.md 2.2); where a vertex here does more than Poplibs' (blocks, several rows), the parts are added up. */
enum { SUMS, PRODUCTS, OTHERS }; /* Add and SquareAdd; Mul, Min and Max; the rest */

struct kind { /* packed into an estimator's user pointer */
    unsigned class;
    bool half, half_out, update;
};
static void *pack(unsigned class, pop_type in, pop_type out, bool update)
{
    return poplibs_as_user(class | (in == POP_HALF ? 4u : 0) | (out == POP_HALF ? 8u : 0) | (update ? 16u : 0));
}
static struct kind unpack(void *user)
{
    uintptr_t bits = (uintptr_t)user;
    return (struct kind){ bits & 3, bits >> 2 & 1, bits >> 3 & 1, bits >> 4 & 1 };
}
static size_t size_of(const pop_vertex_view *vertex, const char *field, size_t index)
{
    return pop_vertex_view_field_size(vertex, field, index);
}

/* One output from a run of elements: two vectors at a time. */
static uint64_t run_cycles(size_t elements, unsigned vector)
{
    return elements < 6 ? 6 : 2 * (elements / (2 * vector)) + elements % (2 * vector);
}

/* What is left of a width by eights is done in loops of four, two and one. */
static size_t rest_loops(size_t width)
{
    return (width & 1) + (width >> 1 & 1) + (width >> 2 & 1);
}

/* One region of partials: `rows` rows of width elements. */
static uint64_t region_cycles(const struct kind *kind, size_t rows, size_t width, unsigned vector)
{
    size_t loops = width / 8, rest = rest_loops(width);
    switch (kind->class) {
    case SUMS:
        if (width == 1)
            return 11 + run_cycles(rows, vector);
        return loops * (11 + (kind->half ? 9 : 7) * rows) + rest * (11 + 3 * rows);
    case PRODUCTS:
        return 11 + (kind->half ? 8 : 5) * poplibs_ceil_div(rows * width, vector);
    default:
        return 7 * poplibs_ceil_div(rows * width, vector);
    }
}
static uint64_t reduction_cycles(const struct kind *kind, size_t width)
{
    if (kind->class == SUMS)
        return 29 + (width >= 8 ? 22 : 0) + 8 * rest_loops(width);
    return kind->class == PRODUCTS ? 27 + (kind->half ? 4 : 6) : 10;
}

static pop_perf estimate_default(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    struct kind kind = unpack(user);
    unsigned vector = pop_target_vector_width(target, kind.half ? POP_HALF : POP_FLOAT);
    uint64_t cycles = kind.class == OTHERS ? 9 + 7 : 33;
    size_t region = 0;
    for (size_t i = 0; i < size_of(vertex, "out", POP_WHOLE); ++i) {
        size_t width = size_of(vertex, "out", i);
        cycles += reduction_cycles(&kind, width);
        for (size_t end = region + (size_t)pop_vertex_view_field_value(vertex, "numPartials", i); region < end; ++region)
            cycles += region_cycles(&kind, size_of(vertex, "partials", region) / poplibs_max(1, width), width, vector);
    }
    return (pop_perf){ cycles, 0 };
}

static pop_perf estimate_single(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    struct kind kind = unpack(user);
    unsigned vector = pop_target_vector_width(target, kind.half ? POP_HALF : POP_FLOAT);
    return (pop_perf){ 26 + run_cycles(size_of(vertex, "partials", POP_WHOLE), vector) + (kind.half_out ? 5 : 0), 0 };
}

static pop_perf estimate_strided(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    struct kind kind = unpack(user);
    unsigned vector = pop_target_vector_width(target, kind.half ? POP_HALF : POP_FLOAT);
    size_t outputs = size_of(vertex, "out", POP_WHOLE), width = (size_t)pop_vertex_view_field_value(vertex, "width", 0);
    size_t blocks = outputs / poplibs_max(1, width), rows = (size_t)pop_vertex_view_field_value(vertex, "rows", 0);
    return (pop_perf){ 24 + blocks * (6 * poplibs_ceil_div(width, kind.half ? 4 : 2) + poplibs_ceil_div(rows * width, vector)), 0 };
}

static pop_perf estimate_continuous(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    struct kind kind = unpack(user);
    unsigned vector = pop_target_vector_width(target, kind.half ? POP_HALF : POP_FLOAT);
    size_t outputs = size_of(vertex, "out", POP_WHOLE), each = size_of(vertex, "partials", POP_WHOLE) / poplibs_max(1, outputs);
    return (pop_perf){ outputs * poplibs_ceil_div(each, vector) + 12 * outputs + 10 + (each % vector ? 2 : 0) + kind.update + 7, 0 };
}

#define CLASS_Add SUMS
#define CLASS_SquareAdd SUMS
#define CLASS_LogAdd OTHERS
#define CLASS_Mul PRODUCTS
#define CLASS_Min PRODUCTS
#define CLASS_Max PRODUCTS
#define CLASS_And OTHERS
#define CLASS_Or OTHERS
struct row {
    const char *name;
    const char *in, *out;
    unsigned class;
    bool update;
    pop_perf_estimator estimator;
};
#define ROW(class, op, T, O, update, number, estimator)                                                                \
    { NAME_OF(class, op, T, O, update, number), TEXT_##T, TEXT_##O, CLASS_##op, sizeof(update) == sizeof("true"), estimator },
#define ROWS_OF(class, op, T, O, update)                                                                               \
    ROW(class, op, T, O, update, "0", estimate_default)                                                                \
    ROW(class, op, T, O, update, "2", estimate_single)                                                                 \
    ROW(class, op, T, O, update, "3", estimate_strided)                                                                \
    ROW(class, op, T, O, update, "4", estimate_continuous)
#define PLAIN_ROWS(op, T, O) ROWS_OF("Reduce", op, T, O, "false")
#define SUM_ROWS(op, T, O)                                                                                             \
    PLAIN_ROWS(op, T, O) ROWS_OF("Reduce", op, T, O, "true") ROWS_OF("ScaledReduce", op, T, O, "false") ROWS_OF("ScaledReduce", op, T, O, "true")

void popops_reduce_vertices(pop_graph *graph)
{
    static const struct row rows[] = { REDUCE_SUMS(SUM_ROWS) REDUCE_OTHERS(PLAIN_ROWS) };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i)
        pop_graph_register_perf_estimator(graph, rows[i].name, rows[i].estimator,
                                          pack(rows[i].class, pop_type_by_name(rows[i].in), pop_type_by_name(rows[i].out), rows[i].update));
}
#endif
