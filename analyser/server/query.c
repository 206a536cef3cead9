/* SPDX-License-Identifier: Apache-2.0 */
#include "query.h"

#include "base/vec.h"

#include <math.h>
#include <poplar/text.h>

/* Numbers above 2^53 and infinities are not representable in the page's JSON: they are rounded, or null. */
static json_t *json_of(const pva_value *value)
{
    double number;
    switch (value->kind) {
    case PVA_VALUE_INTEGER:
        return json_integer(strtoll(value->text, NULL, 10));
    case PVA_VALUE_REAL:
        number = pop_text_to_double(value->text, NULL);
        return isfinite(number) ? json_real(number) : json_null();
    case PVA_VALUE_TEXT:
    case PVA_VALUE_BLOB:
        return answer_string(value->text);
    default:
        return json_null();
    }
}

static bool add_object(void *context, size_t columns, const char *const *names, const pva_value *values)
{
    if (!values)
        return true;
    json_t *object = json_object();
    for (size_t i = 0; i < columns; ++i)
        json_object_set_new(object, names[i], json_of(&values[i]));
    json_array_append_new(context, object);
    return true;
}

json_t *query_rows(pva_file *file, const char *sql, pop_error *error)
{
    json_t *rows = json_array();
    if (pva_sql(file, sql, add_object, rows, error) == POP_OK)
        return rows;
    json_decref(rows);
    return NULL;
}

json_t *query_row(pva_file *file, const char *sql, pop_error *error)
{
    json_t *rows = query_rows(file, sql, error);
    if (!rows)
        return NULL;
    json_t *first = json_array_size(rows) ? json_incref(json_array_get(rows, 0)) : json_null();
    json_decref(rows);
    return first;
}

json_t *query_parts(pva_file *file, const struct query_part *parts, size_t count, pop_error *error)
{
    json_t *all = json_object();
    for (size_t i = 0; i < count; ++i) {
        json_t *value = parts[i].one ? query_row(file, parts[i].sql, error) : query_rows(file, parts[i].sql, error);
        if (!value) {
            json_decref(all);
            return NULL;
        }
        json_object_set_new(all, parts[i].name, value);
    }
    return all;
}

enum { MAX_COLUMNS = 24, ROWS_BETWEEN_CHECKS = 4096 };

/* Columns that a query fills. */
struct gathered {
    const struct request *request;
    const char *types;
    size_t rows;
    bool cancelled;
    char *names[MAX_COLUMNS];
    VEC(double) numbers[MAX_COLUMNS];
    VEC(char *) texts[MAX_COLUMNS];
};

static double number_of(const pva_value *value)
{
    return value->text ? pop_text_to_double(value->text, NULL) : NAN;
}

static bool gather_row(void *context, size_t columns, const char *const *names, const pva_value *values)
{
    struct gathered *all = context;
    size_t wanted = strlen(all->types);
    if (!values) {
        for (size_t i = 0; i < columns && i < wanted; ++i)
            all->names[i] = mem_string(names[i]);
        return columns >= wanted;
    }
    for (size_t i = 0; i < wanted; ++i)
        if (all->types[i] == 't')
            *vec_push(&all->texts[i]) = mem_string(values[i].text ? values[i].text : "");
        else
            *vec_push(&all->numbers[i]) = number_of(&values[i]);
    ++all->rows;
    if (all->rows % ROWS_BETWEEN_CHECKS == 0 && request_cancelled(all->request))
        all->cancelled = true;
    return !all->cancelled;
}

pop_status query_columns(const struct request *request, pva_file *file, struct answer *answer, const char *types,
                         const char *sql, pop_error *error)
{
    struct gathered all = { .request = request, .types = types };
    size_t wanted = strlen(types);
    pop_status status = pva_sql(file, sql, gather_row, &all, error);
    if (status == POP_OK && all.cancelled)
        status = answer_fail(error, POP_APPLICATION_RUNTIME_ERROR, "the call was cancelled");
    for (size_t i = 0; i < wanted; ++i) {
        if (status == POP_OK && types[i] == 't')
            answer_texts(answer, all.names[i], (const char *const *)all.texts[i].data, all.rows);
        else if (status == POP_OK)
            answer_column(answer, all.names[i], COLUMN_F64, all.numbers[i].data, all.rows);
        for (size_t row = 0; row < all.texts[i].count; ++row)
            free(all.texts[i].data[row]);
        vec_free(&all.texts[i]);
        vec_free(&all.numbers[i]);
        free(all.names[i]);
    }
    return status;
}

struct numbers {
    VEC(double) list;
};

static bool add_number(void *context, size_t columns, const char *const *names, const pva_value *values)
{
    struct numbers *numbers = context;
    (void)names;
    if (values && columns)
        *vec_push(&numbers->list) = number_of(&values[0]);
    return true;
}

double *query_numbers(pva_file *file, const char *sql, size_t *count, pop_error *error)
{
    struct numbers numbers = { 0 };
    if (pva_sql(file, sql, add_number, &numbers, error) != POP_OK) {
        vec_free(&numbers.list);
        return NULL;
    }
    *count = numbers.list.count;
    return numbers.list.data ? numbers.list.data : mem_zero(1, sizeof(double));
}

double query_number(pva_file *file, const char *sql, double fallback)
{
    size_t count = 0;
    double *numbers = query_numbers(file, sql, &count, NULL), first = fallback;
    if (numbers && count && !isnan(numbers[0]))
        first = numbers[0];
    free(numbers);
    return first;
}

void query_quote(struct str *sql, const char *text)
{
    str_add(sql, "'");
    for (; *text; ++text)
        str_add_bytes(sql, *text == '\'' ? "''" : text, *text == '\'' ? 2 : 1);
    str_add(sql, "'");
}

struct sums {
    double *values;
    size_t count;
};

/* Adds an array in the form "[1,2,3]". */
static bool add_array(void *context, size_t columns, const char *const *names, const pva_value *values)
{
    struct sums *sums = context;
    (void)names;
    if (!values || !columns || !values[0].text)
        return true;
    const char *text = values[0].text + (*values[0].text == '[');
    for (size_t i = 0; i < sums->count && *text && *text != ']'; ++i) {
        char *end;
        sums->values[i] += (double)strtoull(text, &end, 10);
        text = end + (*end == ',');
    }
    return true;
}

pop_status query_add_array(pva_file *file, const char *sql, double *sums, size_t count, pop_error *error)
{
    struct sums to = { sums, count };
    return pva_sql(file, sql, add_array, &to, error);
}

pva_object query_variable(pva_file *file, uint64_t id)
{
    pva_object compilation = pva_get(pva_root(file), PVA_REPORT_COMPILATION);
    uint64_t low = 0, high = pva_count(compilation, PVA_COMPILATION_VARIABLES);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        pva_object variable = pva_at(compilation, PVA_COMPILATION_VARIABLES, middle);
        uint64_t found = pva_uint(variable, PVA_VARIABLE_ID);
        if (found == id)
            return variable;
        if (found < id)
            low = middle + 1;
        else
            high = middle;
    }
    return (pva_object){ 0 };
}
