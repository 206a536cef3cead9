/* SPDX-License-Identifier: Apache-2.0 */
#include "step_tiles.h"

enum { MAX_KEPT_BYTES = 48 << 20, MAX_KEPT = 4096 };

static uint64_t step_tiles_count(const struct lod *lod)
{
    return (uint64_t)lod->ipus * lod->tiles_per_ipu;
}

struct tile_times step_tiles_begin(const struct lod *lod, pva_file *file)
{
    struct tile_times times = { .lod = lod, .file = file, .count = 1 };
    while (times.count < MAX_KEPT && times.count * 2 * step_tiles_count(lod) * 16 <= MAX_KEPT_BYTES)
        times.count *= 2;
    times.kept = mem_zero(times.count, sizeof(*times.kept));
    return times;
}

void step_tiles_end(struct tile_times *times)
{
    for (size_t i = 0; i < times->count; ++i)
        free(times->kept[i].from);
    free(times->kept);
}

const struct tile_step *step_tiles(struct tile_times *times, uint64_t step)
{
    const struct lod *lod = times->lod;
    uint64_t count = step_tiles_count(lod);
    uint32_t pattern = lod->pattern[step], program = lod->program[step];
    struct tile_step *kept = &times->kept[(pattern * 2654435761u ^ program) & (times->count - 1)];
    if (kept->from && kept->pattern == pattern && kept->program == program)
        return kept;
    if (!kept->from) {
        kept->from = mem_zero(2 * count + 1, sizeof(*kept->from));
        kept->to = kept->from + count;
    }
    kept->pattern = pattern;
    kept->program = program;
    pva_object object = pva_at(pva_get(pva_root(times->file), PVA_REPORT_EXECUTION), PVA_EXECUTION_STEPS, step);
    pva_numbers(object, PVA_STEP_FROM_BY_TILE, 0, count, (uint64_t *)kept->from);
    pva_numbers(object, PVA_STEP_TO_BY_TILE, 0, count, (uint64_t *)kept->to);
    if (pva_failed(times->file)) {
        free(kept->from);
        kept->from = NULL;
        return NULL;
    }
    for (uint64_t tile = 0; tile < count; ++tile) {
        uint64_t base = lod_base(lod, step, (unsigned)(tile / lod->tiles_per_ipu)) - (uint64_t)lod_shift(lod, step);
        kept->from[tile] = (int64_t)((uint64_t)kept->from[tile] - base);
        kept->to[tile] = (int64_t)((uint64_t)kept->to[tile] - base);
    }
    return kept;
}
