/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers: each worker of a tile has its own generator, xoroshiro128+, whose four words of state are read
 * before and written after the vertex. Worker w of W draws elements n w / W up to n (w + 1) / W of the tile's. */
#include "poplibs/vertex_types.h"

#ifdef __POPC__
#include "poplibs/half_vectors.h"
#include "poprand/philox.h"

#include <poplar/vertex.h>
#include <popops/element_functions.h>

struct generator {
    uint64_t a, b;
};
static inline uint64_t rotate(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}
static inline uint64_t draw(struct generator *g)
{
    uint64_t a = g->a, b = g->b, sum = a + b;
    b ^= a;
    g->a = rotate(a, 55) ^ b ^ b << 14;
    g->b = rotate(b, 36);
    return sum;
}
enum { BLOCK = 128 };
/* Draws count words, rounded up to a whole draw. */
static inline void draw_words(struct generator *g, uint32_t *words, unsigned count)
{
    for (unsigned i = 0; i < count; i += 2) {
        uint64_t bits = draw(g);
        words[i] = (uint32_t)bits;
        words[i + 1] = (uint32_t)(bits >> 32);
    }
}
static inline struct generator load(const unsigned *state)
{
    return (struct generator){ state[0] | (uint64_t)state[1] << 32, state[2] | (uint64_t)state[3] << 32 };
}
static inline void store(unsigned *state, struct generator g)
{
    state[0] = (unsigned)g.a, state[1] = (unsigned)(g.a >> 32), state[2] = (unsigned)g.b,
    state[3] = (unsigned)(g.b >> 32);
}

/* [0, 1), in steps of 2^-24. */
static inline float unit(uint32_t word)
{
    return (float)(int)(word >> 8) * 5.96046448e-8f;
}
/* Cosine and sine of an angle in turns: polynomials for at most an eighth of a turn, with quadrants swapped and
 * negated. */
static inline void cos_sin(float turns, float *cosine, float *sine)
{
    int quarter = (int)(turns * 4.0f + 0.5f);
    float t = (turns - 0.25f * (float)quarter) * 6.28318531f, z = t * t;
    float c = 1.0f + z * (-0.5f + z * (4.16666667e-2f + z * (-1.38888889e-3f + z * 2.48015873e-5f)));
    float s = t * (1.0f + z * (-1.66666667e-1f + z * (8.33333333e-3f + z * -1.98412698e-4f)));
    float x = quarter & 1 ? s : c, y = quarter & 1 ? c : s;
    *cosine = (quarter + 1) & 2 ? -x : x;
    *sine = quarter & 2 ? -y : y;
}
/* Draws count values of the standard normal distribution (Box and Muller), up to 5.8 standard deviations from the
 * mean. */
static void draw_normal(struct generator *g, float *values, unsigned count)
{
    uint32_t words[BLOCK];
    unsigned half = (count + 1) / 2;
    draw_words(g, words, 2 * half);
    for (unsigned i = 0; i < half; ++i) {
        float radius = __builtin_sqrtf(-2.0f * popops_logf(1.0f - unit(words[i]))), c, s;
        cos_sin(unit(words[half + i]), &c, &s);
        values[i] = radius * c;
        values[half + i] = radius * s;
    }
}
/* The same with |value| <= alpha: values further out are drawn again, at most `iterations` times in total, and then
 * from a triangular distribution. */
static void draw_truncated(struct generator *g, float *values, unsigned count, float alpha, unsigned iterations)
{
    draw_normal(g, values, count);
    for (unsigned i = 0; i < count; ++i) {
        float again[2] = { values[i], values[i] };
        unsigned tries = 1;
        while (!(again[0] >= -alpha && again[0] <= alpha) && tries++ < iterations) {
            if (tries & 1)
                again[0] = again[1];
            else
                draw_normal(g, again, 2);
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
        poprand_philox(words, v->seed.data[0], v->seed.data[1]);
        for (unsigned i = 0; i < 4; ++i) /* an all-zero state would never change */
            v->state.data[4 * worker + i] = words[i] | (i == 0 && !(words[0] | words[1] | words[2] | words[3]));
    }
}

/* ---- distributions: fill count values, at most BLOCK ---- */

/* Uniform between low and high, which are values of the type. */
static inline void fill_uniform(struct generator *g, float *values, unsigned count, float low, float high)
{
    uint32_t words[BLOCK];
    draw_words(g, words, count);
    for (unsigned i = 0; i < count; ++i) {
        float u = unit(words[i]);
        values[i] = popops_clampf(low * (1.0f - u) + high * u, low, high);
    }
}
/* Uniform logarithms. */
static inline void fill_log_uniform(struct generator *g, float *values, unsigned count, const float range[2],
                                    const float logs[2])
{
    uint32_t words[BLOCK];
    draw_words(g, words, count);
    for (unsigned i = 0; i < count; ++i) {
        float u = unit(words[i]);
        values[i] = popops_clampf(popops_expf(logs[0] * (1.0f - u) + logs[1] * u), range[0], range[1]);
    }
}
/* keep: the probability in units of 2^-32. */
static inline void fill_bernoulli(struct generator *g, float *values, unsigned count, unsigned long long keep)
{
    uint32_t words[BLOCK];
    draw_words(g, words, count);
    for (unsigned i = 0; i < count; ++i)
        values[i] = words[i] < keep ? 1.0f : 0.0f;
}
static inline void fill_normal(struct generator *g, float *values, unsigned count, float mean, float deviation)
{
    draw_normal(g, values, count);
    for (unsigned i = 0; i < count; ++i)
        values[i] = values[i] * deviation + mean;
}
static inline void clamp_normal(float *values, unsigned count, float mean, float deviation, float low, float high)
{
    for (unsigned i = 0; i < count; ++i)
        values[i] = popops_clampf(values[i] * deviation + mean, low, high);
}
/* Replaces dropped values by zeros, and scales the others. */
static inline void drop(struct generator *g, float *values, unsigned count, unsigned long long keep, float scale)
{
    uint32_t words[BLOCK];
    draw_words(g, words, count);
    for (unsigned i = 0; i < count; ++i) {
        float scaled = values[i] * scale;
        values[i] = words[i] < keep ? scaled : 0.0f;
    }
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
#define FILL     fill_uniform(&g, values, m, v->low, v->high)
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
    size_t n = v->out.size, workers = v->state.size / 4;
    for (size_t worker = 0; worker < workers; ++worker) {
        struct generator g = load(v->state.data + 4 * worker);
        for (size_t at = n * worker / workers, end = n * (worker + 1) / workers; at < end; at += BLOCK) {
            uint32_t words[BLOCK];
            unsigned m = end - at < BLOCK ? (unsigned)(end - at) : BLOCK;
            draw_words(&g, words, m);
            for (unsigned i = 0; i < m; ++i)
                v->out.data[at + i] = (int)((unsigned)v->low + (unsigned)((v->count * words[i]) >> 32));
        }
        store(v->state.data + 4 * worker, g);
    }
}

#define NAME     LogUniform
#define FIELDS   float low, high, lowLog, highLog;
#define FILL     fill_log_uniform(&g, values, m, (float[]){ v->low, v->high }, (float[]){ v->lowLog, v->highLog })
#define TYPES    (POPLIBS_FLOATING | POPLIBS_INT)
#define TEMPLATE "poprand/random_typed.h"
#include "poplibs/each_type.h"
#undef NAME
#undef FIELDS
#undef FILL

#define NAME     Bernoulli
#define FIELDS   unsigned long long keep;
#define FILL     fill_bernoulli(&g, values, m, v->keep)
#define TYPES    (POPLIBS_FLOATING | POPLIBS_INT)
#define TEMPLATE "poprand/random_typed.h"
#include "poplibs/each_type.h"
#undef NAME
#undef FIELDS
#undef FILL

#define NAME     Normal
#define FIELDS   float mean, stdDev;
#define FILL     fill_normal(&g, values, m, v->mean, v->stdDev)
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
    draw_truncated(&g, values, m, v->alpha, v->iterations);                                                            \
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
    TYPED(get)(values, v->in.data + at, m);                                                                            \
    drop(&g, values, m, v->keep, v->scale)
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

void poprand_random_vertices(pop_graph *graph)
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
