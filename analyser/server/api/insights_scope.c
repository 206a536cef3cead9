/* SPDX-License-Identifier: Apache-2.0 */
/* The largest users of memory on all tiles, an IPU or a tile: vertices, variables, exchanges, steps of the program. */
#include "../answer.h"
#include "../query.h"

#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

struct scope {
    bool all;          /* read columns summed over all tiles instead of columns by tile */
    uint64_t from, to; /* tiles */
};

static bool find_scope(const struct request *request, pva_file *file, struct scope *scope, pop_error *error)
{
    const char *name = request_text(request, "scope", "model");
    uint64_t index, tiles = (uint64_t)query_number(file, "SELECT count(*) FROM memory_by_tile", 0),
                    per_ipu = (uint64_t)query_number(file, "SELECT tiles_per_ipu FROM target", 1);
    bool ipu = strcmp(name, "ipu") == 0, tile = strcmp(name, "tile") == 0;
    if (!request_uint(request, "index", 0, &index, error))
        return false;
    if (!ipu && !tile && strcmp(name, "model") != 0) {
        answer_fail(error, POP_INVALID_OPTION, "scope is '%.60s' (allowed: model, ipu, tile)", name);
        return false;
    }
    uint64_t size = tile ? 1 : per_ipu ? per_ipu : 1, count = tiles / size;
    if (!ipu && !tile) {
        *scope = (struct scope){ .all = true, .to = tiles };
    } else if (index >= count) {
        answer_fail(error, POP_INVALID_OPTION, "no %s %llu (allowed: 0 to %lld)", name, (unsigned long long)index,
                    (long long)count - 1);
        return false;
    } else {
        *scope = (struct scope){ .from = index * size, .to = index * size + size };
    }
    return true;
}

/* Appends an SQL expression: bytes of a column on the tiles of the scope, 0 where it is null. */
static void add_bytes(struct str *sql, const struct scope *scope, const char *column)
{
    if (scope->all)
        str_format(sql, "ifnull(%s, 0)", column);
    else
        str_format(sql,
                   "ifnull((SELECT sum(a.value) FROM array(%s_by_tile, (SELECT tiles_per_replica FROM target)) a "
                   "WHERE a.i >= %llu AND a.i < %llu), 0)",
                   column, (unsigned long long)scope->from, (unsigned long long)scope->to);
}

/* Queries the ten rows of a table with the most bytes in some columns. */
static char *largest_of(const struct scope *scope, const char *table, const char *names, const char *const *columns)
{
    struct str sql = { 0 };
    str_format(&sql, "SELECT * FROM (SELECT %s, ", names);
    for (size_t i = 0; columns[i]; ++i) {
        str_add(&sql, i ? " + " : "");
        add_bytes(&sql, scope, columns[i]);
    }
    str_format(&sql, " AS bytes FROM %s) WHERE bytes > 0 ORDER BY bytes DESC, name LIMIT 10", table);
    return sql.text;
}

pop_status insights_scope(const struct request *request, struct answer *answer, pop_error *error)
{
    static const char *const state[] = { "vertex_data_bytes", "copy_ptr_bytes", "edge_ptr_bytes",
                                         "descriptor_bytes",  "padding_bytes",  NULL },
                             *const code[] = { "code_bytes", NULL }, *const bytes[] = { "bytes", NULL };
    static const struct {
        const char *name, *table, *names;
        const char *const *columns;
    } lists[] = {
        { "vertexState", "vertex_types", "name", state },
        { "vertexCode", "vertex_types", "name", code },
        { "computeSets", "compute_sets", "name", state },
        { "variables", "variables", "name, always_live AS alwaysLive", bytes },
        { "exchanges", "exchanges", "name", code },
        { "steps",
          "(SELECT s.id AS step, p.name, p.type, l.bytes, l.bytes_by_tile FROM liveness_steps s JOIN programs p ON "
          "p.id = s.program JOIN live_lists l ON l.id = s.list)",
          "step, name, type", bytes },
    };
    enum { LISTS = sizeof(lists) / sizeof(lists[0]) };
    struct analyser_report *report = request_report(request, error);
    struct scope scope;
    if (!report || !find_scope(request, report->file, &scope, error))
        return error->status;
    struct str memory = { 0 };
    str_format(&memory,
               "SELECT count(*) AS tiles, sum(total) AS used, count(*) * (SELECT bytes_per_tile FROM target) AS "
               "capacity, max(total_including_gaps) AS largest FROM memory_by_tile WHERE tile >= %llu AND tile < %llu",
               (unsigned long long)scope.from, (unsigned long long)scope.to);
    struct query_part parts[LISTS + 1] = { { "memory", true, memory.text } };
    char *texts[LISTS];
    for (size_t i = 0; i < LISTS; ++i) {
        texts[i] = largest_of(&scope, lists[i].table, lists[i].names, lists[i].columns);
        parts[i + 1] = (struct query_part){ lists[i].name, false, texts[i] };
    }
    json_t *all = query_parts(report->file, parts, LISTS + 1, error);
    for (size_t i = 0; i < LISTS; ++i)
        free(texts[i]);
    str_free(&memory);
    if (!all)
        return error->status;
    answer_json(answer, all);
    return answer_read(report, error);
}
