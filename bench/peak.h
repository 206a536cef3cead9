/* SPDX-License-Identifier: Apache-2.0 */
/* What the machine's fused multiply-add units do when they have nothing to wait for: a loop over registers, on each of
 * so many threads. */
#ifndef BENCH_PEAK_H
#define BENCH_PEAK_H

/* 10^9 operations a second (a multiply-add is two), over about 10 ms of each thread's processor time. */
double peak_gflops(unsigned threads);

#endif
