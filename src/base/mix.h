/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_MIX_H
#define BASE_MIX_H

#include <stdint.h>

/* Hash of a number (splitmix64): neighbours give unrelated results. */
static inline uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

#endif
