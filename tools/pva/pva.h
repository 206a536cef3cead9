/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands share: arguments, errors, progress, tables of text. */
#ifndef TOOLS_PVA_H
#define TOOLS_PVA_H

#include <pva/pva.h>

/* Exit codes: done; done, and there is something to look at (check: the report is not whole; compare: the reports
 * differ); wrong use, or a file that cannot be read. */
enum { EXIT_DONE = 0, EXIT_FOUND = 1, EXIT_WRONG = 2 };

/* Arguments of a command: `--name value` pairs that it knows, flags, and the others. */
struct arguments {
    const char *command;
    const char *words[4]; /* those without a name */
    int count;
    struct {
        const char *name;  /* "--format"; a name that ends in '!' takes no value */
        const char *value; /* NULL: not given; "" for a flag */
    } options[12];
};
/* Reads them; false, with a line on standard error, when one is not known or there are others than `least` to `most`
 * words. */
bool arguments_read(struct arguments *arguments, int argc, char **argv, int least, int most);
const char *arguments_get(const struct arguments *arguments, const char *name); /* NULL: not given */
/* The whole number of an option: *number stays as it is when the option is not given.  False, with a line on standard
 * error, when its value is not a whole number from min to max. */
bool arguments_number(const struct arguments *arguments, const char *name, size_t min, size_t max, size_t *number);
/* Whole numbers below limit with commas between, at most `most` of them, each once; *count is 0 when the option is not
 * given.  False, with a line on standard error, when its value is something else. */
bool arguments_numbers(const struct arguments *arguments, const char *name, uint64_t limit, uint64_t *numbers,
                       size_t most, size_t *count);

/* Opens a report, or says why not and returns NULL. */
pva_file *open_or_say(const char *path);
/* Prints an error; returns EXIT_WRONG. */
int say(const char *command, const char *format, ...) POP_PRINTF(2, 3);
int say_error(const char *command, const pop_error *error);

/* A bar on standard error, where that is a terminal and the work takes longer than a second. */
struct progress {
    const char *what;
    uint64_t total, shown;
    double began;
};
struct progress progress_begin(const char *what, uint64_t total);
void progress_at(struct progress *progress, uint64_t done);
void progress_end(struct progress *progress);

/* Whether standard output takes colours (CLICOLOR, CLICOLOR_FORCE, a terminal). */
bool colours(void);
/* Writes text as CSV or JSON wants it. */
void put_csv(FILE *file, const char *text);
void put_json(FILE *file, const char *text);
/* As fprintf, with a decimal point in every locale. */
void put_numbers(FILE *file, const char *format, ...) POP_PRINTF(2, 3);
/* "1,234,567"; the buffer has 32 bytes. */
const char *number_text(char *buffer, uint64_t number);

/* A text that a query gives in its first column and row; malloc'ed, NULL when there is none. */
char *sql_text(pva_file *file, const char *sql);
/* The same as a number; 0 when there is none. */
uint64_t sql_uint(pva_file *file, const char *sql);

int command_summary(int argc, char **argv);
int command_query(int argc, char **argv);
int command_export(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_check(int argc, char **argv);
int command_advise(int argc, char **argv);
int command_serve(int argc, char **argv);

#endif
