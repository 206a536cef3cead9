/* SPDX-License-Identifier: Apache-2.0 */
/* A track next to the lanes of IPUs: live memory. */
#include "trace.h"

#include <math.h>

static unsigned pixel_of(const struct window *window, double cycle)
{
    double width = (window->to - window->from) / window->pixels,
           at = width > 0 ? floor((cycle - window->from) / width) : 0;
    return at < 0 ? 0 : at >= window->pixels ? window->pixels - 1 : (unsigned)at;
}

/* Raises the maximum of live bytes in all pixels that a time interval covers. */
static void raise(const struct window *window, float *live, double from, double to, double bytes)
{
    if (to < window->from || from > window->to)
        return;
    for (unsigned pixel = pixel_of(window, from), last = pixel_of(window, to); pixel <= last; ++pixel)
        live[pixel] = (float)bytes > live[pixel] ? (float)bytes : live[pixel];
}

pop_status trace_memory(const struct request *request, struct answer *answer, pop_error *error)
{
    struct window window;
    if (!window_of(request, &window, error))
        return error->status;
    const struct lod *lod = window.lod;
    float *live = mem_zero(window.pixels, sizeof(*live));
    double width = (window.to - window.from) / window.pixels, max = 0;
    for (uint64_t i = lod_first_bucket(lod, window.ipu, window.from);
         lod->ipus && i < lod->buckets && lod_bucket(lod, window.ipu, i)->begin <= window.to; ++i) {
        const struct bucket *bucket = lod_bucket(lod, window.ipu, i);
        if (bucket->from > bucket->to)
            continue;
        if (bucket->to - bucket->from < width) {
            raise(&window, live, bucket->from, bucket->to, bucket->live);
            continue;
        }
        uint64_t first = i * BUCKET_STEPS, end = first + BUCKET_STEPS < lod->steps ? first + BUCKET_STEPS : lod->steps;
        for (uint64_t step = first; step < end; ++step) {
            double from, to;
            if (lod_extent(lod, step, window.ipu, &from, &to))
                raise(&window, live, from, to, lod->of_program[lod->program[step]].live);
        }
    }
    for (uint32_t i = 0; i < lod->programs; ++i)
        max = lod->of_program[i].live > max ? lod->of_program[i].live : max;
    answer_column(answer, "live", COLUMN_F32, live, window.pixels);
    answer_meta(answer, json_pack("{s:f, s:f, s:f, s:f}", "from", window.from, "to", window.to, "alwaysLive",
                                  lod->always_live, "max", max));
    free(live);
    window_free(&window);
    return POP_OK;
}
