/* SPDX-License-Identifier: Apache-2.0 */
/* popnn::NonLinearitySupervisor<T,N>: one region in place; NonLinearity2D: several; NonLinearityGradSupervisor and
 * NonLinearityGrad2D: gradients. */
#include "poplibs/vertex_types.h"

#define TYPES POPLIBS_FLOATING

#ifdef __POPC__
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-pre", "no-thread-jumps") /* they introduce branches, which prevent vectorisation */
#endif
#include "poplibs/half_vectors.h"

#include <poplar/vertex.h>
#include <popops/element_functions.h>

/* gradient_N is the derivative as a function of the output or, for GELU, SWISH and GELU_ERF, of the input. */
static inline float value_SIGMOID(float x)
{
    return popops_sigmoidf(x);
}
static inline float gradient_SIGMOID(float y)
{
    return y * (1.0f - y);
}
static inline float value_HARD_SIGMOID(float x)
{
    return popops_clampf(0.2f * x + 0.5f, 0.0f, 1.0f);
}
static inline float gradient_HARD_SIGMOID(float y)
{
    return (y > 0.0f) & (y < 1.0f) ? 0.2f : 0.0f;
}
static inline float value_RELU(float x)
{
    return x > 0.0f ? x : 0.0f; /* of a NaN 0, as of the maximum with 0 */
}
static inline float gradient_RELU(float y)
{
    return y > 0.0f ? 1.0f : 0.0f;
}
static inline float value_TANH(float x)
{
    return popops_tanhf(x);
}
static inline float gradient_TANH(float y)
{
    return 1.0f - y * y;
}
/* x (1 + tanh(u)) / 2 is x sigmoid(2 u), 2 u = x (TWO_A + TWO_B x^2). Where the sigmoid is small its relative error is
 * the absolute error of 2 u, of which a float has 24 bits only: what is lost in rounding is computed, too. */
#define TWO_A     1.59576917f        /* 2 sqrt(2 / pi) */
#define TWO_A_LOW (-4.53406804e-08f) /* what is missing in it */
#define TWO_B     0.0713548139f      /* 0.044715 times that */
#define TWO_B_LOW 2.3988324e-09f
/* The sigmoid is 0 or 1 in float beyond: with larger arguments, products of infinity and 0 would be NaN. */
enum { GELU_FAR = 20, SWISH_FAR = 105 };
/* sigmoid(2 u) for |x| up to GELU_FAR, and what 2 u lost in rounding. */
static inline float gelu_share(float x, float *u_low)
{
    float square = x * x, square_low = popops_fma(x, x, -square);
    float term = TWO_B * square, term_low = popops_fma(TWO_B, square, -term);
    term_low = popops_fma(TWO_B, square_low, popops_fma(TWO_B_LOW, square, term_low));
    float sum = TWO_A + term, of_term = sum - TWO_A;
    float sum_low = (TWO_A - (sum - of_term)) + (term - of_term) + term_low + TWO_A_LOW;
    float u = sum * x;
    *u_low = popops_fma(sum_low, x, popops_fma(sum, x, -u));
    return popops_sigmoidf(u);
}
static inline float value_GELU(float x)
{
    float u_low, near = popops_clampf(x, -GELU_FAR, GELU_FAR), share = gelu_share(near, &u_low);
    float product = near * share, low = popops_fma(near, share, -product);
    float result = product + popops_fma(product * (1.0f - share), u_low, low);
    return x > GELU_FAR ? x : result;
}
static inline float gradient_GELU(float x)
{
    float u_low, near = popops_clampf(x, -GELU_FAR, GELU_FAR), share = gelu_share(near, &u_low);
    float slope = share * (1.0f - share);
    return popops_fma(slope, popops_fma(near, popops_fma(3.0f * TWO_B * near, near, TWO_A), u_low), share);
}
static inline float value_SWISH(float x)
{
    return (x < -SWISH_FAR ? -SWISH_FAR : x) * popops_sigmoidf(x);
}
static inline float gradient_SWISH(float x)
{
    float near = popops_clampf(x, -SWISH_FAR, SWISH_FAR), s = popops_sigmoidf(near);
    return s + near * s * (1.0f - s);
}
static inline float value_GELU_ERF(float x)
{
    return popops_gelu_erff(x);
}
static inline float gradient_GELU_ERF(float x)
{
    float near = popops_clampf(x, -14.5f, 14.5f), far = __builtin_fabsf(near),
          e = popops_exp_of_negative(-0.5f * near * near);
    float share = 0.5f - e * (popops_normal_tail_above(far, 1.0f) / popops_normal_tail_below(far));
    return 0.5f + __builtin_copysignf(share, near) + near * 0.398942280f * e;
}

typedef float function(float);
typedef void apply_function(float *data, size_t size);
typedef void gradient_function(const float *out, const float *out_gradient, float *in_gradient, size_t size);
#define INLINE static inline __attribute__((always_inline))

INLINE void apply_each(float *data, size_t size, function *value)
{
    size_t at = 0;
#ifndef __IPU__
    enum { LINE = POPOPS_LINE / sizeof(float) };
    for (; size - at >= LINE; at += LINE) {
        __builtin_prefetch(data + popops_ahead(at, size, sizeof(*data)));
        for (size_t i = 0; i < LINE; ++i)
            data[at + i] = value(data[at + i]);
    }
#endif
    for (; at < size; ++at)
        data[at] = value(data[at]);
}
INLINE void gradient_of_each(const float *out, const float *out_gradient, float *in_gradient, size_t size,
                             function *gradient)
{
    size_t at = 0;
#ifndef __IPU__
    enum { LINE = POPOPS_LINE / sizeof(float) };
    for (; size - at >= LINE; at += LINE) {
        size_t ahead = popops_ahead(at, size, sizeof(*out));
        __builtin_prefetch(out + ahead);
        __builtin_prefetch(out_gradient + ahead);
        for (size_t i = 0; i < LINE; ++i)
            in_gradient[at + i] = out_gradient[at + i] * gradient(out[at + i]);
    }
#endif
    for (; at < size; ++at)
        in_gradient[at] = out_gradient[at] * gradient(out[at]);
}

/* Half is computed as float, block by block. */
enum { BLOCK = 256 };
INLINE void apply_blocks(half *data, size_t size, apply_function *apply)
{
    float values[BLOCK];
    for (size_t at = 0, n; at < size; at += n) {
        n = size - at < BLOCK ? size - at : BLOCK;
        poplibs_widen(values, data + at, n);
        apply(values, n);
        poplibs_narrow(data + at, values, n);
    }
}
INLINE void gradient_of_blocks(const half *out, const half *out_gradient, half *in_gradient, size_t size,
                               gradient_function *gradient_of)
{
    float outs[BLOCK], gradients[BLOCK];
    for (size_t at = 0, n; at < size; at += n) {
        n = size - at < BLOCK ? size - at : BLOCK;
        poplibs_widen(outs, out + at, n);
        poplibs_widen(gradients, out_gradient + at, n);
        gradient_of(outs, gradients, gradients, n);
        poplibs_narrow(in_gradient + at, gradients, n);
    }
}

/* The loops of each function: apply_SIGMOID_float, gradient_of_SIGMOID_float, and those for half, which call them. */
#define ROW_OF(name, type, each, by)                                                                                   \
    static void apply_##name##_##type(type *data, size_t size)                                                         \
    {                                                                                                                  \
        apply_##each(data, size, by);                                                                                  \
    }
#define GRADIENT_ROW_OF(name, type, each, by)                                                                          \
    static void gradient_of_##name##_##type(const type *out, const type *out_gradient, type *in_gradient, size_t size) \
    {                                                                                                                  \
        gradient_of_##each(out, out_gradient, in_gradient, size, by);                                                  \
    }
#define NAME(name, ...)                                                                                                \
    ROW_OF(name, float, each, value_##name)                                                                            \
    GRADIENT_ROW_OF(name, float, each, gradient_##name)                                                                \
    ROW_OF(name, half, blocks, apply_##name##_float)                                                                   \
    GRADIENT_ROW_OF(name, half, blocks, gradient_of_##name##_float)
#include "popnn/activation/non_linearity.def"
#undef NAME

#define TEMPLATE "popnn/activation/non_linearity_typed.h"
#include "poplibs/each_type.h"

#else
#include "poplibs/support.h"
#include "popnn/vertices.h"

/* The parameters of a vertex type's estimator, packed into its user pointer. */
static void *as_user(pop_type type, unsigned float_op, unsigned half_op)
{
    return poplibs_as_user((uintptr_t)type | (uintptr_t)(type == POP_FLOAT ? float_op : half_op) << 8);
}
static bool is_float(void *user)
{
    return ((uintptr_t)user & 0xff) == POP_FLOAT;
}
static size_t op_of(void *user)
{
    return (uintptr_t)user >> 8;
}
/* The pipelined loop over vectors plus the remainder: Poplibs 1.2's estimators. */
static uint64_t loop_cycles(size_t vectors, size_t op)
{
    return vectors ? 3 + 2 * op + (vectors - 1) * 2 * op : 0;
}
static uint64_t rest_cycles(size_t elements, bool is_float, size_t op)
{
    if (is_float)
        return elements & 1 ? 2 + op : 0;
    return (elements & 2 ? 2 + op : 0) + (elements & 1 ? 3 + op : 0);
}
static uint64_t grad_loop_cycles(size_t vectors)
{
    return vectors ? 5 + 3 * (vectors - 1) : 0;
}
static uint64_t grad_rest_cycles(size_t elements, bool is_float)
{
    if (is_float)
        return elements & 1 ? 4 : 0;
    return (elements & 2 ? 5 : 0) + (elements & 1 ? 7 : 0);
}

/* Floating-point operations: the function of an element is one, its gradient the derivative and a product. */
enum { GRAD_FLOPS = 2 };
static pop_perf estimate(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    size_t n = pop_vertex_view_field_size(vertex, "data", POP_WHOLE), workers = target->num_worker_contexts,
           width = is_float(user) ? 2 : 4;
    uint64_t worker = 18 + loop_cycles(poplibs_ceil_div(n / width, workers), op_of(user)) + (is_float(user) ? 3 : 4) +
                      rest_cycles(n, is_float(user), op_of(user));
    return (pop_perf){ 9 + workers * worker, n };
}
static pop_perf estimate_2d(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target;
    uint64_t cycles = 14, elements = 0;
    for (size_t i = 0, rows = pop_vertex_view_field_size(vertex, "data", POP_WHOLE); i < rows; ++i) {
        size_t n = pop_vertex_view_field_size(vertex, "data", i);
        cycles += is_float(user) ? 11 + loop_cycles(n / 2, op_of(user)) : 15 + loop_cycles(n / 4, op_of(user));
        cycles += rest_cycles(n, is_float(user), op_of(user));
        elements += n;
    }
    return (pop_perf){ cycles, elements };
}
static pop_perf estimate_grad(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    size_t n = pop_vertex_view_field_size(vertex, "inGrad", POP_WHOLE), workers = target->num_worker_contexts,
           width = is_float(user) ? 2 : 4;
    uint64_t worker = 20 + grad_loop_cycles(poplibs_ceil_div(n / width, workers)) + (is_float(user) ? 4 : 6) +
                      grad_rest_cycles(n, is_float(user));
    return (pop_perf){ 9 + workers * worker, GRAD_FLOPS * n };
}
static pop_perf estimate_grad_2d(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target;
    uint64_t cycles = 17, elements = 0;
    for (size_t i = 0, rows = pop_vertex_view_field_size(vertex, "inGrad", POP_WHOLE); i < rows; ++i) {
        size_t n = pop_vertex_view_field_size(vertex, "inGrad", i);
        cycles += 10 + grad_loop_cycles(n / (is_float(user) ? 2 : 4)) + grad_rest_cycles(n, is_float(user));
        elements += n;
    }
    return (pop_perf){ cycles, GRAD_FLOPS * elements };
}

void register_non_linearity_vertices(pop_graph *graph)
{
    static const struct {
        const char *name;
        pop_perf_estimator estimate;
    } vertices[] = { { "NonLinearitySupervisor", estimate },
                     { "NonLinearity2D", estimate_2d },
                     { "NonLinearityGradSupervisor", estimate_grad },
                     { "NonLinearityGrad2D", estimate_grad_2d } };
    static const struct {
        const char *name;
        unsigned float_op, half_op;
    } functions[] = {
#define NAME(function, float_op, half_op) { #function, float_op, half_op },
#include "popnn/activation/non_linearity.def"
#undef NAME
    };
    static const pop_type types[] = { POP_HALF, POP_FLOAT };
    char name[128];
    for (size_t i = 0; i < sizeof(vertices) / sizeof(vertices[0]); ++i)
        for (size_t k = 0; k < sizeof(functions) / sizeof(functions[0]); ++k)
            for (size_t t = 0; t < 2; ++t) {
                snprintf(name, sizeof(name), "popnn::%s<%s,popnn::NonLinearityType::%s>", vertices[i].name,
                         pop_type_name(types[t]), functions[k].name);
                pop_graph_register_perf_estimator(graph, name, vertices[i].estimate,
                                                  as_user(types[t], functions[k].float_op, functions[k].half_op));
            }
}
#endif
