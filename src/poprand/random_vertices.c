/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers: each worker of a tile has its own generator, xoroshiro128+, whose four words of state are read
 * before and written after the vertex. Worker w of W draws elements n w / W up to n (w + 1) / W of the tile's. */
#include "poplibs/vertex_types.h"

#ifdef __POPC__
#include "poplibs/half_vectors.h"
#include "poprand/generator.h"
#include "poprand/philox.h"

#include <poplar/vertex.h>
#include <popops/element_functions.h>

/* [0, 1), in steps of 2^-24. */
static inline float unit(uint32_t word)
{
    return (float)(int)(word >> 8) * 5.96046448e-8f;
}
static inline float with_sign_of(float value, uint32_t sign)
{
    return popops_float_of(popops_bits_of(value) ^ (sign & 0x80000000u));
}
/* Cosine and sine of an angle of unit(word) turns: polynomials for at most an eighth of a turn, with quadrants swapped
 * and negated.  The highest two bits of the word and an eighth are the nearest quadrant, the others are the rest. */
static inline void cos_sin(uint32_t word, float *cosine, float *sine)
{
    uint32_t moved = word + 0x20000000u;
    float t = (float)((int)(moved & 0x3fffff00u) - 0x20000000) * (6.28318531f / 4294967296.0f), z = t * t;
    float c = 1.0f + z * (-0.5f + z * (4.16666667e-2f + z * (-1.38888889e-3f + z * 2.48015873e-5f)));
    float s = t * (1.0f + z * (-1.66666667e-1f + z * (8.33333333e-3f + z * -1.98412698e-4f)));
    int odd = moved & 0x40000000u ? 1 : 0;
    *cosine = with_sign_of(odd ? s : c, moved + 0x40000000u);
    *sine = with_sign_of(odd ? c : s, moved);
}
/* The logarithm of 1 - unit(word), which is a multiple of 2^-24. */
static inline float log_of_rest(uint32_t word)
{
    float n, f = popops_log_split_bits(popops_bits_of((float)(0x1000000 - (int)(word >> 8))) - (24u << 23), &n);
    return popops_log_join(n, f);
}
/* Makes count values of the standard normal distribution (Box and Muller) of as many words, up to 5.8 standard
 * deviations from the mean. */
static inline void normal_of(const uint32_t *words, float *values, unsigned count)
{
    unsigned half = (count + 1) / 2;
    for (unsigned i = 0; i < half; ++i) {
        float radius = __builtin_sqrtf(-2.0f * log_of_rest(words[i])), c, s;
        cos_sin(words[half + i], &c, &s);
        values[i] = radius * c;
        values[half + i] = radius * s;
    }
}
/* Makes values with |value| <= alpha: values further out are drawn again, at most `iterations` times in total, and then
 * from a triangular distribution. */
static void draw_truncated(struct generator *g, const uint32_t *words, float *values, unsigned count, float alpha,
                           unsigned iterations)
{
    normal_of(words, values, count);
    for (unsigned i = 0; i < count; ++i) {
        float again[2] = { values[i], values[i] };
        unsigned tries = 1;
        while (!(again[0] >= -alpha && again[0] <= alpha) && tries++ < iterations) {
            if (tries & 1) {
                again[0] = again[1];
            } else {
                uint32_t two[2];
                draw_words(g, two, 2);
                normal_of(two, again, 2);
            }
        }
        if (!(again[0] >= -alpha && again[0] <= alpha)) {
            uint64_t bits = draw(g);
            again[0] = (unit((uint32_t)bits) - unit((uint32_t)(bits >> 32))) * alpha;
        }
        values[i] = again[0];
    }
}

POP_SUPERVISOR_VERTEX(SetSeed)
{
    POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) seed; /* 2 */
    POP_OUTPUT(POP_VECTOR(unsigned)) state;        /* 4 for each worker */
    unsigned seedModifierUser, seedModifierHw;
};
POP_VERTEX_NAME(SetSeed, "poprand::SetSeedSupervisor");
void SetSeed_compute(SetSeed *v)
{
    for (unsigned worker = 0; worker < v->state.size / 4; ++worker) {
        uint32_t words[4] = { v->seedModifierUser, v->seedModifierHw, worker, 0 };
        philox(words, v->seed.data[0], v->seed.data[1]);
        for (unsigned i = 0; i < 4; ++i) /* an all-zero state would never change */
            v->state.data[4 * worker + i] = words[i] | (i == 0 && !(words[0] | words[1] | words[2] | words[3]));
    }
}

/* For CPU devices: the states of parts of a draw, each `draws` draws after the one before it. */
POP_VERTEX(SplitGenerator)
{
    POP_INPUT(POP_VECTOR(unsigned, ONE_PTR)) state; /* 4 */
    POP_OUTPUT(POP_VECTOR(unsigned)) states;        /* 4 for each part */
    unsigned long long draws;
};
POP_VERTEX_NAME(SplitGenerator, "poprand::SplitGenerator");
void SplitGenerator_compute(SplitGenerator *v)
{
    struct jump jump = jump_of(v->draws);
    struct generator g = load(v->state.data);
    for (size_t at = 0; at < v->states.size; at += 4) {
        store(v->states.data + at, g);
        g = jump_from(g, jump);
    }
}

/* ---- distributions: make count values of as many words ---- */

/* Uniform between low and high, which are values of the type. */
static inline void fill_uniform(const uint32_t *words, float *values, unsigned count, float low, float high)
{
    for (unsigned i = 0; i < count; ++i) {
        float u = unit(words[i]);
        values[i] = popops_clampf(low * (1.0f - u) + high * u, low, high);
    }
}
/* Uniform logarithms. */
static inline void fill_log_uniform(const uint32_t *words, float *values, unsigned count, const float range[2],
                                    const float logs[2])
{
    for (unsigned i = 0; i < count; ++i) {
        float u = unit(words[i]);
        values[i] = popops_clampf(popops_expf(logs[0] * (1.0f - u) + logs[1] * u), range[0], range[1]);
    }
}
/* keep: the probability in units of 2^-32. */
static inline void fill_bernoulli(const uint32_t *words, float *values, unsigned count, unsigned long long keep)
{
    for (unsigned i = 0; i < count; ++i)
        values[i] = words[i] < keep ? 1.0f : 0.0f;
}
static inline void fill_normal(const uint32_t *words, float *values, unsigned count, float mean, float deviation)
{
    normal_of(words, values, count);
    for (unsigned i = 0; i < count; ++i)
        values[i] = values[i] * deviation + mean;
}
static inline void clamp_normal(float *values, unsigned count, float mean, float deviation, float low, float high)
{
    for (unsigned i = 0; i < count; ++i)
        values[i] = popops_clampf(values[i] * deviation + mean, low, high);
}
/* Replaces dropped values by zeros, and scales the others. */
static inline void drop(const uint32_t *words, float *values, unsigned count, unsigned long long keep, float scale)
{
    for (unsigned i = 0; i < count; ++i) {
        float scaled = values[i] * scale;
        values[i] = words[i] < keep ? scaled : 0.0f;
    }
}

/* ---- the shares of workers ---- */

/* Workers whose shares are equal draw together, LANES of them at a time. */
struct shares {
    size_t elements, workers;
    unsigned together;
};
static inline struct shares shares_of(size_t elements, size_t workers)
{
    bool together = workers % LANES == 0 && elements % workers == 0;
    return (struct shares){ elements, workers, together ? LANES : 1 };
}
static inline size_t share_length(const struct shares *shares, size_t worker)
{
    return shares->elements * (worker + 1) / shares->workers - shares->elements * worker / shares->workers;
}
static inline void load_all(struct generator *generators, const unsigned *state, unsigned count)
{
    for (unsigned i = 0; i < count; ++i)
        generators[i] = load(state + 4 * i);
}
static inline void store_all(unsigned *state, const struct generator *generators, unsigned count)
{
    for (unsigned i = 0; i < count; ++i)
        store(state + 4 * i, generators[i]);
}
static inline void draw_all(struct generator *generators, uint32_t words[][BLOCK], unsigned count, unsigned together)
{
    if (together == LANES && LANES > 1)
        draw_lanes(generators, words, count);
    else
        draw_words(generators, words[0], count);
}

/* ---- vertices: NAME<T>, whose FILL writes values[0] to values[m - 1] from the generator g, for elements `at` to
 * `at + m - 1` of the output ---- */

static inline void get_float(float *values, const float *in, unsigned count)
{
    for (unsigned i = 0; i < count; ++i)
        values[i] = in[i];
}
static inline void get_half(float *values, const half *in, unsigned count)
{
    poplibs_widen(values, in, count);
}

#define NAME     Uniform
#define FIELDS   float low, high;
#define FILL     fill_uniform(words, values, m, v->low, v->high)
#define TYPES    POPLIBS_FLOATING
#define TEMPLATE "poprand/random_typed.h"
#include "poplibs/each_type.h"
#undef NAME
#undef FIELDS
#undef FILL

POP_SUPERVISOR_VERTEX(Uniform_int)
{
    POP_OUTPUT(POP_VECTOR(int)) out;
    POP_INOUT(POP_VECTOR(unsigned)) state;
    int low;
    unsigned long long count;
};
POP_VERTEX_NAME(Uniform_int, "poprand::UniformSupervisor<int>");
void Uniform_int_compute(Uniform_int *v)
{
    struct shares shares = shares_of(v->out.size, v->state.size / 4);
    for (size_t worker = 0; worker < shares.workers; worker += shares.together) {
        struct generator generators[LANES];
        load_all(generators, v->state.data + 4 * worker, shares.together);
        size_t begin = v->out.size * worker / shares.workers, length = share_length(&shares, worker);
        for (size_t done = 0; done < length; done += BLOCK) {
            unsigned m = length - done < BLOCK ? (unsigned)(length - done) : BLOCK;
            uint32_t drawn[LANES][BLOCK];
            draw_all(generators, drawn, m, shares.together);
            for (unsigned lane = 0; lane < shares.together; ++lane)
                for (unsigned i = 0; i < m; ++i)
                    v->out.data[begin + lane * length + done + i] =
                        (int)((unsigned)v->low + (unsigned)((v->count * drawn[lane][i]) >> 32));
        }
        store_all(v->state.data + 4 * worker, generators, shares.together);
    }
}

#define NAME     LogUniform
#define FIELDS   float low, high, lowLog, highLog;
#define FILL     fill_log_uniform(words, values, m, (float[]){ v->low, v->high }, (float[]){ v->lowLog, v->highLog })
#define TYPES    (POPLIBS_FLOATING | POPLIBS_INT)
#define TEMPLATE "poprand/random_typed.h"
#include "poplibs/each_type.h"
#undef NAME
#undef FIELDS
#undef FILL

#define NAME     Bernoulli
#define FIELDS   unsigned long long keep;
#define FILL     fill_bernoulli(words, values, m, v->keep)
#define TYPES    (POPLIBS_FLOATING | POPLIBS_INT)
#define TEMPLATE "poprand/random_typed.h"
#include "poplibs/each_type.h"
#undef NAME
#undef FIELDS
#undef FILL

#define NAME     Normal
#define FIELDS   float mean, stdDev;
#define FILL     fill_normal(words, values, m, v->mean, v->stdDev)
#define TYPES    POPLIBS_FLOATING
#define TEMPLATE "poprand/random_typed.h"
#include "poplibs/each_type.h"
#undef NAME
#undef FIELDS
#undef FILL

#define NAME TruncatedNormal
#define FIELDS                                                                                                         \
    float mean, stdDev, alpha, low, high;                                                                              \
    unsigned iterations;
#define FILL                                                                                                           \
    draw_truncated(g, words, values, m, v->alpha, v->iterations);                                                      \
    clamp_normal(values, m, v->mean, v->stdDev, v->low, v->high)
#define TYPES    POPLIBS_FLOATING
#define TEMPLATE "poprand/random_typed.h"
#include "poplibs/each_type.h"
#undef NAME
#undef FIELDS
#undef FILL

#define NAME Dropout
#define FIELDS                                                                                                         \
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) in;                                                                              \
    unsigned long long keep;                                                                                           \
    float scale;
#define FILL                                                                                                           \
    popops_prefetch(v->in.data + at + BLOCK, BLOCK * sizeof(T));                                                       \
    TYPED(get)(values, v->in.data + at, m);                                                                            \
    drop(words, values, m, v->keep, v->scale)
#define TYPES    POPLIBS_FLOATING
#define TEMPLATE "poprand/random_typed.h"
#include "poplibs/each_type.h"
#undef NAME
#undef FIELDS
#undef FILL

#else
#include "poplibs/support.h"
#include "poprand/vertices.h"

/* Poplibs 1.2's estimators, with W = 6; all are tile cycles. Half has a longer set-up and a longer tail. */
enum { HALF = 1 };
static size_t elements(const pop_vertex_view *vertex)
{
    return pop_vertex_view_field_size(vertex, "out", POP_WHOLE);
}
static pop_perf estimate_set_seed(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)vertex, (void)user;
    return (pop_perf){ 14 + 22 * target->num_worker_contexts, 0 };
}
static pop_perf estimate_uniform(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    uint64_t half = (uintptr_t)user & HALF;
    return (pop_perf){ 4 + target->num_worker_contexts * (half ? 24 : 22) + 4 * (elements(vertex) / (half ? 16 : 32)) +
                           (half ? 12 : 4),
                       0 };
}
static pop_perf estimate_uniform_integer(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)user;
    return (pop_perf){ 4 + target->num_worker_contexts * 22 + 6 * (elements(vertex) / 2), 0 };
}
/* Uniform plus an exponential for each vector: there is no published figure. */
static pop_perf estimate_log_uniform(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    uint64_t half = (uintptr_t)user & HALF;
    return (pop_perf){ estimate_uniform(vertex, target, user).cycles + 3 * (elements(vertex) / (half ? 4 : 2)), 0 };
}
static pop_perf estimate_bernoulli(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    uint64_t half = (uintptr_t)user & HALF;
    return (pop_perf){ 4 + target->num_worker_contexts * (half ? 23 : 21) + elements(vertex) / (half ? 16 : 32) + 9,
                       0 };
}
static pop_perf estimate_normal(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    uint64_t half = (uintptr_t)user & HALF;
    return (pop_perf){ 4 + target->num_worker_contexts * (half ? 24 : 22) + 4 * (elements(vertex) / (half ? 4 : 2)) +
                           (half ? 12 : 3),
                       0 };
}
static pop_perf estimate_truncated_normal(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    uint64_t half = (uintptr_t)user & HALF, iterations = (uint64_t)pop_vertex_view_field_value(vertex, "iterations", 0);
    return (pop_perf){ 4 + target->num_worker_contexts * (half ? 28 : 26) +
                           ((half ? 12 : 11) * iterations + 5) * (elements(vertex) / (half ? 4 : 2)),
                       0 };
}
static pop_perf estimate_dropout(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    uint64_t half = (uintptr_t)user & HALF;
    return (pop_perf){ 6 + target->num_worker_contexts * 24 + 2 * (elements(vertex) / (half ? 4 : 2)) + (half ? 9 : 1),
                       0 };
}

void register_random_vertices(pop_graph *graph)
{
    static const struct {
        const char *type;
        pop_perf_estimator estimate;
        uintptr_t user;
    } table[] = {
        { "SetSeedSupervisor", estimate_set_seed, 0 },
        { "UniformSupervisor<half>", estimate_uniform, HALF },
        { "UniformSupervisor<float>", estimate_uniform, 0 },
        { "UniformSupervisor<int>", estimate_uniform_integer, 0 },
        { "LogUniformSupervisor<half>", estimate_log_uniform, HALF },
        { "LogUniformSupervisor<float>", estimate_log_uniform, 0 },
        { "LogUniformSupervisor<int>", estimate_log_uniform, 0 },
        { "BernoulliSupervisor<half>", estimate_bernoulli, HALF },
        { "BernoulliSupervisor<float>", estimate_bernoulli, 0 },
        { "BernoulliSupervisor<int>", estimate_bernoulli, 0 },
        { "NormalSupervisor<half>", estimate_normal, HALF },
        { "NormalSupervisor<float>", estimate_normal, 0 },
        { "TruncatedNormalSupervisor<half>", estimate_truncated_normal, HALF },
        { "TruncatedNormalSupervisor<float>", estimate_truncated_normal, 0 },
        { "DropoutSupervisor<half>", estimate_dropout, HALF },
        { "DropoutSupervisor<float>", estimate_dropout, 0 },
    };
    char name[96];
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); ++i) {
        snprintf(name, sizeof(name), "poprand::%s", table[i].type);
        pop_graph_register_perf_estimator(graph, name, table[i].estimate, poplibs_as_user(table[i].user));
    }
}
#endif
