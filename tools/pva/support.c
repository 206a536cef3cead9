/* SPDX-License-Identifier: Apache-2.0 */
#include "pva.h"

#include <poplar/text.h>

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool takes_value(const char *name)
{
    return name[strlen(name) - 1] != '!';
}

static bool is_option(const char *name, const char *word)
{
    size_t length = strlen(name) - !takes_value(name);
    return strlen(word) == length && strncmp(name, word, length) == 0;
}

bool arguments_read(struct arguments *arguments, int argc, char **argv, int min_count, int max_count)
{
    arguments->command = argv[0];
    for (int i = 1; i < argc; ++i) {
        if (argv[i][0] != '-' || !argv[i][1]) {
            if (arguments->count == max_count)
                return say(argv[0], "'%s' is one argument too many", argv[i]), false;
            arguments->words[arguments->count++] = argv[i];
            continue;
        }
        size_t k = 0;
        while (arguments->options[k].name && !is_option(arguments->options[k].name, argv[i]))
            ++k;
        if (!arguments->options[k].name) {
            fprintf(stderr, "pva %s: unknown option '%s' (allowed:", argv[0], argv[i]);
            for (k = 0; arguments->options[k].name; ++k)
                fprintf(stderr, " %.*s", (int)strcspn(arguments->options[k].name, "!"), arguments->options[k].name);
            fprintf(stderr, ")\n");
            return false;
        }
        if (!takes_value(arguments->options[k].name))
            arguments->options[k].value = "";
        else if (++i < argc)
            arguments->options[k].value = argv[i];
        else
            return say(argv[0], "%s needs a value", argv[i - 1]), false;
    }
    if (arguments->count < min_count)
        return say(argv[0], "%d argument%s needed; 'pva --help' shows them", min_count,
                   min_count == 1 ? " is" : "s are"),
               false;
    return true;
}

const char *arguments_get(const struct arguments *arguments, const char *name)
{
    for (size_t k = 0; arguments->options[k].name; ++k)
        if (is_option(arguments->options[k].name, name))
            return arguments->options[k].value;
    return NULL;
}

/* Reads digits up to the end of the text or a comma: no sign, no space, no overflow. */
static bool read_digits(const char **text, uint64_t *number)
{
    size_t digits = strspn(*text, "0123456789");
    errno = 0;
    *number = strtoull(*text, NULL, 10);
    *text += digits;
    return digits && (!**text || **text == ',') && errno == 0;
}

bool arguments_number(const struct arguments *arguments, const char *name, size_t min, size_t max, size_t *number)
{
    const char *value = arguments_get(arguments, name), *end = value;
    uint64_t found;
    if (!value)
        return true;
    if (read_digits(&end, &found) && !*end && found >= min && found <= max) {
        *number = (size_t)found;
        return true;
    }
    if (max == SIZE_MAX)
        say(arguments->command, "%s is '%s' (allowed: whole numbers from %zu on)", name, value, min);
    else
        say(arguments->command, "%s is '%s' (allowed: whole numbers from %zu to %zu)", name, value, min, max);
    return false;
}

bool arguments_numbers(const struct arguments *arguments, const char *name, uint64_t limit, uint64_t *numbers,
                       size_t max_count, size_t *count)
{
    const char *value = arguments_get(arguments, name), *at = value;
    bool good = true, more = value != NULL;
    *count = 0;
    while (more && good) {
        uint64_t number;
        good = read_digits(&at, &number) && number < limit && *count < max_count;
        for (size_t i = 0; i < *count && good; ++i)
            good = numbers[i] != number;
        if (good)
            numbers[(*count)++] = number;
        more = *at == ',';
        at += more;
    }
    if (!good)
        say(arguments->command,
            "%s '%s' is not valid (allowed: whole numbers below %llu, each once, separated by commas, at most %zu)",
            name, value, (unsigned long long)limit, max_count);
    return good;
}

int say(const char *command, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "pva %s: ", command);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    return EXIT_WRONG;
}

int say_error(const char *command, const pop_error *error)
{
    return say(command, "%s", error->text);
}

pva_file *open_or_say(const char *path)
{
    pop_error error = { 0 };
    pva_file *file = pva_open_report(path, NULL, &error);
    if (!file)
        fprintf(stderr, "pva: %s\n", error.text);
    pva_hold(file, true);
    char *warning = file ? pva_text_copy(pva_root(file), PVA_REPORT_WARNING) : NULL;
    if (warning && *warning)
        fprintf(stderr, "pva: warning: %s\n", warning);
    free(warning);
    return file;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

struct progress progress_begin(const char *what, uint64_t total)
{
    return (struct progress){ what, total, UINT64_MAX, isatty(STDERR_FILENO) ? now() : -1 };
}

void progress_at(struct progress *progress, uint64_t done)
{
    enum { WIDTH = 40 };
    uint64_t percent = progress->total ? done * 100 / progress->total : 100;
    if (progress->began < 0 || percent == progress->shown || now() - progress->began < 1)
        return;
    char bar[WIDTH + 1] = { 0 };
    memset(bar, ' ', WIDTH);
    memset(bar, '#', percent > 100 ? WIDTH : (size_t)(percent * WIDTH / 100));
    dprintf(STDERR_FILENO, "\r%s [%s] %3d%%", progress->what, bar, (int)percent); /* stderr escapes "\r" */
    progress->shown = percent;
}

void progress_end(struct progress *progress)
{
    if (progress->began >= 0 && progress->shown != UINT64_MAX)
        dprintf(STDERR_FILENO, "\r\033[K");
}

bool colours(void)
{
    const char *force = getenv("CLICOLOR_FORCE"), *allow = getenv("CLICOLOR"), *terminal = getenv("TERM");
    if (force && strcmp(force, "1") == 0)
        return true;
    return !(allow && strcmp(allow, "0") == 0) && isatty(STDOUT_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
}

static bool for_spreadsheet;

void csv_for_spreadsheet(bool wanted)
{
    for_spreadsheet = wanted;
}

/* Whether a spreadsheet would evaluate the text as a formula. */
static bool is_formula(const char *text)
{
    char *end = NULL;
    if (!*text || !strchr("=+-@\t\r", *text))
        return false;
    pop_text_to_double(text, &end);
    return end == text || *end;
}

void put_csv(FILE *file, const char *text)
{
    if (for_spreadsheet && is_formula(text)) {
        fputs("\"'", file);
        for (; *text; ++text)
            fprintf(file, *text == '"' ? "\"\"" : "%c", *text);
        fputc('"', file);
        return;
    }
    if (!strpbrk(text, ",\"\n\r")) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; ++text)
        fprintf(file, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', file);
}

void put_json(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; ++text)
        if (*text == '"' || *text == '\\')
            fprintf(file, "\\%c", *text);
        else if ((unsigned char)*text < 32)
            fprintf(file, "\\u%04x", (unsigned char)*text);
        else
            fputc(*text, file);
    fputc('"', file);
}

void put_numbers(FILE *file, const char *format, ...)
{
    void *locale = pop_text_begin();
    va_list arguments;
    va_start(arguments, format);
    vfprintf(file, format, arguments);
    va_end(arguments);
    pop_text_end(locale);
}

const char *number_text(char *buffer, uint64_t number)
{
    char digits[24];
    int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)number), used = 0;
    for (int i = 0; i < length; ++i) {
        if (i && (length - i) % 3 == 0)
            buffer[used++] = ',';
        buffer[used++] = digits[i];
    }
    buffer[used] = '\0';
    return buffer;
}

static bool keep_first(void *context, size_t columns, const char *const *names, const pva_value *values)
{
    char **text = context;
    (void)names;
    if (!values)
        return true;
    *text = columns && values[0].text ? strdup(values[0].text) : NULL;
    return false;
}

char *sql_text(pva_file *file, const char *sql)
{
    char *text = NULL;
    return pva_sql(file, sql, keep_first, &text, NULL) == POP_OK ? text : NULL;
}

uint64_t sql_uint(pva_file *file, const char *sql)
{
    char *text = sql_text(file, sql);
    uint64_t number = text ? strtoull(text, NULL, 10) : 0;
    free(text);
    return number;
}
