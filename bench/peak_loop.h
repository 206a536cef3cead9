/* SPDX-License-Identifier: Apache-2.0 */
/* A loop of multiply-and-adds on vectors: template of peak.c for NAME, LEVEL, VECTOR, LANES, SPREAD and MULTIPLY_ADD.
 */
__attribute__((target(LEVEL))) static double NAME(float seed)
{
    VECTOR sums[SUMS], a = SPREAD(seed), b = SPREAD(1 - seed);
    for (int i = 0; i < SUMS; ++i)
        sums[i] = SPREAD((float)i);
    for (int step = 0; step < STEPS; ++step) {
#pragma GCC unroll 10
        for (int i = 0; i < SUMS; ++i)
            sums[i] = MULTIPLY_ADD(sums[i], a, b);
        __asm__ volatile("" : "+v"(a), "+v"(b)); /* keeps the loop a single one */
    }
    float all[SUMS * LANES];
    memcpy(all, sums, sizeof(all));
    double total = 0;
    for (int i = 0; i < SUMS * LANES; ++i)
        total += (double)all[i];
    return total;
}
