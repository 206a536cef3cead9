/* SPDX-License-Identifier: Apache-2.0 */
#include "popsparse/host/entries.h"

static const char *const format_names[] = { "COO", "CSR", "CSC" };

void popsparse_matrix_free(popsparse_matrix *matrix)
{
    if (!matrix)
        return;
    free(matrix->nz_values);
    free(matrix->row_indices);
    free(matrix->column_indices);
    *matrix = (popsparse_matrix){ .format = matrix->format };
}

static bool wrong(const struct call *call, const popsparse_matrix *matrix, const char *format, ...) POP_PRINTF(3, 4);
static bool wrong(const struct call *call, const popsparse_matrix *matrix, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    pop_text_vformat(text, sizeof(text), format, arguments);
    va_end(arguments);
    return call_fail(call, POP_POPLAR_ERROR, "%s Validation failed: %s", format_names[matrix->format], text);
}

/* ---- checks ---- */

static bool sizes_right(const struct call *call, const struct sparse_shape *shape, const popsparse_matrix *matrix)
{
    size_t rows = shape->groups * shape->rows, area = sparse_block_area(shape);
    size_t block_rows = matrix->block_dimensions[0] ? matrix->block_dimensions[0] : 1,
           block_columns = matrix->block_dimensions[1] ? matrix->block_dimensions[1] : 1;
    if (block_rows != shape->block_rows || block_columns != shape->block_columns)
        return wrong(call, matrix, "blocks are %zu x %zu, and those of the operation %zu x %zu", block_rows,
                     block_columns, shape->block_rows, shape->block_columns);
    if ((matrix->num_rows && matrix->num_rows != rows) ||
        (matrix->num_columns && matrix->num_columns != shape->columns))
        return wrong(call, matrix, "the matrix is %zu x %zu, and that of the operation %zu x %zu", matrix->num_rows,
                     matrix->num_columns, rows, shape->columns);
    if (matrix->num_nz_values % area)
        return wrong(call, matrix, "%zu values are no whole number of blocks of %zu", matrix->num_nz_values, area);
    size_t blocks = matrix->num_nz_values / area, row_offsets = rows / shape->block_rows + 1,
           column_offsets = shape->columns / shape->block_columns + 1;
    size_t row_indices = matrix->format == POPSPARSE_CSR ? row_offsets : blocks,
           column_indices = matrix->format == POPSPARSE_CSC ? column_offsets : blocks;
    if (matrix->num_row_indices != row_indices)
        return wrong(call, matrix, "there are %zu row indices where %zu are needed", matrix->num_row_indices,
                     row_indices);
    return matrix->num_column_indices == column_indices ||
           wrong(call, matrix, "there are %zu column indices where %zu are needed", matrix->num_column_indices,
                 column_indices);
}
static bool positions_right(const struct call *call, const popsparse_matrix *matrix, const char *what,
                            const size_t *list, size_t size, size_t block)
{
    size_t count =
        matrix->num_nz_values /
        poplibs_max(poplibs_max(matrix->block_dimensions[0], 1) * poplibs_max(matrix->block_dimensions[1], 1), 1);
    for (size_t i = 0; i < count; ++i)
        if (list[i] >= size || list[i] % block)
            return wrong(call, matrix, "%s index %zu is %zu; it must be below %zu and a multiple of the block's %zu",
                         what, i, list[i], size, block);
    return true;
}
static bool offsets_right(const struct call *call, const popsparse_matrix *matrix, const char *what, const size_t *list,
                          size_t count, size_t area)
{
    for (size_t i = 0; i < count; ++i)
        if (list[i] % area || (i ? list[i] < list[i - 1] : list[i] != 0))
            return wrong(call, matrix,
                         "offset %zu of %s is %zu; offsets begin with 0, do not fall, and are multiples of %zu", i,
                         what, list[i], area);
    return list[count - 1] == matrix->num_nz_values ||
           wrong(call, matrix, "the last offset of %s is %zu where there are %zu values", what, list[count - 1],
                 matrix->num_nz_values);
}
static bool right(const struct call *call, const struct sparse_shape *shape, const popsparse_matrix *matrix)
{
    size_t area = sparse_block_area(shape);
    if (!sizes_right(call, shape, matrix))
        return false;
    bool rows =
        matrix->format == POPSPARSE_CSR
            ? offsets_right(call, matrix, "rows", matrix->row_indices, matrix->num_row_indices, area)
            : positions_right(call, matrix, "row", matrix->row_indices, shape->groups * shape->rows, shape->block_rows);
    return rows && (matrix->format == POPSPARSE_CSC ? offsets_right(call, matrix, "columns", matrix->column_indices,
                                                                    matrix->num_column_indices, area)
                                                    : positions_right(call, matrix, "column", matrix->column_indices,
                                                                      shape->columns, shape->block_columns));
}

/* ---- reading ---- */

static void list_entries(const struct sparse_shape *shape, const popsparse_matrix *matrix,
                         struct sparse_entries *entries)
{
    size_t area = sparse_block_area(shape), line = 0;
    const size_t *offsets = matrix->format == POPSPARSE_CSR   ? matrix->row_indices
                            : matrix->format == POPSPARSE_CSC ? matrix->column_indices
                                                              : NULL;
    for (size_t i = 0; i < entries->count; ++i) {
        while (offsets && offsets[line + 1] <= i * area)
            ++line;
        entries->list[i] = (struct sparse_entry){
            matrix->format == POPSPARSE_CSR ? line : matrix->row_indices[i] / shape->block_rows,
            matrix->format == POPSPARSE_CSC ? line : matrix->column_indices[i] / shape->block_columns, i
        };
    }
}
static int by_rows(const void *a, const void *b)
{
    const struct sparse_entry *p = a, *q = b;
    if (p->row != q->row)
        return p->row < q->row ? -1 : 1;
    return p->column != q->column ? (p->column < q->column ? -1 : 1) : 0;
}
static int by_columns(const void *a, const void *b)
{
    const struct sparse_entry *p = a, *q = b;
    if (p->column != q->column)
        return p->column < q->column ? -1 : 1;
    return p->row != q->row ? (p->row < q->row ? -1 : 1) : 0;
}

bool sparse_entries_read(const struct call *call, const struct sparse_shape *shape, const popsparse_matrix *matrix,
                         struct sparse_entries *entries)
{
    *entries = (struct sparse_entries){ 0 };
    if (!matrix || (unsigned)matrix->format > POPSPARSE_CSC)
        return call_fail(call, POP_POPLAR_ERROR, "there is no matrix in one of the formats COO, CSR and CSC");
    if (!right(call, shape, matrix))
        return false;
    entries->count = matrix->num_nz_values / sparse_block_area(shape);
    entries->list = poplibs_new(entries->count, sizeof(*entries->list));
    list_entries(shape, matrix, entries);
    if (entries->count)
        qsort(entries->list, entries->count, sizeof(*entries->list), by_rows);
    for (size_t i = 1; i < entries->count; ++i)
        if (by_rows(entries->list + i - 1, entries->list + i) == 0) {
            size_t row = entries->list[i].row * shape->block_rows,
                   column = entries->list[i].column * shape->block_columns;
            free(entries->list);
            entries->list = NULL;
            return wrong(call, matrix, "two entries are at row %zu, column %zu", row, column);
        }
    return true;
}

/* ---- writing ---- */

/* Offsets of lines from the sorted entries' lines. */
static void write_offsets(size_t *offsets, size_t lines, const struct sparse_entry *list, size_t count, bool columns)
{
    size_t at = 0;
    for (size_t line = 0; line <= lines; ++line) {
        while (at < count && (columns ? list[at].column : list[at].row) < line)
            ++at;
        offsets[line] = at;
    }
}

popsparse_matrix sparse_entries_write(const struct sparse_shape *shape, const struct sparse_entries *entries,
                                      const double *values, popsparse_format format)
{
    size_t area = sparse_block_area(shape), count = entries->count, rows = shape->groups * shape->rows;
    popsparse_matrix m = { .format = format, .block_dimensions = { shape->block_rows, shape->block_columns } };
    m.num_rows = format == POPSPARSE_COO ? 0 : rows;
    m.num_columns = format == POPSPARSE_COO ? 0 : shape->columns;
    m.num_nz_values = count * area;
    m.num_row_indices = format == POPSPARSE_CSR ? rows / shape->block_rows + 1 : count;
    m.num_column_indices = format == POPSPARSE_CSC ? shape->columns / shape->block_columns + 1 : count;
    m.nz_values = poplibs_new(m.num_nz_values, sizeof(double));
    m.row_indices = poplibs_new(m.num_row_indices, sizeof(size_t));
    m.column_indices = poplibs_new(m.num_column_indices, sizeof(size_t));
    if (format == POPSPARSE_CSC && count)
        qsort(entries->list, count, sizeof(*entries->list), by_columns);
    for (size_t i = 0; i < count; ++i) {
        const struct sparse_entry *entry = entries->list + i;
        memcpy(m.nz_values + i * area, values + entry->place * area, area * sizeof(double));
        if (format != POPSPARSE_CSR)
            m.row_indices[i] = entry->row * shape->block_rows;
        if (format != POPSPARSE_CSC)
            m.column_indices[i] = entry->column * shape->block_columns;
    }
    size_t *offsets = format == POPSPARSE_CSR ? m.row_indices : format == POPSPARSE_CSC ? m.column_indices : NULL;
    size_t lines = format == POPSPARSE_CSR ? m.num_row_indices : m.num_column_indices;
    if (offsets) {
        write_offsets(offsets, lines - 1, entries->list, count, format == POPSPARSE_CSC);
        for (size_t i = 0; i < lines; ++i)
            offsets[i] *= area;
    }
    return m;
}
