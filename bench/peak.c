/* SPDX-License-Identifier: Apache-2.0 */
#include "peak.h"

#include <immintrin.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 1 << 22, SUMS = 10, MAX_THREADS = 256 };

/* SUMS chains: more than a unit's latency times the number of units. */
#define NAME         loop_16
#define LEVEL        "avx512f"
#define VECTOR       __m512
#define LANES        16
#define SPREAD       _mm512_set1_ps
#define MULTIPLY_ADD _mm512_fmadd_ps
#include "peak_loop.h"
#undef NAME
#undef LEVEL
#undef VECTOR
#undef LANES
#undef SPREAD
#undef MULTIPLY_ADD

#define NAME         loop_8
#define LEVEL        "avx2,fma"
#define VECTOR       __m256
#define LANES        8
#define SPREAD       _mm256_set1_ps
#define MULTIPLY_ADD _mm256_fmadd_ps
#include "peak_loop.h"
#undef NAME
#undef LEVEL
#undef VECTOR
#undef LANES
#undef SPREAD
#undef MULTIPLY_ADD

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
    struct worker workers[MAX_THREADS];
    double sum = 0;
    threads = threads < MAX_THREADS ? threads : MAX_THREADS;
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
