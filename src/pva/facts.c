/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of the writer, its options, parameters of runs, the target, its IPUs and tiles. */
#include "pva/reader.h"

#include <string.h>

size_t name_at(const char *const *names, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && strcmp(names[i], name) != 0)
        ++i;
    return i;
}

/* A text of the table `info`. */
void info_text(pva_object o, const struct binding *bind, struct value *value)
{
    sqlite3_stmt *statement = query(o.file, "SELECT value FROM info WHERE ?1 | ?2 >= 0 AND name = ?3", 0, 0);
    if (!statement)
        return;
    sqlite3_bind_text(statement, 3, bind->sql, -1, SQLITE_STATIC);
    if (query_step(o.file, statement)) {
        const char *text = (const char *)sqlite3_column_text(statement, 0);
        str_add(&value->text, text ? text : "");
        sqlite3_int64 number = sqlite3_column_int64(statement, 0);
        value->natural = number > 0 ? (uint64_t)number : 0;
    }
    sqlite3_reset(statement);
}

/* Text of a row in a short list whose keys are names. */
static void row_text(pva_object o, const char *sql, uint64_t a, uint64_t b, int column, struct value *value)
{
    sqlite3_stmt *statement = query(o.file, sql, a, b);
    if (!statement)
        return;
    if (query_step(o.file, statement)) {
        const char *text = (const char *)sqlite3_column_text(statement, column);
        str_add(&value->text, text ? text : "");
        value->natural = (uint64_t)sqlite3_column_int64(statement, column);
    }
    sqlite3_reset(statement);
}

uint64_t option_count(pva_object o)
{
    return query_uint(o.file, "SELECT count(*) FROM options WHERE ?1 | ?2 >= 0", 0, 0, 0);
}
pva_object option_at(pva_object o, uint64_t i)
{
    return object_make(o.file, PVA_CLASS_OPTION, i, 0, 0);
}
void option_text(pva_object o, const struct binding *bind, struct value *v)
{
    row_text(o, "SELECT name, value, is_set FROM options WHERE ?1 >= 0 ORDER BY name LIMIT 1 OFFSET ?2", 0, o.key,
             bind->column, v);
}

uint64_t parameter_count(pva_object o)
{
    return query_uint(o.file, "SELECT count(*) FROM run_parameters WHERE run = ?1 AND ?2 >= 0", o.key, 0, 0);
}
pva_object parameter_at(pva_object o, uint64_t i)
{
    return object_make(o.file, PVA_CLASS_PARAMETER, i, o.key, 0);
}
void parameter_text(pva_object o, const struct binding *bind, struct value *v)
{
    row_text(o, "SELECT name, value FROM run_parameters WHERE run = ?1 ORDER BY name LIMIT 1 OFFSET ?2", o.owner, o.key,
             bind->column, v);
}

void target_type(pva_object o, struct value *v)
{
    static const char *const names[] = { "IPU", "IPU_MODEL", "CPU" };
    struct source_cell cell;
    table_cell(o.file, TABLE_TARGET, 0, 0, 1, &cell);
    v->natural = name_at(names, 3, cell.text);
}
void target_architecture(pva_object o, struct value *v)
{
    static const char *const names[] = { "ipu1", "ipu2", "ipu21" };
    struct source_cell cell;
    table_cell(o.file, TABLE_TARGET, 0, 0, 2, &cell);
    v->natural = name_at(names, 3, cell.text);
}

uint64_t ipu_count(pva_object o)
{
    return o.file->ipus;
}
pva_object ipu_at(pva_object o, uint64_t i)
{
    return object_make(o.file, PVA_CLASS_IPU, i, 0, 0);
}
uint64_t tile_count(pva_object o)
{
    return table_count(o.file, TABLE_TILE_MEMORY);
}
pva_object tile_at(pva_object o, uint64_t i)
{
    return object_make(o.file, PVA_CLASS_TILE, i, 0, 0);
}
uint64_t ipu_tile_count(pva_object o)
{
    uint64_t tiles = tile_count(o), first = o.key * o.file->tiles_per_ipu, rest = first < tiles ? tiles - first : 0;
    return rest < o.file->tiles_per_ipu ? rest : o.file->tiles_per_ipu;
}
pva_object ipu_tile_at(pva_object o, uint64_t i)
{
    return tile_at(o, o.key * o.file->tiles_per_ipu + i);
}
void tile_vertex_type(pva_object o, struct value *v)
{
    v->object = object_make(o.file, PVA_CLASS_VERTEX_TYPE, o.key, 0, 0);
}
