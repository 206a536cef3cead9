/* SPDX-License-Identifier: Apache-2.0 */
/* Memory by category, vertex code by tile, and liveness: arrays by tile, which are decoded incrementally as tiles
 * are read in order. */
#include "pva/reader.h"
#include "value/array.h"

/* A run-length coded array, and the last run that was read. */
struct blob {
    uint64_t key;
    unsigned region, overlap;
    void *data;
    size_t size;
    struct array_cursor cursor;
    uint64_t first, end, value;
};
struct blobs {
    VEC(struct blob) list;
};

static uint64_t blob_at(struct blob *blob, uint64_t index)
{
    if (index < blob->first || !blob->end) {
        blob->cursor = array_cursor(blob->data, blob->size);
        blob->first = blob->end = 0;
    }
    while (index >= blob->end) {
        blob->first = blob->end;
        blob->end += array_next(&blob->cursor, UINT64_MAX - blob->end, &blob->value);
    }
    return blob->value;
}

static struct blobs *blobs_read(pva_file *file, const char *sql)
{
    struct blobs *blobs = MEM_NEW(struct blobs);
    sqlite3_stmt *statement = query(file, sql, 0, 0);
    while (statement && query_step(file, statement)) {
        const void *data = sqlite3_column_blob(statement, 3);
        size_t size = data ? (size_t)sqlite3_column_bytes(statement, 3) : 0;
        *vec_push(&blobs->list) = (struct blob){ .key = (uint64_t)sqlite3_column_int64(statement, 0),
                                                 .region = (unsigned)sqlite3_column_int(statement, 1),
                                                 .overlap = (unsigned)sqlite3_column_int(statement, 2),
                                                 .data = mem_copy(data, size),
                                                 .size = size };
    }
    if (statement)
        sqlite3_reset(statement);
    return blobs;
}

static void blobs_free(struct blobs *blobs)
{
    for (size_t i = 0; blobs && i < blobs->list.count; ++i)
        free(blobs->list.data[i].data);
    if (blobs)
        vec_free(&blobs->list);
    free(blobs);
}

void memory_free(pva_file *file)
{
    blobs_free(file->categories);
    blobs_free(file->code);
    file->categories = file->code = NULL;
}

void category_name(pva_object o, struct value *value)
{
    struct source_cell cell;
    if (table_cell(o.file, TABLE_CATEGORY, 0, o.owner, 1, &cell))
        str_add(&value->text, cell.text);
}

/* Bytes of a category on the object's tile, summed over the regions and kinds of overlap whose bits are set. */
static uint64_t category_bytes(pva_object o, unsigned regions, unsigned overlaps)
{
    if (!o.file->categories)
        o.file->categories = blobs_read(
            o.file, "SELECT category, region, overlap, bytes_by_tile FROM memory_by_category WHERE ?1 | ?2 >= 0");
    uint64_t sum = 0;
    for (size_t i = 0; i < o.file->categories->list.count; ++i) {
        struct blob *blob = &o.file->categories->list.data[i];
        if (blob->key == o.owner && blob->region < 3 && blob->overlap < 3 && regions >> blob->region & 1 &&
            overlaps >> blob->overlap & 1)
            sum += blob_at(blob, o.key);
    }
    return sum;
}

void category_total(pva_object o, struct value *value)
{
    value->natural = category_bytes(o, 7, 1 | 4);
}

void overlap_apart(pva_object o, struct value *value)
{
    value->natural = category_bytes(o, 1u << (o.part & 3), 1);
}

void overlap_shared(pva_object o, struct value *value)
{
    value->natural = category_bytes(o, 1u << (o.part & 3), 2);
}

static struct blobs *code_by_type(pva_file *file)
{
    if (!file->code)
        file->code = blobs_read(file, "SELECT id, 0, 0, code_bytes_by_tile FROM vertex_types WHERE ?1 | ?2 >= 0 AND "
                                      "code_bytes_by_tile IS NOT NULL ORDER BY id");
    return file->code;
}

void tile_vertices(pva_object o, struct keys *keys)
{
    struct blobs *code = code_by_type(o.file);
    for (size_t i = 0; i < code->list.count; ++i)
        if (blob_at(&code->list.data[i], o.key))
            *vec_push(keys) = code->list.data[i].key;
}

void tile_vertex_code(pva_object o, struct value *value)
{
    struct blobs *code = code_by_type(o.file);
    for (size_t i = 0; i < code->list.count; ++i)
        if (code->list.data[i].key == o.key)
            value->natural = blob_at(&code->list.data[i], o.owner);
}

/* The sum of an array's elements on the object's tile (part 1) or IPU (part 2). */
static uint64_t bytes_on(pva_object o, const char *sql)
{
    size_t size;
    struct blob blob = { .data = query_blob(o.file, sql, o.key, 0, &size) };
    blob.size = size;
    uint64_t first = o.part == 1 ? o.owner : o.owner * o.file->tiles_per_ipu,
             tiles = o.part == 1 ? 1 : o.file->tiles_per_ipu, sum = 0;
    for (uint64_t i = 0; i < tiles; ++i)
        sum += blob_at(&blob, first + i);
    free(blob.data);
    return sum;
}

void live_bytes(pva_object o, struct value *value)
{
    value->natural = o.part ? bytes_on(o, "SELECT bytes_by_tile FROM live_lists WHERE id = ?1 AND ?2 >= 0")
                            : table_uint(o.file, TABLE_LIVE_LIST, 0, o.key, 1);
}

void live_variable_size(pva_object o, struct value *value)
{
    value->natural = o.part ? bytes_on(o, "SELECT bytes_by_tile FROM live_variables WHERE id = ?1 AND ?2 >= 0")
                            : table_uint(o.file, TABLE_LIVE_VARIABLE, 0, o.key, 2);
}

void live_variables(pva_object o, struct keys *keys)
{
    uint64_t known = table_count(o.file, TABLE_LIVE_VARIABLE), count = table_uint(o.file, TABLE_LIVE_LIST, 0, o.key, 2);
    if (count > known) {
        file_fail(o.file, POP_PARSE_ERROR, "list %llu of live variables has %llu, and there are %llu",
                  (unsigned long long)o.key, (unsigned long long)count, (unsigned long long)known);
        return;
    }
    if (!count)
        return;
    uint64_t *ids = vec_extend(keys, count);
    query_array(o.file, "SELECT variable_list FROM live_lists WHERE id = ?1 AND ?2 >= 0", o.key, 0, ids, count);
    if (!o.part)
        return;
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        struct value size = { 0 };
        live_variable_size(object_make(o.file, PVA_CLASS_LIVE_VARIABLE, ids[i], o.owner, o.part), &size);
        if (size.natural)
            ids[kept++] = ids[i];
    }
    keys->count = kept;
}
