/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of bits in an array of words: bit i is bit i % 64 of word i / 64. */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>

/* Sets [begin, end) and returns how many of the bits were 0 before. */
uint64_t bits_set(uint64_t *bits, uint64_t begin, uint64_t end);
void bits_clear(uint64_t *bits, uint64_t begin, uint64_t end);
bool bits_any(const uint64_t *bits, uint64_t begin, uint64_t end);
bool bits_all(const uint64_t *bits, uint64_t begin, uint64_t end);
/* End of the run of bits equal to bit `begin`, at most `end`. */
uint64_t bits_run(const uint64_t *bits, uint64_t begin, uint64_t end);

#endif
