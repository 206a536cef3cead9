/* SPDX-License-Identifier: Apache-2.0 */
#include "page.h"

#include "assets.h"
#include "base/error.h"
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

/* Writes JSON into a <script>; escapes "<" so that it cannot contain an end tag. */
static void put_json(FILE *out, json_t *json)
{
    char *text = json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY);
    for (const char *at = text; at && *at;) {
        size_t plain = strcspn(at, "<");
        fwrite(at, 1, plain, out);
        at += plain;
        if (*at) {
            fputs("\\u003c", out);
            ++at;
        }
    }
    free(text);
}

static void put_base64(FILE *out, const unsigned char *data, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[4096];
    size_t used = 0;
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        unsigned bits =
            (unsigned)data[i] << 16 | (left > 1 ? (unsigned)data[i + 1] << 8 : 0) | (left > 2 ? data[i + 2] : 0);
        text[used++] = digits[bits >> 18];
        text[used++] = digits[bits >> 12 & 63];
        text[used++] = left > 1 ? digits[bits >> 6 & 63] : '=';
        text[used++] = left > 2 ? digits[bits & 63] : '=';
        if (used == sizeof(text) || left <= 3) {
            fwrite(text, 1, used, out);
            used = 0;
        }
    }
}

/* Writes "path?a=1&b=2", with parameters unescaped and sorted by name. */
static void put_key(struct page_out *e, const char *path, const struct parameter *parameters, size_t count)
{
    struct str key = { 0 };
    str_add(&key, path);
    for (size_t i = 0; i < count; ++i)
        str_format(&key, "%c%s=%s", i ? '&' : '?', parameters[i].name, parameters[i].value);
    json_t *text = answer_string(key.text);
    fputs(e->any ? ",\n" : "\n", e->out);
    put_json(e->out, text);
    fputc(':', e->out);
    json_decref(text);
    str_free(&key);
    e->any = true;
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
        put_key(e, path, parameters, named);
        if (answer.has_columns) {
            size_t size;
            char *data = columns_encode(&answer.columns, &size);
            fputc('"', e->out);
            put_base64(e->out, (const unsigned char *)data, size);
            fputc('"', e->out);
            free(data);
        } else {
            put_json(e->out, answer.json);
        }
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

/* Writes an asset between tags; an end tag in a script's text is split. */
static void put_asset(FILE *out, const char *path)
{
    const struct asset *asset = find_asset(path);
    for (size_t i = 0; asset && i < asset->size; ++i) {
        if (asset->data[i] == '/' && i && asset->data[i - 1] == '<' && asset->size - i > 7 &&
            memcmp(asset->data + i, "/script", 7) == 0)
            fputc('\\', out);
        fputc(asset->data[i], out);
    }
}

static void put_answers(struct page_out *e)
{
    static const char *const plain[] = { "reports", "summary", "insights" };
    fputs("<script type=\"application/json\" id=\"answers\">{", e->out);
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
    fputs("}</script>\n", e->out);
}

pop_status page_export(FILE *out, const char *directory, pop_error *error)
{
    struct page_out e = { .out = out, .reports = reports_new() };
    pop_status status = reports_open(e.reports, &directory, 1, error);
    if (status == POP_OK) {
        fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
              "content=\"width=device-width, "
              "initial-scale=1\"><title>Tremula</title>\n<style>",
              out);
        put_asset(out, "/page.css");
        fputs("</style></head><body><div id=\"page\"></div>\n", out);
        struct report_use *use = reports_use(e.reports, 0, NULL);
        pva_hold(use ? use->report.file : NULL, true);
        put_answers(&e);
        if (use)
            reports_release(use);
        fputs("<script type=\"module\">", out);
        put_asset(out, "/page.js");
        fputs("</script></body></html>\n", out);
        if (fflush(out) != 0 || ferror(out))
            status = answer_fail(error, POP_FILE_LOAD_ERROR, "the page cannot be written");
    }
    reports_free(e.reports);
    return status;
}
