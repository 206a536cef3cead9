/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bits.h"

#include <string.h>

/* Masks of the first and of the last word of [begin, end); a range within one word takes both. */
static uint64_t head_mask(uint64_t begin)
{
    return ~(uint64_t)0 << (begin & 63);
}
static uint64_t tail_mask(uint64_t end)
{
    return ~(uint64_t)0 >> (63 - ((end - 1) & 63));
}

/* Sets the bits of a mask, which are neighbours.  Mostly all of them are fresh, or none: then nothing is counted. */
static uint64_t word_set(uint64_t *word, uint64_t mask)
{
    uint64_t fresh = mask & ~*word;
    if (!fresh)
        return 0;
    *word |= mask;
    return (uint64_t)(fresh == mask ? 64 - __builtin_clzll(mask) - __builtin_ctzll(mask) : __builtin_popcountll(fresh));
}

uint64_t bits_set(uint64_t *bits, uint64_t begin, uint64_t end)
{
    if (begin >= end)
        return 0;
    uint64_t first = begin >> 6, last = (end - 1) >> 6;
    if (first == last)
        return word_set(&bits[first], head_mask(begin) & tail_mask(end));
    uint64_t fresh = word_set(&bits[first], head_mask(begin));
    for (uint64_t i = first + 1; i < last; ++i)
        fresh += word_set(&bits[i], ~(uint64_t)0);
    return fresh + word_set(&bits[last], tail_mask(end));
}

void bits_clear(uint64_t *bits, uint64_t begin, uint64_t end)
{
    if (begin >= end)
        return;
    uint64_t first = begin >> 6, last = (end - 1) >> 6;
    if (first == last) {
        bits[first] &= ~(head_mask(begin) & tail_mask(end));
        return;
    }
    bits[first] &= ~head_mask(begin);
    if (last > first + 1)
        memset(bits + first + 1, 0, (last - first - 1) * sizeof(*bits));
    bits[last] &= ~tail_mask(end);
}

bool bits_any(const uint64_t *bits, uint64_t begin, uint64_t end)
{
    if (begin >= end)
        return false;
    uint64_t first = begin >> 6, last = (end - 1) >> 6;
    if (first == last)
        return bits[first] & head_mask(begin) & tail_mask(end);
    if (bits[first] & head_mask(begin) || bits[last] & tail_mask(end))
        return true;
    for (uint64_t i = first + 1; i < last; ++i)
        if (bits[i])
            return true;
    return false;
}

bool bits_all(const uint64_t *bits, uint64_t begin, uint64_t end)
{
    if (begin >= end)
        return true;
    uint64_t first = begin >> 6, last = (end - 1) >> 6;
    if (first == last)
        return !(~bits[first] & head_mask(begin) & tail_mask(end));
    if (~bits[first] & head_mask(begin) || ~bits[last] & tail_mask(end))
        return false;
    for (uint64_t i = first + 1; i < last; ++i)
        if (~bits[i])
            return false;
    return true;
}

uint64_t bits_run(const uint64_t *bits, uint64_t begin, uint64_t end)
{
    uint64_t first = bits[begin >> 6] >> (begin & 63) & 1 ? ~(uint64_t)0 : 0, at = begin;
    while (at < end) {
        uint64_t other = (bits[at >> 6] ^ first) >> (at & 63);
        if (other) {
            at += (unsigned)__builtin_ctzll(other);
            return at < end ? at : end;
        }
        at = (at | 63) + 1;
    }
    return end;
}
