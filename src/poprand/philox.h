/* SPDX-License-Identifier: Apache-2.0 */
/* Philox 4x32 with 10 rounds (Salmon et al., 2011): four words of random bits from a counter and a key, without
 * state. Different counters give different words. */
#ifndef POPRAND_PHILOX_H
#define POPRAND_PHILOX_H

#include <stdint.h>

static inline void philox(uint32_t words[4], uint32_t key0, uint32_t key1)
{
    for (int round = 0; round < 10; ++round) {
        uint64_t a = (uint64_t)0xd2511f53u * words[0], b = (uint64_t)0xcd9e8d57u * words[2];
        uint32_t second = words[1], fourth = words[3];
        words[0] = (uint32_t)(b >> 32) ^ second ^ key0;
        words[1] = (uint32_t)b;
        words[2] = (uint32_t)(a >> 32) ^ fourth ^ key1;
        words[3] = (uint32_t)a;
        key0 += 0x9e3779b9u;
        key1 += 0xbb67ae85u;
    }
}

#endif
