/* SPDX-License-Identifier: Apache-2.0 */
#include "peak.h"

#include <immintrin.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 1 << 22, SUMS = 10, MOST_THREADS = 256 };

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
struct worker {
    pthread_t thread;
    double gflops;
};
/* In its own processor time. */
static void *work(void *user)
{
    struct worker *worker = user;
    bool is_wide = __builtin_cpu_supports("avx512f");
    struct timespec start, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    sink = is_wide ? loop_16(0.5f) : loop_8(0.5f);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    double seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9;
    worker->gflops = 2.0 * STEPS * SUMS * (is_wide ? 16 : 8) / seconds / 1e9;
    return NULL;
}

double peak_gflops(unsigned threads)
{
    struct worker workers[MOST_THREADS];
    double sum = 0;
    threads = threads < MOST_THREADS ? threads : MOST_THREADS;
    for (unsigned i = 1; i < threads; ++i)
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            exit(1);
    work(&workers[0]);
    for (unsigned i = 1; i < threads; ++i)
        pthread_join(workers[i].thread, NULL);
    for (unsigned i = 0; i < threads; ++i)
        sum += workers[i].gflops;
    return sum;
}
