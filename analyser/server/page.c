/* SPDX-License-Identifier: Apache-2.0 */
#include "page.h"

#include "assets.h"
#include "base/error.h"
#include "packed.h"
#include "page_calls.h"
#include "paths.h"

static const struct {
    const char *path;
    endpoint *function;
} calls[] = {
#define ENDPOINT(path, function, what) { path, function },
#define POST_ENDPOINT(path, function, what)
#include "endpoints.def"
#undef ENDPOINT
#undef POST_ENDPOINT
};

/* Where an answer is in the body: that of an equal one, else at its end. */
static size_t position_of(struct page_out *e, const struct str *answer)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (size_t i = 0; i < answer->length; ++i)
        hash = (hash ^ (unsigned char)answer->text[i]) * 1099511628211u;
    for (size_t i = 0; i < e->kept.count; ++i) {
        const struct kept_answer *kept = &e->kept.data[i];
        if (kept->hash == hash && kept->size == answer->length &&
            memcmp(e->body.text + kept->at, answer->text, kept->size) == 0)
            return kept->at;
    }
    *vec_push(&e->kept) = (struct kept_answer){ hash, e->body.length, answer->length };
    str_add_bytes(&e->body, answer->text, answer->length);
    return e->body.length - answer->length;
}

/* Keeps an answer under "path?a=1&b=2", with parameters unescaped and sorted by name. */
static void keep_answer(struct page_out *e, const char *path, const struct parameter *parameters, size_t count,
                        const struct str *answer, bool columns)
{
    struct str key = { 0 }, name = { 0 };
    size_t at = position_of(e, answer);
    str_add(&key, path);
    for (size_t i = 0; i < count; ++i)
        str_format(&key, "%c%s=%s", i ? '&' : '?', parameters[i].name, parameters[i].value);
    utf8_add(&name, key.text);
    json_object_set_new(e->index, name.text,
                        json_pack("[I, I, i]", (json_int_t)at, (json_int_t)answer->length, columns));
    str_free(&key);
    str_free(&name);
}

bool page_call(struct page_out *e, const char *path, const struct parameter *parameters, size_t count, size_t named,
               struct answer *keep)
{
    size_t k = 0;
    while (k < sizeof(calls) / sizeof(calls[0]) && strcmp(calls[k].path, path) != 0)
        ++k;
    struct held held[MAX_REPORTS] = { 0 };
    struct request request = { .reports = e->reports, .socket = -1, .parameters = count, .held = held };
    for (size_t i = 0; i < count; ++i) {
        request.parameter[i].name = mem_string(parameters[i].name);
        request.parameter[i].value = mem_string(parameters[i].value);
    }
    struct answer answer = { 0 };
    pop_error error = { 0 };
    bool good = k < sizeof(calls) / sizeof(calls[0]) && calls[k].function(&request, &answer, &error) == POP_OK &&
                !answer.failed && (answer.json || answer.has_columns);
    request_release(&request);
    request_clear(&request);
    if (good) {
        struct str text = { 0 };
        if (answer.has_columns) {
            text.text = columns_encode(&answer.columns, &text.length);
            columns_planes(&answer.columns, text.text);
        } else {
            text.text = json_dumps(answer.json, JSON_COMPACT | JSON_ENCODE_ANY);
            text.length = text.text ? strlen(text.text) : 0;
        }
        keep_answer(e, path, parameters, named, &text, answer.has_columns);
        free(text.text);
    }
    if (good && keep)
        *keep = answer;
    else
        answer_clear(&answer);
    return good;
}

const struct column *page_column(const struct answer *answer, const char *name)
{
    for (size_t i = 0; i < answer->columns.list.count; ++i)
        if (strcmp(answer->columns.list.data[i].name, name) == 0)
            return &answer->columns.list.data[i];
    return NULL;
}

/* A text column is an array of offsets, then bytes. */
char *page_text(const struct column *column, size_t row)
{
    uint32_t bounds[2];
    memcpy(bounds, (const char *)column->data + row * sizeof(uint32_t), sizeof(bounds));
    const char *bytes = (const char *)column->data + (column->count + 1) * sizeof(uint32_t);
    char *text = mem_alloc(bounds[1] - bounds[0] + 1);
    memcpy(text, bytes + bounds[0], bounds[1] - bounds[0]);
    text[bounds[1] - bounds[0]] = '\0';
    return text;
}

static void export_programs(struct page_out *e)
{
    struct answer list = { 0 };
    if (!page_call(e, "programs/list", NULL, 0, 0, &list))
        return;
    const struct column *types = page_column(&list, "type");
    for (size_t i = 0; types && i < types->count && i < MAX_DETAILS; ++i) {
        char id[24];
        snprintf(id, sizeof(id), "%zu", i);
        page_call(e, "programs/details", &(struct parameter){ "id", id }, 1, 1, NULL);
    }
    answer_clear(&list);
}

static void export_operations(struct page_out *e)
{
    struct answer table = { 0 };
    if (!page_call(e, "operations/table", NULL, 0, 0, &table))
        return;
    size_t i;
    json_t *layer;
    json_array_foreach(json_object_get(table.columns.meta, "layers"), i, layer)
        page_call(e, "operations/table", &(struct parameter){ "layer", json_string_value(layer) }, 1, 1, NULL);
    page_call(e, "operations/graph", NULL, 0, 0, NULL);
    const struct column *contexts = page_column(&table, "context");
    for (i = 0; contexts && i < contexts->count && i < MAX_DETAILS; ++i) {
        char id[24];
        snprintf(id, sizeof(id), "%u", ((const uint32_t *)contexts->data)[i]);
        page_call(e, "operations/graph", &(struct parameter){ "context", id }, 1, 1, NULL);
    }
    answer_clear(&table);
}

static void export_source(struct page_out *e)
{
    struct answer lines = { 0 };
    if (!page_call(e, "source/lines", NULL, 0, 0, &lines))
        return;
    const struct column *files = page_column(&lines, "file"), *numbers = page_column(&lines, "line");
    char *last = mem_string("");
    for (size_t i = 0; files && numbers && i < files->count && i < MAX_DETAILS; ++i) {
        char *file = page_text(files, i), line[24];
        snprintf(line, sizeof(line), "%.0f", ((const double *)numbers->data)[i]);
        if (*file) {
            page_call(e, "source/tiles", (struct parameter[]){ { "file", file }, { "line", line } }, 2, 2, NULL);
            if (strcmp(file, last) != 0) /* lines are sorted by file */
                page_call(e, "source/text", &(struct parameter){ "file", file }, 1, 1, NULL);
        }
        free(last);
        last = file;
    }
    free(last);
    answer_clear(&lines);
}

static const struct asset *find_asset(const char *path)
{
    for (size_t i = 0; i < assets_count; ++i)
        if (strcmp(assets[i].path, path) == 0)
            return &assets[i];
    return NULL;
}

/* Packed bytes, which the loader reads by the element's id. */
static bool put_packed(FILE *out, const char *id, const void *data, size_t size)
{
    fprintf(out, "<script type=\"application/octet-stream\" id=\"%s\">", id);
    bool good = packed_put(out, data, size);
    fputs("</script>\n", out);
    return good;
}

/* The length of the index in eight hexadecimal digits, the index, and the answers. */
static bool put_all(struct page_out *e)
{
    char *index = json_dumps(e->index, JSON_COMPACT);
    struct str all = { 0 };
    str_format(&all, "%08zx%s", strlen(index ? index : ""), index ? index : "");
    str_add_bytes(&all, e->body.text, e->body.length);
    bool good = put_packed(e->out, "answers", all.text, all.length);
    const struct asset *code = find_asset("/page.js"), *style = find_asset("/page.css");
    good = good && code && put_packed(e->out, "code", code->data, code->size);
    good = good && style && put_packed(e->out, "style", style->data, style->size);
    free(index);
    str_free(&all);
    return good;
}

static void gather_answers(struct page_out *e)
{
    static const char *const plain[] = { "reports", "summary", "insights" };
    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); ++i)
        page_call(e, plain[i], NULL, 0, 0, NULL);
    page_call(e, "insights/advice", &(struct parameter){ "rows", "60" }, 1, 1, NULL);
    page_call(e, "flame/tree", NULL, 0, 0, NULL);
    for (size_t i = 0; i < flame_metric_count; ++i)
        page_call(e, "flame/tree", &(struct parameter){ "metric", flame_metrics[i].id }, 1, 1, NULL);
    export_programs(e);
    export_operations(e);
    export_source(e);
    page_trace(e);
    page_memory(e);
    page_liveness(e);
}

pop_status page_export(FILE *out, const char *directory, pop_error *error)
{
    struct page_out e = { .out = out, .reports = reports_new(), .index = json_object() };
    pop_status status = reports_open(e.reports, &directory, 1, error);
    if (status == POP_OK) {
        fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
              "content=\"width=device-width, "
              "initial-scale=1\"><title>Tremula</title></head><body><div id=\"page\"></div>\n",
              out);
        struct report_use *use = reports_use(e.reports, 0, NULL);
        pva_hold(use ? use->report.file : NULL, true);
        gather_answers(&e);
        if (use)
            reports_release(use);
        bool good = put_all(&e);
        fputs("<script type=\"module\">", out);
        const struct asset *loader = find_asset("/loader.js");
        if (loader)
            fwrite(loader->data, 1, loader->size, out);
        fputs("</script></body></html>\n", out);
        if (!good || fflush(out) != 0 || ferror(out))
            status = answer_fail(error, POP_FILE_LOAD_ERROR, "the page cannot be written");
    }
    reports_free(e.reports);
    json_decref(e.index);
    str_free(&e.body);
    vec_free(&e.kept);
    return status;
}
