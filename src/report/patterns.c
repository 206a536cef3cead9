/* SPDX-License-Identifier: Apache-2.0 */
/* Deduplicates rows by hash tables of recent rows. A full table is cleared, which bounds memory: later equal rows
 * are then written once more. */
#include "report/patterns.h"

enum { KEPT_PATTERNS = 1 << 16, KEPT_DRIFTS = 1 << 12 };

struct kept_pattern {
    struct step_pattern pattern; /* its shifts are in patterns.shifts */
    int64_t id;
};
struct patterns {
    struct report *report;
    struct clock *clock;
    unsigned ipus, tiles; /* tiles: of one IPU */
    bool by_ipu;          /* no arrays: cycles are of IPUs, not of tiles */
    VEC(struct kept_pattern) kept;
    VEC(uint64_t) shifts; /* by pattern, then IPU */
    uint32_t *slots;      /* hash -> pattern + 1; twice as many slots as patterns are kept */
    int64_t next_pattern, next_array, next_drift;
    VEC(int64_t) work_arrays; /* by work: id + 1 of the array of its cycles; later works have none yet */
    uint8_t *takes;           /* by tile: whether it takes part in the work takes_of */
    uint32_t takes_of;
    uint64_t *drifts;   /* by slot, then IPU: bases relative to the first IPU's */
    int64_t *drift_ids; /* by slot; 0: empty */
};

struct patterns *patterns_create(struct report *report, struct clock *clock)
{
    struct patterns *p = MEM_NEW(struct patterns);
    p->report = report;
    p->clock = clock;
    p->ipus = clock->ipus;
    p->tiles = clock->tiles;
    p->by_ipu = instruments_one_tile(&report->instrumentation);
    p->slots = mem_zero(2 * KEPT_PATTERNS, sizeof(*p->slots));
    p->takes = mem_zero((size_t)p->ipus * p->tiles + 1, 1);
    p->takes_of = UINT32_MAX;
    p->drifts = mem_zero((size_t)KEPT_DRIFTS * p->ipus, sizeof(*p->drifts));
    p->drift_ids = mem_zero(KEPT_DRIFTS, sizeof(*p->drift_ids));
    p->next_drift = 1; /* 0 means none */
    return p;
}

void patterns_free(struct patterns *p)
{
    vec_free(&p->kept);
    vec_free(&p->shifts);
    free(p->slots);
    vec_free(&p->work_arrays);
    free(p->takes);
    free(p->drifts);
    free(p->drift_ids);
    free(p);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* ---- arrays ---- */

int64_t patterns_array(struct patterns *p, const uint64_t *values)
{
    struct array *array = &p->report->array;
    if (p->by_ipu)
        return p->next_array++;
    array_of(array, values, (size_t)p->ipus * p->tiles);
    const void *data = array->bytes.count ? (const void *)array->bytes.data : "";
    database_add(p->report->db, TABLE_ARRAYS, "ibnn", p->next_array, data, array->bytes.count);
    return p->next_array++;
}

static int64_t work_array(struct patterns *p, uint32_t number)
{
    struct array *array = &p->report->array;
    struct clock_work work = work_at(p->clock->model, p->clock->costs, number);
    uint32_t at = 0;
    while (p->work_arrays.count <= number)
        *vec_push(&p->work_arrays) = 0;
    if (p->work_arrays.data[number])
        return p->work_arrays.data[number] - 1;
    array_begin(array);
    for (size_t i = 0; i < work.count; ++i) {
        struct span span = work_span(&work, i);
        array_add(array, 0, span.tile - at);
        array_add(array, span.cycles, span.tiles);
        at = span.tile + span.tiles;
    }
    array_end(array);
    const void *data = array->bytes.count ? (const void *)array->bytes.data : "";
    database_add(p->report->db, TABLE_ARRAYS, "ibnn", p->next_array, data, array->bytes.count);
    p->work_arrays.data[number] = p->next_array + 1;
    return p->next_array++;
}

int64_t patterns_sum(struct patterns *p, int64_t parent, uint32_t work)
{
    if (p->by_ipu)
        return p->next_array++;
    int64_t plus = work_array(p, work);
    database_add(p->report->db, TABLE_ARRAYS, "inii", p->next_array, parent, plus);
    return p->next_array++;
}

/* ---- figures ---- */

/* Sets p->takes: the tiles that spend cycles in a work. */
static void find_taking(struct patterns *p, uint32_t number)
{
    if (p->takes_of == number)
        return;
    struct clock_work work = work_at(p->clock->model, p->clock->costs, number);
    memset(p->takes, 0, (size_t)p->ipus * p->tiles);
    for (size_t i = 0; i < work.count; ++i) {
        struct span span = work_span(&work, i);
        if (span.cycles)
            memset(p->takes + span.tile, 1, span.tiles);
    }
    p->takes_of = number;
}

struct pattern_range {
    uint64_t min, max;
};

static void widen(struct pattern_range *range, uint64_t value)
{
    range->min = value < range->min ? value : range->min;
    range->max = value > range->max ? value : range->max;
}

struct ipu_figures {
    uint64_t cycles, sum, active;
    struct pattern_range active_from, active_to, from, to;
};

static struct ipu_figures figures_of(const struct patterns *p, const struct step_pattern *pattern,
                                     struct pattern_offsets offsets, unsigned ipu)
{
    const struct pattern_range none = { UINT64_MAX, 0 };
    struct ipu_figures f = { .active_from = none, .active_to = none, .from = none, .to = none };
    uint64_t shift = pattern->shift ? pattern->shift[ipu] : 0;
    for (size_t t = (size_t)ipu * p->tiles, end = t + p->tiles; t < end; ++t) {
        bool in = pattern->sync == PATTERN_ALL || (p->takes[t] != 0) == (pattern->sync == PATTERN_TAKING);
        uint64_t from = offsets.start[t], to = in ? offsets.end[t] + shift : from, cycles = to - from;
        widen(&f.from, from);
        widen(&f.to, to);
        if (!cycles)
            continue;
        widen(&f.active_from, from);
        widen(&f.active_to, to);
        f.cycles = cycles > f.cycles ? cycles : f.cycles;
        f.sum += cycles;
        ++f.active;
    }
    if (!f.active) {
        f.active_from = f.from;
        f.active_to = f.to;
    }
    return f;
}

/* Bytes that an exchange moves to and from the tiles of an IPU. */
static void data_of(const struct patterns *p, const struct step_pattern *pattern, unsigned ipu, uint64_t *in,
                    uint64_t *out)
{
    *in = *out = 0;
    if (!pattern->moves)
        return;
    struct clock_work work = work_at(p->clock->model, p->clock->costs, pattern->work);
    uint32_t first = ipu * p->tiles, last = first + p->tiles;
    for (size_t i = 0; work.flows && i < work.count; ++i) {
        const struct model_flow *flow = work.flows + i;
        uint32_t begin = flow->tile > first ? flow->tile : first,
                 end = flow->tile + flow->tiles < last ? flow->tile + flow->tiles : last;
        if (begin >= end)
            continue;
        *in += flow->received * (end - begin);
        *out += flow->sent * (end - begin);
    }
}

static void write_pattern(struct patterns *p, const struct step_pattern *pattern, struct pattern_offsets offsets)
{
    struct database *db = p->report->db;
    if (pattern->sync != PATTERN_ALL)
        find_taking(p, pattern->work);
    database_add(db, TABLE_PATTERNS, p->by_ipu ? "ixxi" : "iiii", p->next_pattern, pattern->start, pattern->end,
                 (int64_t)pattern->sync);
    for (unsigned ipu = 0; ipu < p->ipus; ++ipu) {
        struct ipu_figures f = figures_of(p, pattern, offsets, ipu);
        uint64_t in, out;
        data_of(p, pattern, ipu, &in, &out);
        database_add(db, TABLE_PATTERN_IPUS, "iiiiiiiiiiiiiiii", p->next_pattern, (int64_t)ipu,
                     (int64_t)(pattern->shift ? pattern->shift[ipu] : 0), (int64_t)f.cycles, (int64_t)f.sum,
                     (int64_t)f.active, (int64_t)f.active_from.min, (int64_t)f.active_from.max,
                     (int64_t)f.active_to.min, (int64_t)f.active_to.max, (int64_t)f.from.min, (int64_t)f.from.max,
                     (int64_t)f.to.min, (int64_t)f.to.max, (int64_t)in, (int64_t)out);
    }
}

/* ---- deduplication ---- */

static uint64_t hash_pattern(const struct patterns *p, const struct step_pattern *pattern)
{
    uint64_t hash = mix(mix(0, (uint64_t)pattern->start), (uint64_t)pattern->end); /* often consecutive ids */
    hash = mix(hash, (uint64_t)pattern->work << 8 | (uint64_t)pattern->sync << 1 | pattern->moves);
    for (unsigned i = 0; pattern->shift && i < p->ipus; ++i)
        hash = mix(hash, pattern->shift[i]);
    return hash;
}

static bool same_pattern(const struct patterns *p, size_t kept, const struct step_pattern *pattern)
{
    const struct step_pattern *a = &p->kept.data[kept].pattern;
    const uint64_t *shift = p->shifts.data + kept * p->ipus;
    if (a->start != pattern->start || a->end != pattern->end || a->work != pattern->work || a->sync != pattern->sync ||
        a->moves != pattern->moves)
        return false;
    for (unsigned i = 0; i < p->ipus; ++i)
        if (shift[i] != (pattern->shift ? pattern->shift[i] : 0))
            return false;
    return true;
}

static void keep(struct patterns *p, const struct step_pattern *pattern, size_t slot)
{
    *vec_push(&p->kept) = (struct kept_pattern){ *pattern, p->next_pattern };
    for (unsigned i = 0; i < p->ipus; ++i)
        *vec_push(&p->shifts) = pattern->shift ? pattern->shift[i] : 0;
    p->slots[slot] = (uint32_t)p->kept.count;
}

int64_t patterns_id(struct patterns *p, const struct step_pattern *pattern, pattern_source source, void *user)
{
    const size_t mask = 2 * KEPT_PATTERNS - 1;
    if (p->kept.count == KEPT_PATTERNS) {
        p->kept.count = p->shifts.count = 0;
        memset(p->slots, 0, (mask + 1) * sizeof(*p->slots));
    }
    size_t slot = (size_t)(hash_pattern(p, pattern) >> 20) & mask;
    for (; p->slots[slot]; slot = (slot + 1) & mask)
        if (same_pattern(p, p->slots[slot] - 1, pattern))
            return p->kept.data[p->slots[slot] - 1].id;
    write_pattern(p, pattern, source(user));
    keep(p, pattern, slot);
    return p->next_pattern++;
}

int64_t patterns_drift(struct patterns *p, const uint64_t *base)
{
    uint64_t hash = 0, any = 0;
    for (unsigned i = 1; i < p->ipus; ++i) {
        hash = mix(hash, base[i] - base[0]);
        any |= base[i] - base[0];
    }
    if (!any)
        return 0;
    size_t slot = (size_t)(hash >> 20) & (KEPT_DRIFTS - 1);
    uint64_t *kept = p->drifts + slot * p->ipus;
    bool same = p->drift_ids[slot] != 0;
    for (unsigned i = 1; i < p->ipus; ++i) {
        same &= kept[i] == base[i] - base[0];
        kept[i] = base[i] - base[0];
    }
    if (same)
        return p->drift_ids[slot];
    for (unsigned i = 1; i < p->ipus; ++i)
        database_add(p->report->db, TABLE_DRIFTS, "iii", p->next_drift, (int64_t)i, (int64_t)kept[i]);
    return p->drift_ids[slot] = p->next_drift++;
}
