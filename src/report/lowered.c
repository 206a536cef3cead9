/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the graph's variables, and the lowered variables: each tile's parts of them and of all other blocks. */
#include "report/report.h"
#include "report/select.h"

/* Blocks of the graph's variables, sorted by variable. */
struct by_variable {
    uint32_t *blocks;
    size_t *first; /* start of each variable, and the end */
    uint32_t *id;  /* ids in the report, of all tables: variables that have blocks are numbered without gaps */
    uint32_t variables;
};

static struct by_variable sort_blocks(const struct placement *p)
{
    struct by_variable sorted = { 0 };
    for (size_t i = 0; i < p->blocks.count; ++i)
        if (p->blocks.data[i].variable != PLACED_NO_VARIABLE && p->blocks.data[i].variable >= sorted.variables)
            sorted.variables = p->blocks.data[i].variable + 1;
    sorted.blocks = mem_zero(p->blocks.count + 1, sizeof(*sorted.blocks));
    sorted.first = mem_zero((size_t)sorted.variables + 2, sizeof(*sorted.first));
    for (size_t i = 0; i < p->blocks.count; ++i)
        if (p->blocks.data[i].variable != PLACED_NO_VARIABLE)
            ++sorted.first[(size_t)p->blocks.data[i].variable + 2];
    for (size_t i = 0; i < sorted.variables; ++i)
        sorted.first[i + 2] += sorted.first[i + 1];
    for (size_t i = 0; i < p->blocks.count; ++i)
        if (p->blocks.data[i].variable != PLACED_NO_VARIABLE)
            sorted.blocks[sorted.first[(size_t)p->blocks.data[i].variable + 1]++] = (uint32_t)i;
    sorted.id = mem_zero((size_t)sorted.variables + 1, sizeof(*sorted.id));
    for (uint32_t i = 0, next = 0; i < sorted.variables; ++i)
        sorted.id[i] = sorted.first[i] < sorted.first[i + 1] ? next++ : 0;
    return sorted;
}

static void write_variable(struct report *report, const struct by_variable *sorted, uint32_t variable)
{
    const struct placement *p = report->image->placement;
    uint64_t context = report->image->contexts.variables;
    uint32_t tile = 0;
    const struct placement_block *block = NULL;
    array_begin(&report->array);
    for (size_t i = sorted->first[variable]; i < sorted->first[variable + 1]; ++i) {
        block = &p->blocks.data[sorted->blocks[i]];
        array_add(&report->array, 0, block->tile - tile);
        array_add(&report->array, block->bytes, 1);
        tile = block->tile + 1;
    }
    array_end(&report->array);
    if (block)
        database_add(report->db, TABLE_VARIABLES, context ? "isibsii" : "isibsix", (int64_t)sorted->id[variable],
                     image_string(report->image, block->name), (int64_t)report->array.sum, ARRAY_BLOB(&report->array),
                     pop_type_name((pop_type)block->type), (int64_t)(block->class == PLACED_ALWAYS),
                     (int64_t)(context + variable));
}

/* ---- lowered variables ---- */

enum flag {
    ALLOCATED = 1,
    CONSTANT = 2,
    ALWAYS_LIVE = 4,
    EXECUTABLE = 8,
    VERTEX_CODE = 16,
    INTERLEAVED = 32
}; /* bits of vars_info.flags */

static int64_t flags_of(const struct placement *p, const struct placement_block *block)
{
    bool interleaved = block->offset >= p->interleaved_start && block->offset < p->tile_bytes;
    return (block->offset + block->bytes <= p->tile_bytes ? ALLOCATED : 0) |
           (block->category == MODEL_CONSTANT_CATEGORY ? CONSTANT : 0) |
           (block->class == PLACED_ALWAYS ? ALWAYS_LIVE : 0) | (block->code ? EXECUTABLE : 0) |
           (block->category == MODEL_VERTEX_CODE_CATEGORY ? VERTEX_CODE : 0) | (interleaved ? INTERLEAVED : 0);
}

enum { BLOCK_COLUMNS = 9 };

static void write_block_rows(struct report *report, const int64_t *rows, size_t count)
{
    database_append(report->db, TABLE_VARS_INFO,
                    "tile, size_bytes, category, name, offset, alignment, equivalence_class, var, flags", BLOCK_COLUMNS,
                    rows, count);
}

static void write_blocks(struct report *report, const struct by_variable *sorted)
{
    const struct image *image = report->image;
    const struct placement *p = image->placement;
    int64_t *string = mem_zero(image->strings.count + 1, sizeof(*string)),
            strings = 0; /* by string of the image: id + 1 */
    int64_t rows[DATABASE_BATCH][BLOCK_COLUMNS];
    size_t kept = 0;
    database_do(report->db, "INSERT INTO vars_info(id) VALUES(-1)"); /* SQLite continues from the last id */
    for (size_t i = 0; i < p->blocks.count; ++i) {
        const struct placement_block *block = &p->blocks.data[i];
        if (!string[block->name]) {
            string[block->name] = ++strings;
            database_add(report->db, TABLE_VARS_STRING_TABLE, "is", strings - 1, image_string(image, block->name));
        }
        bool unlowered = block->variable != PLACED_NO_VARIABLE;
        const int64_t row[BLOCK_COLUMNS] = { block->tile,
                                             (int64_t)block->bytes,
                                             block->category,
                                             string[block->name] - 1,
                                             (int64_t)block->offset,
                                             block->alignment,
                                             block->class,
                                             unlowered ? (int64_t)sorted->id[block->variable] : DATABASE_NULL,
                                             flags_of(p, block) };
        memcpy(rows[kept++], row, sizeof(row));
        if (kept == DATABASE_BATCH || i + 1 == p->blocks.count) {
            write_block_rows(report, rows[0], kept);
            kept = 0;
        }
    }
    database_do(report->db, "DELETE FROM vars_info WHERE id = -1");
    free(string);
}

static void write_classes(struct report *report)
{
    const struct placement *p = report->image->placement;
    for (size_t class = 0; class + 1 < p->first_interval.count; ++class)
        for (size_t i = p->first_interval.data[class]; i < p->first_interval.data[class + 1]; ++i)
            database_add(report->db, TABLE_CLASS_INTERVALS, "iiii", (int64_t) class,
                         (int64_t)(i - p->first_interval.data[class]), (int64_t)p->intervals.data[i].first,
                         (int64_t)p->intervals.data[i].end);
}

static int by_program(const void *left, const void *right)
{
    const struct placement_access *a = left, *b = right;
    if (a->step != b->step)
        return a->step < b->step ? -1 : 1;
    return (a->variable > b->variable) - (a->variable < b->variable);
}

/* Combines all accesses of a variable that occurs several times. */
static void write_accesses(struct report *report, const struct by_variable *sorted)
{
    struct placement *p = report->image->placement;
    struct placement_access *list = p->accesses.data;
    if (p->accesses.count)
        qsort(list, p->accesses.count, sizeof(*list), by_program);
    for (size_t i = 0, next; i < p->accesses.count; i = next) {
        int64_t access = 0;
        for (next = i; next < p->accesses.count && !by_program(&list[i], &list[next]); ++next)
            access |= list[next].what;
        if (list[i].variable < sorted->variables &&
            sorted->first[list[i].variable] < sorted->first[list[i].variable + 1])
            database_add(report->db, TABLE_PROGRAM_VARS, "iii",
                         (int64_t)program_id(&report->programs, list[i].step, PART_STEP),
                         (int64_t)sorted->id[list[i].variable], access);
    }
}

void report_write_variables(struct report *report)
{
    if (!report->image->placement)
        return;
    struct by_variable sorted = sort_blocks(report->image->placement);
    for (uint32_t variable = 0; variable < sorted.variables; ++variable)
        write_variable(report, &sorted, variable);
    write_accesses(report, &sorted);
    if (report_asks(&report->options, REPORT_LOWERED_VARS)) {
        write_blocks(report, &sorted);
        write_classes(report);
        database_do(report->db, "UPDATE format SET lowered_vars = 1");
    }
    free(sorted.blocks);
    free(sorted.first);
    free(sorted.id);
}
