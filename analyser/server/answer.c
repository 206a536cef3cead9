/* SPDX-License-Identifier: Apache-2.0 */
#include "answer.h"
#include "base/error.h"

void answer_json(struct answer *answer, json_t *value)
{
    json_decref(answer->json);
    answer->json = value;
    answer->failed = !value;
}

void answer_column(struct answer *answer, const char *name, enum column_type type, const void *data, size_t count)
{
    answer->has_columns = true;
    columns_add(&answer->columns, name, type, data, count);
}

void answer_rows(struct answer *answer, const void *rows, size_t count, size_t size, const struct row_column *columns,
                 size_t column_count)
{
    static const size_t sizes[] = {
        [COLUMN_U8] = 1,  [COLUMN_U16] = 2, [COLUMN_U32] = 4,
        [COLUMN_F32] = 4, [COLUMN_F64] = 8, [COLUMN_TEXT] = sizeof(const char *),
    };
    void *values = mem_zero(count + 1, sizeof(double) + sizeof(const char *)); /* the widest type fits */
    for (size_t k = 0; k < column_count; ++k) {
        size_t bytes = sizes[columns[k].type];
        for (size_t i = 0; i < count; ++i)
            memcpy((char *)values + i * bytes, (const char *)rows + i * size + columns[k].offset, bytes);
        if (columns[k].type == COLUMN_TEXT)
            answer_texts(answer, columns[k].name, values, count);
        else
            answer_column(answer, columns[k].name, columns[k].type, values, count);
    }
    free(values);
}

void answer_texts(struct answer *answer, const char *name, const char *const *texts, size_t count)
{
    answer->has_columns = true;
    columns_add_texts(&answer->columns, name, texts, count);
}

void answer_meta(struct answer *answer, json_t *meta)
{
    answer->has_columns = true;
    json_decref(answer->columns.meta);
    answer->columns.meta = meta;
    answer->failed = answer->failed || !meta;
}

void answer_clear(struct answer *answer)
{
    json_decref(answer->json);
    columns_free(&answer->columns);
    free(answer->encoded);
    *answer = (struct answer){ 0 };
}

json_t *answer_string(const char *text)
{
    struct str clean = { 0 };
    utf8_add(&clean, text ? text : "");
    json_t *string = json_string_nocheck(str_text(&clean));
    str_free(&clean);
    return string;
}

json_t *answer_text_of(pva_object object, pva_property property)
{
    char *text = pva_text_copy(object, property);
    json_t *string = answer_string(text);
    free(text);
    return string;
}

pop_status answer_fail(pop_error *error, pop_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error_vset(error, status, NO_WHERE, "pva serve", format, arguments);
    va_end(arguments);
    return status;
}

pop_status answer_read(struct analyser_report *report, pop_error *error)
{
    return pva_take_error(report->file, error);
}
