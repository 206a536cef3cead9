/* SPDX-License-Identifier: Apache-2.0 */
#include "pva/repeats.h"

#include "base/mem.h"

enum { MAX_GROWTH_BITS = 62 };

static int by_place(const void *left, const void *right)
{
    const struct repeat *a = left, *b = right;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return (a->steps < b->steps) - (a->steps > b->steps);
}

static bool is_sane(const struct repeat *r)
{
    const uint64_t max = REPEATS_MAX_STEPS;
    return r->first < max && r->steps && r->steps <= max && r->times > 1 && r->times <= max / r->steps &&
           r->steps * r->times <= max - r->first && r->growth <= ((uint64_t)1 << MAX_GROWTH_BITS) / r->times;
}

/* A repeat that begins within another one is within its first iteration, and takes no longer. */
static bool is_within(const struct repeat *r, const struct repeat *around)
{
    return repeat_end(r) <= around->first + around->steps && r->growth * r->times <= around->growth;
}

/* Sets parents and ends of sorted repeats; returns the first that is not within another one as it must be, or NULL. */
static const struct repeat *nest(struct repeat *list, uint32_t count)
{
    uint32_t around = NO_REPEAT;
    unsigned depth = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (!is_sane(&list[i]))
            return &list[i];
        for (; around != NO_REPEAT && list[i].first >= repeat_end(&list[around]); --depth) {
            list[around].end = i;
            around = list[around].parent;
        }
        if (around != NO_REPEAT && (!is_within(&list[i], &list[around]) || depth == REPEATS_DEEPEST))
            return &list[i];
        list[i].parent = around;
        around = i;
        ++depth;
    }
    for (; around != NO_REPEAT; around = list[around].parent)
        list[around].end = count;
    return NULL;
}

/* Rows so far: the last one's number + 1. */
static int count_rows(sqlite3 *db, uint64_t *rows)
{
    sqlite3_stmt *last = NULL;
    int result = sqlite3_prepare_v2(db, "SELECT max(id) + 1 FROM executed_rows", -1, &last, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_step(last);
    sqlite3_int64 count = result == SQLITE_ROW ? sqlite3_column_int64(last, 0) : 0;
    *rows = count > 0 ? (uint64_t)count : 0;
    sqlite3_finalize(last);
    return result == SQLITE_ROW ? SQLITE_OK : result;
}

static int read_rows(pva_file *file, struct repeats *repeats)
{
    enum { FIRST = 1, STEPS, TIMES, GROWTH };
    sqlite3_stmt *rows = NULL;
    uint32_t capacity = 0;
    int result =
        sqlite3_prepare_v2(file->db, "SELECT id, first_step, steps, times, growth FROM repeats", -1, &rows, NULL);
    repeats->count = 0;
    while (result == SQLITE_OK && (result = sqlite3_step(rows)) == SQLITE_ROW) {
        if (repeats->count == capacity) {
            capacity = capacity ? capacity * 2 : 16;
            repeats->list = mem_grow(repeats->list, capacity * sizeof(*repeats->list));
        }
        /* What is no number is 0, and a negative number is too large: neither is sane. */
        repeats->list[repeats->count++] = (struct repeat){ .id = sqlite3_column_int64(rows, 0),
                                                           .first = (uint64_t)sqlite3_column_int64(rows, FIRST),
                                                           .steps = (uint64_t)sqlite3_column_int64(rows, STEPS),
                                                           .times = (uint64_t)sqlite3_column_int64(rows, TIMES),
                                                           .growth = (uint64_t)sqlite3_column_int64(rows, GROWTH) };
        result = repeats->count < NO_REPEAT - 1 ? SQLITE_OK : SQLITE_TOOBIG;
    }
    sqlite3_finalize(rows);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

/* Sets repeats->steps, and compares it with the rows that there can be: each takes at least a byte of the file. */
static int count_steps(pva_file *file, struct repeats *repeats, uint64_t rows, char **why)
{
    uint64_t stored = 0;
    repeats->steps = rows;
    for (uint32_t i = 0; i < repeats->count; i = repeats->list[i].end)
        if (repeat_end(&repeats->list[i]) > repeats->steps)
            repeats->steps = repeat_end(&repeats->list[i]);
    stored = repeats->steps;
    for (uint32_t i = 0; i < repeats->count; ++i)
        stored -= (repeats->list[i].times - 1) * repeats->list[i].steps;
    if (stored <= file->bytes)
        return SQLITE_OK;
    *why = sqlite3_mprintf("rows are numbered up to %llu, and the file has %llu bytes (STEP)", (sqlite3_uint64)stored,
                           (sqlite3_uint64)file->bytes);
    return SQLITE_CORRUPT;
}

static int load(pva_file *file, struct repeats *repeats, char **why)
{
    uint64_t rows = 0;
    int result = read_rows(file, repeats);
    if (result == SQLITE_OK)
        result = count_rows(file->db, &rows);
    if (result != SQLITE_OK)
        return result;
    if (repeats->count)
        qsort(repeats->list, repeats->count, sizeof(*repeats->list), by_place);
    const struct repeat *bad = nest(repeats->list, repeats->count);
    if (bad) {
        *why = sqlite3_mprintf("repeat %lld is damaged: %lld steps from %lld on, %lld times, each %lld cycles later",
                               bad->id, (sqlite3_int64)bad->steps, (sqlite3_int64)bad->first, (sqlite3_int64)bad->times,
                               (sqlite3_int64)bad->growth);
        return SQLITE_CORRUPT;
    }
    return count_steps(file, repeats, rows, why);
}

int repeats_read(pva_file *file, const struct repeats **given, char **why)
{
    struct repeats *repeats = file->repeats;
    int result = SQLITE_OK;
    if (!repeats)
        repeats = file->repeats = MEM_NEW(struct repeats);
    if (!repeats->changes)
        result = sqlite3_prepare_v3(file->db, "PRAGMA main.data_version", -1, SQLITE_PREPARE_PERSISTENT,
                                    &repeats->changes, NULL);
    if (result == SQLITE_OK && (result = sqlite3_step(repeats->changes)) == SQLITE_ROW) {
        /* Version 0 is none. */
        int64_t version = sqlite3_column_int64(repeats->changes, 0);
        sqlite3_reset(repeats->changes);
        result = version == repeats->version ? SQLITE_OK : load(file, repeats, why);
        repeats->version = result == SQLITE_OK ? version : 0;
    }
    *given = repeats;
    if (result != SQLITE_OK && !*why)
        *why = sqlite3_mprintf("%s", sqlite3_errmsg(file->db));
    return result;
}

const struct repeats *repeats_of(pva_file *file)
{
    const struct repeats *repeats;
    char *why = NULL;
    if (repeats_read(file, &repeats, &why) == SQLITE_OK)
        return repeats;
    file_fail(file, POP_PARSE_ERROR, "%s", why ? why : "the repeats cannot be read");
    sqlite3_free(why);
    return NULL;
}

void repeats_free(pva_file *file)
{
    if (!file->repeats)
        return;
    sqlite3_finalize(file->repeats->changes);
    free(file->repeats->list);
    free(file->repeats);
    file->repeats = NULL;
}

/* Of the repeats within `around` (NO_REPEAT: of the outermost ones), the last that begins at or before a step;
 * NO_REPEAT: none does. */
static uint32_t last_before(const struct repeats *repeats, uint32_t around, uint64_t step)
{
    uint32_t low = around == NO_REPEAT ? 0 : around + 1, first = low,
             high = around == NO_REPEAT ? repeats->count : repeats->list[around].end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (repeats->list[middle].first <= step)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == first)
        return NO_REPEAT;
    for (low -= 1; repeats->list[low].parent != around;)
        low = repeats->list[low].parent;
    return low;
}

/* Lessens [*first, *end) to what is between two repeats within `around`, `last` being the one before. */
static void between(const struct repeats *repeats, uint32_t around, uint32_t last, uint64_t *first, uint64_t *end)
{
    uint32_t next = last != NO_REPEAT     ? repeats->list[last].end
                    : around != NO_REPEAT ? around + 1
                                          : 0,
             behind = around != NO_REPEAT ? repeats->list[around].end : repeats->count;
    if (last != NO_REPEAT)
        *first = repeat_end(&repeats->list[last]);
    if (next < behind)
        *end = repeats->list[next].first;
}

struct repeat_span repeats_span(const struct repeats *repeats, uint64_t step)
{
    uint64_t row = step, cycles = 0, first = 0, end = repeats->steps;
    for (uint32_t around = NO_REPEAT;;) {
        uint32_t last = last_before(repeats, around, row);
        const struct repeat *r = last == NO_REPEAT ? NULL : &repeats->list[last];
        if (!r || row >= repeat_end(r)) {
            between(repeats, around, last, &first, &end);
            return (struct repeat_span){ step - (row - first), step + (end - row), first, cycles };
        }
        uint64_t nth = (row - r->first) / r->steps;
        row -= nth * r->steps;
        cycles += nth * r->growth;
        first = r->first;
        end = first + r->steps;
        around = last;
    }
}

struct repeat_share repeats_share(const struct repeats *repeats, uint64_t row)
{
    struct repeat_share share = { 0, UINT64_MAX, 1, NO_REPEAT };
    for (;;) {
        uint32_t last = last_before(repeats, share.repeat, row);
        const struct repeat *r = last == NO_REPEAT ? NULL : &repeats->list[last];
        if (!r || row >= repeat_end(r)) {
            between(repeats, share.repeat, last, &share.first, &share.end);
            return share;
        }
        if (row >= r->first + r->steps)
            return (struct repeat_share){ r->first + r->steps, repeat_end(r), 0, NO_REPEAT };
        share = (struct repeat_share){ r->first, r->first + r->steps, share.times * r->times, last };
    }
}

uint64_t repeats_nth(const struct repeats *repeats, const struct repeat_share *share, uint64_t row, uint64_t nth)
{
    for (uint32_t i = share->repeat; i != NO_REPEAT; i = repeats->list[i].parent) {
        row += nth % repeats->list[i].times * repeats->list[i].steps;
        nth /= repeats->list[i].times;
    }
    return row;
}
