/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the commands: arguments, errors, progress, text output. */
#ifndef TOOLS_PVA_H
#define TOOLS_PVA_H

#include <pva/pva.h>

/* Exit codes: success; success with findings (check: the report is incomplete or inconsistent; compare: the reports
 * differ); wrong usage or an unreadable file. */
enum { EXIT_DONE = 0, EXIT_FOUND = 1, EXIT_WRONG = 2 };

/* Arguments of a command: known `--name value` options, flags, and positional words. */
struct arguments {
    const char *command;
    const char *words[4]; /* positional words */
    int count;
    struct {
        const char *name;  /* "--format"; a name that ends in '!' is a flag without a value */
        const char *value; /* NULL: not given; "" for a flag */
    } options[12];
};
/* Parses the arguments; false, with a line on standard error, when an option is unknown or the number of words is
 * not from `least` to `most`. */
bool arguments_read(struct arguments *arguments, int argc, char **argv, int min_count, int max_count);
const char *arguments_get(const struct arguments *arguments, const char *name); /* NULL: not given */
/* The integer value of an option: *number is unchanged when the option is not given. False, with a line on standard
 * error, when its value is not an integer from min to max. */
bool arguments_number(const struct arguments *arguments, const char *name, size_t min, size_t max, size_t *number);
/* Distinct integers below limit, separated by commas, at most `most` of them; *count is 0 when the option is not
 * given. False, with a line on standard error, for any other value. */
bool arguments_numbers(const struct arguments *arguments, const char *name, uint64_t limit, uint64_t *numbers,
                       size_t max_count, size_t *count);

/* Opens a report; on failure prints the error and returns NULL. */
pva_file *open_or_say(const char *path);
/* Prints an error; returns EXIT_WRONG. */
int say(const char *command, const char *format, ...) POP_PRINTF(2, 3);
int say_error(const char *command, const pop_error *error);

/* A progress bar on standard error, shown when that is a terminal and the work takes longer than a second. */
struct progress {
    const char *what;
    uint64_t total, shown;
    double began;
};
struct progress progress_begin(const char *what, uint64_t total);
void progress_at(struct progress *progress, uint64_t done);
void progress_end(struct progress *progress);

/* Whether standard output accepts colours (CLICOLOR, CLICOLOR_FORCE, a terminal). */
bool colours(void);
/* From now on, what would control a terminal is shown escaped on terminals and wherever colours are (base/terminal.h).
 */
void terminal_begin(void);
/* Standard output without that, for text whose names are escaped already; what was written before is in it. */
FILE *terminal_below(void);
/* Writes a colour to standard output, where it accepts colours. */
enum paint { PAINT_NONE = 0, PAINT_BOLD = 1, PAINT_RED = 31, PAINT_GREEN = 32 };
void paint(enum paint how);
/* Whether put_csv writes an apostrophe before text that a spreadsheet would evaluate as a formula: text other than
 * numbers that begins with = + - @, a tab or a carriage return. */
void csv_for_spreadsheet(bool wanted);
/* Write text with the quoting of CSV or JSON. */
void put_csv(FILE *file, const char *text);
void put_json(FILE *file, const char *text);
/* As fprintf, with a decimal point in every locale. */
void put_numbers(FILE *file, const char *format, ...) POP_PRINTF(2, 3);
/* Formats "1,234,567"; the buffer has 32 bytes. */
const char *number_text(char *buffer, uint64_t number);

/* The text in the first column of a query's first row, malloc'ed; NULL when there is none. */
char *sql_text(pva_file *file, const char *sql);
/* The first column of a query's first row as a number; 0 when there is none. */
uint64_t sql_uint(pva_file *file, const char *sql);

int command_summary(int argc, char **argv);
int command_query(int argc, char **argv);
int command_export(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_check(int argc, char **argv);
int command_advise(int argc, char **argv);
int command_serve(int argc, char **argv);

#endif
