/* SPDX-License-Identifier: Apache-2.0 */
#include "bare.h"

bare_compute bare_dot_compute(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512vl");
    return v4 ? bare_dot_4 : v3 ? bare_dot_3 : bare_dot_1;
#else
    return bare_dot_1;
#endif
}

void bare_run(bare_compute compute, struct bare_dot *states, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        compute(&states[i]);
}
