/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/behave.h"
#include "engine/execute.h"
#include "engine/state.h"

#include "base/mix.h"
#include "base/str.h"

#include <math.h>
#include <poplar/text.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Bits of float and half. */
#define FLOAT_INFINITY UINT32_C(0x7f800000)
#define HALF_NAN       UINT16_C(0x7e00)
#define HALF_INFINITY  UINT16_C(0x7c00)
#define HALF_LARGEST   UINT16_C(0x7bff)

void behave_load(struct replica *replica)
{
    const pop_engine *engine = replica->engine;
    const struct image *image = engine->image;
    if (!image->registers.count)
        return;
    const struct image_registers *r = image->registers.data;
    const char *seed = engine->settings.seed;
    uint32_t *seeds = (uint32_t *)(void *)(replica->storage + r->seeds),
             *flags = (uint32_t *)(void *)(replica->storage + r->flags);
    uint64_t number;
    if (r->seeds && seed && str_integer(seed, UINT64_MAX, &number))
        for (uint64_t i = 0; i < (uint64_t)r->tiles * r->seed_words; ++i)
            seeds[i] = (uint32_t)mix(mix(number) + i);
    if (r->flags && engine->settings.stochastic_rounding)
        for (uint32_t tile = 0; tile < r->tiles; ++tile)
            flags[tile * IMAGE_FLAGS + IMAGE_FLAG_ESR] = 1;
}

void behave_begin_set(struct behave *behave, const struct replica *replica, const struct image_set *set)
{
    const pop_engine *engine = replica->engine;
    const struct image_registers *r = engine->image->registers.data;
    *behave = (struct behave){ .image = engine->image,
                               .set = set,
                               .flags = (const uint32_t *)(const void *)(replica->storage + r->flags),
                               .uniform = true };
    behave->no_random = !engine->settings.random;
    const size_t row = IMAGE_FLAGS * sizeof(uint32_t);
    behave->uniform = r->tiles < 2 || memcmp(behave->flags, behave->flags + IMAGE_FLAGS, row * (r->tiles - 1)) == 0;
    for (uint32_t tile = 0; tile < (behave->uniform ? 1 : r->tiles) && !behave->no_random; ++tile)
        behave->random |= behave->flags[tile * IMAGE_FLAGS + IMAGE_FLAG_ESR] != 0;
    if (behave->random && r->seeds)
        behave->seed = XXH3_64bits(replica->storage + r->seeds, (size_t)r->tiles * r->seed_words * sizeof(uint32_t));
}

/* Advances each generator by one step of xorshift128. */
void behave_end_set(const struct behave *behave, struct replica *replica)
{
    const struct image_registers *r = replica->engine->image->registers.data;
    if (!behave->random || !r->seeds)
        return;
    uint32_t *words = (uint32_t *)(void *)(replica->storage + r->seeds);
    for (uint64_t i = 0; i < (uint64_t)r->tiles * r->seed_words; i += 4, words += 4) {
        uint32_t t = words[3] ^ words[3] << 11;
        words[3] = words[2];
        words[2] = words[1];
        words[1] = words[0];
        words[0] ^= words[0] >> 19 ^ t ^ t >> 8;
        if (!(words[0] | words[1] | words[2] | words[3]))
            words[0] = 1;
    }
}

const uint32_t *behave_flags(const struct behave *behave, uint64_t vertex)
{
    return behave->flags +
           (behave->uniform
                ? 0
                : (size_t)behave->image->vertex_tiles.data[behave->set->first_vertex_tile + vertex] * IMAGE_FLAGS);
}

/* Clears pending exception flags first, so that earlier code's exceptions are not attributed to this vertex. */
static void take_exceptions(const uint32_t *flags)
{
    int wanted = (flags[IMAGE_FLAG_INV] ? FE_INVALID : 0) | (flags[IMAGE_FLAG_DIV0] ? FE_DIVBYZERO : 0) |
                 (flags[IMAGE_FLAG_OFLO] ? FE_OVERFLOW : 0);
    feclearexcept(FE_ALL_EXCEPT);
    fedisableexcept(FE_ALL_EXCEPT & ~wanted);
    feenableexcept(wanted);
}

void behave_begin(struct behave_thread *thread, uint64_t first)
{
    fegetenv(&thread->before);
    thread->seen = NULL;
    thread->first = first;
    take_exceptions(behave_flags(thread->set, first));
}

void behave_vertex(struct behave_thread *thread, uint64_t vertex)
{
    take_exceptions(behave_flags(thread->set, vertex));
}

void behave_end(struct behave_thread *thread)
{
    fesetenv(&thread->before);
}

/* Each vertex has its own random sequence, independent of the thread that runs it. */
static void meet_vertex(struct behave_thread *thread, const struct codelet_call *call)
{
    uint64_t vertex =
        thread->first +
        (uint64_t)((const unsigned char *)call->current - (const unsigned char *)call->states) / call->stride;
    thread->flags = behave_flags(thread->set, vertex);
    thread->random = mix(thread->set->seed ^ mix(vertex));
    thread->seen = call->current;
}

static uint16_t overflow(struct execute_frame *frame, float value)
{
    char text[96];
    if (frame->behave.flags[IMAGE_FLAG_OFLO]) {
        pop_text_format(text, sizeof(text), "it overflowed: %g is beyond half, and the exception oflo is on",
                        (double)value);
        frame->call.fail(&frame->call, text, NULL, 0);
    }
    uint16_t bits = frame->behave.flags[IMAGE_FLAG_NANOO] ? HALF_NAN : HALF_LARGEST;
    return (uint16_t)(bits | (signbit(value) ? 0x8000 : 0));
}

/* Rounds a finite float's magnitude to half. Below the smallest normal half the last place is 2^-24. The bits that are
 * cut off are a fraction of the last place: random rounds up with that probability, otherwise to nearest, ties to even.
 */
static uint32_t narrowed(uint32_t magnitude, bool random, uint64_t drawn)
{
    uint32_t exponent = magnitude >> 23, mantissa = exponent ? (magnitude & 0x7fffff) | 0x800000 : magnitude & 0x7fffff;
    bool normal = exponent >= 113;
    unsigned cut = normal ? 13 : 13 + 113 - (exponent ? exponent : 1);
    if (cut > 40)
        cut = 40; /* below the resolution of any draw */
    uint64_t add =
        random ? drawn >> (64 - cut) : ((UINT64_C(1) << (cut - 1)) - 1) + (mantissa >> (cut < 32 ? cut : 31) & 1);
    uint32_t kept = (uint32_t)((mantissa + add) >> cut);
    return normal ? kept + ((exponent - 113) << 10) : kept;
}

uint16_t behave_narrow(struct codelet_call *call, float value)
{
    struct execute_frame *frame = (struct execute_frame *)(void *)call;
    struct behave_thread *thread = &frame->behave;
    uint32_t bits;
    if (thread->seen != call->current)
        meet_vertex(thread, call);
    memcpy(&bits, &value, sizeof(bits));
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude >= FLOAT_INFINITY)
        return sign | (magnitude == FLOAT_INFINITY ? HALF_INFINITY : HALF_NAN);
    bool random = thread->flags[IMAGE_FLAG_ESR] && !thread->set->no_random;
    uint64_t drawn = random ? mix(thread->random++) : 0;
    uint32_t half = magnitude >= UINT32_C(0x47800000) ? HALF_INFINITY : narrowed(magnitude, random, drawn);
    return half >= HALF_INFINITY ? overflow(frame, value) : (uint16_t)(sign | half);
}
