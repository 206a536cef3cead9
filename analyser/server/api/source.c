/* SPDX-License-Identifier: Apache-2.0 */
/* The user's source lines with their costs. */
#include "../costs.h"
#include "../query.h"
#include "base/file.h"
#include "base/str.h"
#include "base/vec.h"

#include <string.h>
#include <sys/stat.h>

/* The summed costs of the programs of a line, and of its instructions where it is assembly. */
struct line {
    const char *file;
    uint64_t line;
    double elapsed, cycles, tile_cycles, exchange, host, times, estimate, code, state, programs, flops;
    double instructions, slots;
    double readable; /* whether its text can be shown */
};

static int by_place(const void *left, const void *right)
{
    const struct line *a = left, *b = right;
    int order = strcmp(a->file, b->file);
    return order ? order : (a->line > b->line) - (a->line < b->line);
}

static struct line line_of(const struct costs *costs, size_t program)
{
    const struct program_cost *p = &costs->list[program];
    uint32_t context = contexts_line(&costs->contexts, p->context);
    bool known = context != NO_CONTEXT, computes = p->vertices > 0,
         host = p->type && strncmp(p->type, "StreamCopy", strlen("StreamCopy")) == 0;
    return (struct line){ .file = known ? costs->contexts.list[context].file : "",
                          .line = known ? costs->contexts.list[context].line : 0,
                          .elapsed = p->elapsed,
                          .cycles = p->cycles,
                          .tile_cycles = p->tile_cycles,
                          .exchange = computes || host ? 0 : p->elapsed,
                          .host = host ? p->elapsed : 0,
                          .times = p->times,
                          .estimate = p->estimate,
                          .code = p->control_code + p->exchange_code,
                          .state = p->state,
                          .programs = 1,
                          .flops = p->flops * (costs->executed ? p->times : 1) };
}

/* Sums up the lines of all programs, and those of assembly that follow them: `all` lines. */
static size_t gather(const struct costs *costs, struct line *lines, size_t all)
{
    size_t count = 0;
    for (size_t i = 0; i < costs->count; ++i)
        lines[i] = line_of(costs, i);
    qsort(lines, all, sizeof(*lines), by_place);
    for (size_t i = 0; i < all; ++i) {
        struct line *l = &lines[i];
        if (!count || by_place(&lines[count - 1], l) != 0) {
            lines[count++] = *l;
            continue;
        }
        struct line *sum = &lines[count - 1];
        sum->elapsed += l->elapsed;
        sum->cycles += l->cycles;
        sum->tile_cycles += l->tile_cycles;
        sum->exchange += l->exchange;
        sum->host += l->host;
        sum->times += l->times;
        sum->estimate += l->estimate;
        sum->code += l->code;
        sum->state += l->state;
        sum->programs += l->programs;
        sum->flops += l->flops;
        sum->instructions += l->instructions;
        sum->slots += l->slots;
    }
    return count;
}

/* ---- assembly ---- */

static bool has_assembly(pva_file *file)
{
    return query_number(file, "SELECT count(*) FROM pragma_table_info('assembly_lines')", 0) > 0;
}

/* Rows of the lines of assembly; NULL with *error set when they cannot be read. */
static json_t *assembly_rows(pva_file *file, pop_error *error)
{
    return has_assembly(file)
               ? query_rows(file,
                            "SELECT file, line, sum(executions) AS executions, sum(slots) AS slots "
                            "FROM assembly_lines WHERE typeof(file) = 'text' AND typeof(line) = 'integer' AND "
                            "line BETWEEN 0 AND 4294967295 GROUP BY 1, 2",
                            error)
               : json_array();
}

static struct line assembly_line(const json_t *row)
{
    return (struct line){ .file = json_string_value(json_object_get(row, "file")),
                          .line = (uint64_t)json_number_value(json_object_get(row, "line")),
                          .instructions = json_number_value(json_object_get(row, "executions")),
                          .slots = json_number_value(json_object_get(row, "slots")) };
}

/* ---- texts ---- */

static bool names_assembly(pva_file *file, const char *path)
{
    struct str sql = { 0 };
    str_add(&sql, "SELECT count(*) FROM assembly_lines WHERE file = ");
    query_quote(&sql, path);
    bool named = has_assembly(file) && query_number(file, str_text(&sql), 0) > 0;
    str_free(&sql);
    return named;
}

/* Only small regular files that the report names and that look like source are read: a report from an untrusted
 * origin must not expose other files of this machine. */
static bool may_read(pva_file *report, const struct contexts *contexts, const char *path, const char *here)
{
    static const char *const endings[] = { ".c",   ".h",   ".cc", ".cpp", ".cxx", ".hh",
                                           ".hpp", ".hxx", ".py", ".inc", ".S",   ".s" };
    enum { LARGEST_SOURCE = 4 << 20 };
    const char *ending = strrchr(path, '.');
    bool is_source = false, is_named = names_assembly(report, path);
    for (size_t i = 0; ending && i < sizeof(endings) / sizeof(endings[0]); ++i)
        is_source |= strcmp(ending, endings[i]) == 0;
    for (size_t i = 0; i < contexts->count && !is_named; ++i)
        is_named = contexts->list[i].line && strcmp(contexts->list[i].file, path) == 0;
    struct stat about;
    return is_source && is_named && stat(here, &about) == 0 && S_ISREG(about.st_mode) &&
           about.st_size <= LARGEST_SOURCE;
}

static FILE *open_regular(const char *path)
{
    int descriptor = file_open_regular(path);
    return descriptor < 0 ? NULL : fdopen(descriptor, "rb");
}

/* Opens a source file whose path may be relative to the directory of compilation: as given, or below this directory. */
static FILE *open_source(pva_file *report, const struct contexts *contexts, const char *path)
{
    const char *here = path;
    if (may_read(report, contexts, path, here))
        return open_regular(here);
    while (strncmp(here, "../", 3) == 0)
        here += 3;
    return may_read(report, contexts, path, here) ? open_regular(here) : NULL;
}

/* Sets whether the text of each line can be read; lines of a file follow each other. */
static void find_readable(pva_file *report, const struct contexts *contexts, struct line *lines, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (i && strcmp(lines[i].file, lines[i - 1].file) == 0) {
            lines[i].readable = lines[i - 1].readable;
            continue;
        }
        FILE *file = open_source(report, contexts, lines[i].file);
        lines[i].readable = file != NULL;
        if (file)
            fclose(file);
    }
}

/* ---- calls ---- */

pop_status api_source_lines(const struct request *request, struct answer *answer, pop_error *error)
{
    static const struct {
        const char *name;
        size_t offset;
    } figures[] = { { "elapsed", offsetof(struct line, elapsed) },
                    { "cycles", offsetof(struct line, cycles) },
                    { "tileCycles", offsetof(struct line, tile_cycles) },
                    { "exchange", offsetof(struct line, exchange) },
                    { "host", offsetof(struct line, host) },
                    { "times", offsetof(struct line, times) },
                    { "estimate", offsetof(struct line, estimate) },
                    { "code", offsetof(struct line, code) },
                    { "state", offsetof(struct line, state) },
                    { "programs", offsetof(struct line, programs) },
                    { "flops", offsetof(struct line, flops) },
                    { "instructions", offsetof(struct line, instructions) },
                    { "slots", offsetof(struct line, slots) },
                    { "readable", offsetof(struct line, readable) } };
    struct analyser_report *report = request_report(request, error);
    const struct costs *costs = report ? costs_of(report, error) : NULL;
    json_t *assembly = costs ? assembly_rows(report->file, error) : NULL;
    if (!assembly)
        return error->status;
    size_t all = costs->count + json_array_size(assembly);
    struct line *lines = mem_zero(all + 1, sizeof(*lines));
    for (size_t i = costs->count; i < all; ++i)
        lines[i] = assembly_line(json_array_get(assembly, i - costs->count));
    size_t count = gather(costs, lines, all);
    find_readable(report->file, &costs->contexts, lines, count);
    const char **files = mem_zero(count + 1, sizeof(*files));
    double *numbers = mem_zero(count + 1, sizeof(*numbers));
    for (size_t i = 0; i < count; ++i) {
        files[i] = lines[i].file;
        numbers[i] = (double)lines[i].line;
    }
    answer_texts(answer, "file", files, count);
    answer_column(answer, "line", COLUMN_F64, numbers, count);
    for (size_t k = 0; k < sizeof(figures) / sizeof(figures[0]); ++k) {
        for (size_t i = 0; i < count; ++i)
            memcpy(&numbers[i], (const char *)&lines[i] + figures[k].offset, sizeof(double));
        answer_column(answer, figures[k].name, COLUMN_F64, numbers, count);
    }
    answer_meta(answer, json_pack("{s:b, s:b}", "executed", costs->executed, "debug", costs->contexts.count > 0));
    json_decref(assembly);
    free(files);
    free(numbers);
    free(lines);
    return answer_read(report, error);
}

/* Cycles by tile, summed over the programs of a line. */
pop_status api_source_tiles(const struct request *request, struct answer *answer, pop_error *error)
{
    struct analyser_report *report = request_report(request, error);
    const char *file = request_text(request, "file", "");
    uint64_t line;
    const struct costs *costs =
        report && request_uint(request, "line", 0, &line, error) ? costs_of(report, error) : NULL;
    if (!costs)
        return error->status;
    pva_object compilation = pva_get(pva_root(report->file), PVA_REPORT_COMPILATION);
    uint64_t tiles = pva_uint(pva_get(compilation, PVA_COMPILATION_TARGET), PVA_TARGET_TILES_PER_REPLICA);
    double *cycles = mem_zero(tiles + 1, sizeof(*cycles));
    VEC(uint32_t) programs = { 0 };
    for (size_t i = 0; i < costs->count; ++i) {
        struct line of = line_of(costs, i);
        if (of.line != line || strcmp(of.file, file) != 0)
            continue;
        costs_add_tiles(report->file, costs, i, cycles, tiles);
        *vec_push(&programs) = (uint32_t)i;
    }
    answer_column(answer, "cycles", COLUMN_F64, cycles, tiles);
    answer_column(answer, "program", COLUMN_U32, programs.data, programs.count);
    answer_meta(answer, json_pack("{s:b}", "executed", costs->executed));
    vec_free(&programs);
    free(cycles);
    return answer_read(report, error);
}

pop_status api_source_text(const struct request *request, struct answer *answer, pop_error *error)
{
    struct analyser_report *report = request_report(request, error);
    const char *path = request_text(request, "file", "");
    const struct costs *costs = report ? costs_of(report, error) : NULL;
    if (!costs)
        return error->status;
    FILE *file = open_source(report->file, &costs->contexts, path);
    if (!file)
        return answer_fail(error, POP_FILE_LOAD_ERROR,
                           "the source file is not on this machine, or the report does not name it");
    struct str text = { 0 };
    char buffer[4096];
    for (size_t got; (got = fread(buffer, 1, sizeof(buffer), file)) > 0;)
        str_add_bytes(&text, buffer, got);
    fclose(file);
    answer_json(answer, json_pack("{s:o}", "text", answer_string(str_text(&text))));
    str_free(&text);
    return answer_read(report, error);
}
