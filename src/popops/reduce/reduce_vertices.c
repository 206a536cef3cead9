/* SPDX-License-Identifier: Apache-2.0 */
/* popops::Reduce<op,partials,out,update,specialisation> and popops::ScaledReduce<...>, which multiplies by *k.  See
 * reduce_types.h. */
#include "popops/reduce/reduce_types.h"

#ifdef __POPC__
#include "popops/reduce/reduce_kernels.h"

#define REAL_KERNELS(op) KERNELS(op, float) KERNELS(op, half)
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
/* A cache reads the line that is written to, so of many results the next are fetched too. */
#define PUT(O)                                                                                                         \
    static void put_##O(O *restrict out, const O##_sum *restrict sums, size_t count)                                   \
    {                                                                                                                  \
        size_t bytes = count * sizeof(O);                                                                              \
        for (size_t i = 0; i < bytes && bytes >= AHEAD; i += LINE)                                                     \
            __builtin_prefetch((const char *)out + AHEAD + i, 1);                                                      \
        NARROW_##O(out, sums, count);                                                                                  \
    }
#define NARROW_half(out, sums, count)     poplibs_narrow(out, sums, count)
#define NARROW_float(out, sums, count)    memcpy(out, sums, count * sizeof(*out))
#define NARROW_int(out, sums, count)      memcpy(out, sums, count * sizeof(*out))
#define NARROW_unsigned(out, sums, count) memcpy(out, sums, count * sizeof(*out))
#define NARROW_truth(out, sums, count)    memcpy(out, sums, count * sizeof(*out))
PUT(half)
PUT(float)
PUT(int)
PUT(unsigned)
PUT(truth)
/* What outputs are before, as sums. */
#define OLD_half(out, count, buffer)  (poplibs_widen(buffer, out, count), buffer)
#define OLD_float(out, count, buffer) (out)
#define OLD_int(out, count, buffer)   (out)
#define PLAIN_OLD(old)                NULL
#define UPDATE_OLD(old)               old
#define SCALE_OLD(old)                NULL
#define BOTH_OLD(old)                 old
/* At most CHUNK outputs, whose sums are lost. */
#define FINISH(op, O, how, result)                                                                                     \
    POPLIBS_FAST void finish_##how##_##op##_##O(O *out, O##_sum *restrict sums, size_t count, float k)                 \
    {                                                                                                                  \
        O##_sum buffer[CHUNK];                                                                                         \
        const O##_sum *old = how##_OLD(OLD_##O(out, count, buffer));                                                   \
        for (size_t i = 0; i < count; ++i)                                                                             \
            sums[i] = result;                                                                                          \
        put_##O(out, sums, count);                                                                                     \
    }
#define FINISH_PLAIN(op, O) FINISH(op, O, PLAIN, sums[i])
#define FINISH_SUM(op, O)                                                                                              \
    FINISH_PLAIN(op, O)                                                                                                \
    FINISH(op, O, UPDATE, JOIN_##op(O, old[i], sums[i]))                                                               \
    FINISH(op, O, SCALE, (O##_sum)(SCALED_##op(sums[i], k)))                                                           \
    FINISH(op, O, BOTH, JOIN_##op(O, old[i], (O##_sum)(SCALED_##op(sums[i], k))))
#define EACH_SUM(X)                                                                                                    \
    X(Add, half)                                                                                                       \
    X(Add, float) X(Add, int) X(SquareAdd, half) X(SquareAdd, float) X(SquareAdd, int) X(LogAdd, half) X(LogAdd, float)
#define EACH_OTHER(X)                                                                                                  \
    X(Mul, half)                                                                                                       \
    X(Mul, float)                                                                                                      \
    X(Mul, int)                                                                                                        \
    X(Min, half)                                                                                                       \
    X(Min, float)                                                                                                      \
    X(Min, int) X(Min, unsigned) X(Max, half) X(Max, float) X(Max, int) X(Max, unsigned) X(And, truth) X(Or, truth)
EACH_SUM(START)
EACH_OTHER(START)
EACH_SUM(FINISH_SUM)
EACH_OTHER(FINISH_PLAIN)

#define PLAIN_OUT  POP_OUTPUT
#define UPDATE_OUT POP_INOUT
#define SCALE_OUT  POP_OUTPUT
#define BOTH_OUT   POP_INOUT
#define PLAIN_FACTOR
#define UPDATE_FACTOR
#define SCALE_FACTOR POP_INPUT(float) k;
#define BOTH_FACTOR  POP_INPUT(float) k;
#define PLAIN_K      1
#define UPDATE_K     1
#define SCALE_K      *v->k
#define BOTH_K       *v->k

#define VERTICES_OF(op, T, O, how, class, update)                                                                      \
    POP_VERTEX(Default##how##op##T##O)                                                                                 \
    {                                                                                                                  \
        how##_OUT(POP_VECTOR_LIST(O)) out;                                                                             \
        POP_INPUT(POP_VECTOR_LIST(T)) partials;                                                                        \
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
                    reduce_##op##_##T(sums, v->partials.data[p].data + from, v->partials.data[p].size / width, count,  \
                                      width);                                                                          \
                finish_##how##_##op##_##O(out + from, sums, count, how##_K);                                           \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    POP_VERTEX(Single##how##op##T##O)                                                                                  \
    {                                                                                                                  \
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
    POP_VERTEX(Strided##how##op##T##O)                                                                                 \
    {                                                                                                                  \
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
        size_t rows = v->rows, width = v->width, block = rows * v->stride,                                             \
               at_once = width && width < CHUNK ? CHUNK / width : 1;                                                   \
        const T *partials = v->partials.data;                                                                          \
        O *out = v->out.data, *end = out + v->out.size;                                                                \
        for (size_t blocks; out < end; out += blocks * width, partials += blocks * block) {                            \
            blocks = out + at_once * width < end ? at_once : (size_t)(end - out) / width;                              \
            for (size_t from = 0; from < width; from += CHUNK) {                                                       \
                T##_sum sums[CHUNK];                                                                                   \
                size_t part = width - from < CHUNK ? width - from : CHUNK;                                             \
                start_##op##_##T(sums, blocks *part);                                                                  \
                for (size_t i = 0; i < blocks; ++i)                                                                    \
                    reduce_##op##_##T(sums + i * part, partials + i * block + from, rows, part, v->stride);            \
                finish_##how##_##op##_##O(out + from, sums, blocks * part, how##_K);                                   \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    POP_VERTEX(Continuous##how##op##T##O)                                                                              \
    {                                                                                                                  \
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

/* Poplibs 1.2's formulas (poplibs.md 2.2); where a vertex here does more than Poplibs' (blocks, several rows), the
 * parts are added up. */
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
        for (size_t end = region + (size_t)pop_vertex_view_field_value(vertex, "numPartials", i); region < end;
             ++region)
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
    return (pop_perf){
        24 + blocks * (6 * poplibs_ceil_div(width, kind.half ? 4 : 2) + poplibs_ceil_div(rows * width, vector)), 0
    };
}

static pop_perf estimate_continuous(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    struct kind kind = unpack(user);
    unsigned vector = pop_target_vector_width(target, kind.half ? POP_HALF : POP_FLOAT);
    size_t outputs = size_of(vertex, "out", POP_WHOLE),
           each = size_of(vertex, "partials", POP_WHOLE) / poplibs_max(1, outputs);
    return (pop_perf){
        outputs * poplibs_ceil_div(each, vector) + 12 * outputs + 10 + (each % vector ? 2 : 0) + kind.update + 7, 0
    };
}

#define CLASS_Add       SUMS
#define CLASS_SquareAdd SUMS
#define CLASS_LogAdd    OTHERS
#define CLASS_Mul       PRODUCTS
#define CLASS_Min       PRODUCTS
#define CLASS_Max       PRODUCTS
#define CLASS_And       OTHERS
#define CLASS_Or        OTHERS
struct row {
    const char *name;
    const char *in, *out;
    unsigned class;
    bool update;
    pop_perf_estimator estimator;
};
#define ROW(class, op, T, O, update, number, estimator)                                                                \
    { NAME_OF(class, op, T, O, update, number), TEXT_##T, TEXT_##O, CLASS_##op,                                        \
      sizeof(update) == sizeof("true"),         estimator },
#define ROWS_OF(class, op, T, O, update)                                                                               \
    ROW(class, op, T, O, update, "0", estimate_default)                                                                \
    ROW(class, op, T, O, update, "2", estimate_single)                                                                 \
    ROW(class, op, T, O, update, "3", estimate_strided)                                                                \
    ROW(class, op, T, O, update, "4", estimate_continuous)
#define PLAIN_ROWS(op, T, O) ROWS_OF("Reduce", op, T, O, "false")
#define SUM_ROWS(op, T, O)                                                                                             \
    PLAIN_ROWS(op, T, O)                                                                                               \
    ROWS_OF("Reduce", op, T, O, "true")                                                                                \
    ROWS_OF("ScaledReduce", op, T, O, "false") ROWS_OF("ScaledReduce", op, T, O, "true")

void popops_reduce_vertices(pop_graph *graph)
{
    static const struct row rows[] = { REDUCE_SUMS(SUM_ROWS) REDUCE_OTHERS(PLAIN_ROWS) };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i)
        pop_graph_register_perf_estimator(
            graph, rows[i].name, rows[i].estimator,
            pack(rows[i].class, pop_type_by_name(rows[i].in), pop_type_by_name(rows[i].out), rows[i].update));
}
#endif
