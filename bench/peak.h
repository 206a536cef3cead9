/* SPDX-License-Identifier: Apache-2.0 */
/* Peak performance of the machine's fused multiply-add units, without waiting for memory: a loop over registers, on
 * each of a number of threads. */
#ifndef BENCH_PEAK_H
#define BENCH_PEAK_H

/* 10^9 operations per second (a multiply-add is two), over about 10 ms of each thread's processor time. */
double peak_gflops(unsigned threads);

#endif
