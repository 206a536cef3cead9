/* SPDX-License-Identifier: Apache-2.0 */
#include "peak.h"

#include "bench.h"

#include <immintrin.h>
#include <pthread.h>
#include <string.h>

enum { STEPS = 1 << 23, SUMS = 10, MOST_THREADS = 256 };

/* SUMS chains: more than a unit's latency times the number of units. */
#define LOOP(name, level, vector, lanes, spread, multiply_add)                                                         \
    __attribute__((target(level))) static double name(float seed)                                                      \
    {                                                                                                                  \
        vector sums[SUMS], a = spread(seed), b = spread(1 - seed);                                                     \
        for (int i = 0; i < SUMS; ++i)                                                                                 \
            sums[i] = spread((float)i);                                                                                \
        for (int step = 0; step < STEPS; ++step) {                                                                     \
            _Pragma("GCC unroll 10") for (int i = 0; i < SUMS; ++i) sums[i] = multiply_add(sums[i], a, b);             \
            __asm__ volatile("" : "+v"(a), "+v"(b)); /* the loop stays one */                                          \
        }                                                                                                              \
        float all[SUMS * (lanes)];                                                                                     \
        memcpy(all, sums, sizeof(all));                                                                                \
        double total = 0;                                                                                              \
        for (int i = 0; i < SUMS * (lanes); ++i)                                                                       \
            total += (double)all[i];                                                                                   \
        return total;                                                                                                  \
    }
LOOP(loop_16, "avx512f", __m512, 16, _mm512_set1_ps, _mm512_fmadd_ps)
LOOP(loop_8, "avx2,fma", __m256, 8, _mm256_set1_ps, _mm256_fmadd_ps)

static volatile double sink;
static void *work(void *wide)
{
    sink = wide ? loop_16(0.5f) : loop_8(0.5f);
    return NULL;
}

double peak_gflops(unsigned threads)
{
    pthread_t others[MOST_THREADS];
    threads = threads < MOST_THREADS ? threads : MOST_THREADS;
    int is_wide = __builtin_cpu_supports("avx512f");
    void *wide = is_wide ? others : NULL;
    double start = bench_seconds();
    for (unsigned i = 1; i < threads; ++i)
        pthread_create(&others[i], NULL, work, wide);
    work(wide);
    for (unsigned i = 1; i < threads; ++i)
        pthread_join(others[i], NULL);
    return 2.0 * threads * STEPS * SUMS * (is_wide ? 16 : 8) / (bench_seconds() - start) / 1e9;
}
