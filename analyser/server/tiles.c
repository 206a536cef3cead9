/* SPDX-License-Identifier: Apache-2.0 */
#include "tiles.h"

#include "base/mem.h"
#include "query.h"

#include <stdlib.h>
#include <string.h>

struct tiles tiles_of(pva_file *file)
{
    pva_object target = pva_get(pva_get(pva_root(file), PVA_REPORT_COMPILATION), PVA_COMPILATION_TARGET);
    return (struct tiles){ file, pva_uint(target, PVA_TARGET_TILES_PER_REPLICA),
                           pva_uint(target, PVA_TARGET_TILES_PER_IPU) };
}

/* Figures stored as columns of memory_by_tile. */
static const struct {
    const char *name, *column;
} columns[] = {
    { "total", "total" },
    { "gaps", "total_including_gaps" },
    { "nonInterleaved", "non_interleaved" },
    { "interleaved", "interleaved" },
    { "overflowed", "overflowed" },
    { "alwaysLive", "always_live" },
    { "notAlwaysLive", "not_always_live" },
};
/* Figures computed as sums of arrays: the query gives array_text for %llu tiles; %s is the name. */
static const struct {
    const char *prefix, *sql;
    bool number; /* the name is a numeric id */
} arrays[] = {
    { "category:",
      "SELECT array_text(m.bytes_by_tile, %llu) FROM memory_by_category m JOIN var_categories c ON c.id = m.category "
      "WHERE m.overlap <> 1 AND c.name = %s",
      false },
    { "variable:", "SELECT array_text(bytes_by_tile, %llu) FROM variables WHERE id = %s", true },
    { "exchange:", "SELECT array_text(code_bytes_by_tile, %llu) FROM exchanges WHERE id = %s", true },
    { "computeSet:",
      "SELECT array_text(b, %llu) FROM (SELECT compute_set AS id, code_bytes_by_tile AS b FROM "
      "compute_sets UNION ALL SELECT compute_set, copy_ptr_bytes_by_tile FROM compute_sets UNION ALL "
      "SELECT compute_set, descriptor_bytes_by_tile FROM compute_sets UNION ALL SELECT compute_set, "
      "edge_ptr_bytes_by_tile FROM compute_sets UNION ALL SELECT compute_set, padding_bytes_by_tile FROM "
      "compute_sets UNION ALL SELECT compute_set, vertex_data_bytes_by_tile FROM compute_sets) WHERE "
      "id = %s",
      true },
    { "vertexType:",
      "SELECT array_text(b, %llu) FROM (SELECT id, code_bytes_by_tile AS b FROM vertex_types UNION ALL "
      "SELECT id, copy_ptr_bytes_by_tile FROM vertex_types UNION ALL SELECT id, "
      "descriptor_bytes_by_tile FROM vertex_types UNION ALL SELECT id, edge_ptr_bytes_by_tile FROM "
      "vertex_types UNION ALL SELECT id, padding_bytes_by_tile FROM vertex_types UNION ALL SELECT id, "
      "vertex_data_bytes_by_tile FROM vertex_types) WHERE id = %s",
      true },
};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]), ARRAYS = sizeof(arrays) / sizeof(arrays[0]) };

struct row_sums {
    double *values;
    size_t count;
};

static bool add_row(void *context, size_t count, const char *const *names, const pva_value *values)
{
    struct row_sums *sums = context;
    (void)names;
    if (values && count == 2 && values[0].text && values[1].text) {
        unsigned long long tile = strtoull(values[0].text, NULL, 10);
        if (tile < sums->count)
            sums->values[tile] = (double)strtoull(values[1].text, NULL, 10);
    }
    return true;
}

static pop_status read_column(const struct tiles *tiles, const char *column, double *values, pop_error *error)
{
    struct str sql = { 0 };
    str_format(&sql, "SELECT tile, %s FROM memory_by_tile", column);
    struct row_sums sums = { values, tiles->count };
    pop_status status = pva_sql(tiles->file, sql.text, add_row, &sums, error);
    str_free(&sql);
    return status;
}

/* The table texts are constants; the client's name is quoted as a literal. */
static pop_status read_array(const struct tiles *tiles, size_t kind, const char *what, double *values, pop_error *error)
{
    uint64_t id;
    if (arrays[kind].number && !str_integer(what, INT64_MAX, &id))
        return answer_fail(error, POP_INVALID_OPTION, "'%.80s' is not a number, in the figure '%s...'", what,
                           arrays[kind].prefix);
    struct str sql = { 0 }, literal = { 0 };
    if (arrays[kind].number)
        str_add(&literal, what);
    else
        query_quote(&literal, what);
    for (const char *at = arrays[kind].sql; *at; ++at)
        if (strncmp(at, "%llu", 4) == 0)
            str_format(&sql, "%llu", (unsigned long long)tiles->count), at += 3;
        else if (strncmp(at, "%s", 2) == 0)
            str_add(&sql, literal.text), at += 1;
        else
            str_add_bytes(&sql, at, 1);
    pop_status status = query_add_array(tiles->file, sql.text, values, tiles->count, error);
    str_free(&sql);
    str_free(&literal);
    return status;
}

double *tiles_figure(const struct tiles *tiles, const char *name, pop_error *error)
{
    double *values = mem_zero(tiles->count + 1, sizeof(*values));
    pop_status status = POP_INVALID_OPTION;
    bool found = false;
    for (size_t i = 0; i < COLUMNS && !found; ++i)
        if ((found = strcmp(name, columns[i].name) == 0))
            status = read_column(tiles, columns[i].column, values, error);
    for (size_t i = 0; i < ARRAYS && !found; ++i)
        if ((found = strncmp(name, arrays[i].prefix, strlen(arrays[i].prefix)) == 0))
            status = read_array(tiles, i, name + strlen(arrays[i].prefix), values, error);
    if (!found)
        answer_fail(error, POP_INVALID_OPTION,
                    "no figure '%.80s' (allowed: total, gaps, nonInterleaved, interleaved, overflowed, alwaysLive, "
                    "notAlwaysLive, category:NAME, variable:ID, computeSet:ID, vertexType:ID, exchange:ID)",
                    name);
    if (status == POP_OK)
        return values;
    free(values);
    return NULL;
}

struct placed {
    double delay;
    uint32_t tile;
};

static int by_delay(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    if (a->delay != b->delay)
        return a->delay < b->delay ? -1 : 1;
    return (a->tile > b->tile) - (a->tile < b->tile);
}

uint32_t *tiles_by_distance(const struct tiles *tiles, pop_error *error)
{
    double *delays = mem_zero(tiles->per_ipu + 1, sizeof(*delays));
    pop_status status =
        query_add_array(tiles->file, "SELECT array_text(relative_sync_delay, tiles_per_ipu) FROM target", delays,
                        tiles->per_ipu, error);
    struct placed *placed = mem_zero(tiles->per_ipu + 1, sizeof(*placed));
    uint32_t *order = mem_zero(tiles->per_ipu + 1, sizeof(*order));
    for (size_t i = 0; i < tiles->per_ipu; ++i)
        placed[i] = (struct placed){ delays[i], (uint32_t)i };
    qsort(placed, tiles->per_ipu, sizeof(*placed), by_delay);
    for (size_t i = 0; i < tiles->per_ipu; ++i)
        order[i] = placed[i].tile;
    free(placed);
    free(delays);
    if (status == POP_OK)
        return order;
    free(order);
    return NULL;
}

uint32_t *tiles_order(const struct tiles *tiles, bool physical, pop_error *error)
{
    uint32_t *local = physical && tiles->per_ipu ? tiles_by_distance(tiles, error) : NULL;
    if (physical && tiles->per_ipu && !local)
        return NULL;
    uint32_t *order = mem_zero(tiles->count + 1, sizeof(*order));
    for (size_t i = 0; i < tiles->count; ++i)
        order[i] = (uint32_t)(local ? i - i % tiles->per_ipu + local[i % tiles->per_ipu] : i);
    free(local);
    return order;
}

struct tile_bin *tiles_bin(const uint32_t *order, const double *key, size_t from, size_t to, size_t pixels,
                           size_t *bins)
{
    size_t positions = to > from ? to - from : 0;
    *bins = positions < pixels ? positions : pixels;
    struct tile_bin *list = mem_zero(*bins + 1, sizeof(*list));
    for (size_t i = 0; i < *bins; ++i) {
        size_t first = from + positions * i / *bins, last = from + positions * (i + 1) / *bins;
        struct tile_bin bin = { (uint32_t)first, (uint32_t)last, order[first], key[order[first]], key[order[first]] };
        for (size_t k = first + 1; k < last; ++k) {
            double value = key[order[k]];
            if (value > bin.maximum) {
                bin.maximum = value;
                bin.tile = order[k];
            }
            bin.minimum = value < bin.minimum ? value : bin.minimum;
        }
        list[i] = bin;
    }
    return list;
}
