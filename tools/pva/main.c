/* SPDX-License-Identifier: Apache-2.0 */
/* pva: report files on the command line. All access to reports uses libpva. */
#include "pva.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *usage, *what;
    int (*run)(int, char **);
} commands[] = {
    { "summary", "DIR [--vars] [--steps] [--per-ipu] [--averages]",
      "what printProfileSummary shows: totals are over all tiles, with --averages of one", command_summary },
    { "query", "DIR \"SQL\" [--format table|csv|json|columns] [--spreadsheet]", "rows of the report's tables",
      command_query },
    { "export", "DIR --to perfetto|chrome|csv|json|html [--output FILE] [--tiles 0,5] [--spreadsheet]",
      "the execution trace in another format, or the analyser's page", command_export },
    { "compare", "A B [--rows N] [--format table|csv|json] [--spreadsheet]",
      "memory and cycles of two reports, by debug path", command_compare },
    { "check", "DIR [--repair]", "whether the report is whole and consistent", command_check },
    { "advise", "DIR [--rows N] [--format table|json]", "what to improve first, and the estimated gain",
      command_advise },
    { "serve", "[DIR [DIR2]] [--port N] [--address A] [--live] [--no-browser] [--query-seconds N]",
      "the report, or two to compare, as a page in a browser", command_serve },
};
enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static void usage(FILE *file)
{
    fprintf(file, "usage: pva COMMAND ...\n\n");
    for (size_t i = 0; i < COMMANDS; ++i)
        fprintf(file, "  pva %-8s %s\n               %s\n", commands[i].name, commands[i].usage, commands[i].what);
    fprintf(file, "\nDIR is a directory with profile.pop, or the file itself.  Exit codes: 0 done, 1 something to look "
                  "at, 2 wrong use or\n"
                  "a file that cannot be read.  pva --version prints the version.\n");
}

int main(int argc, char **argv)
{
    terminal_begin();
    if (argc < 2) {
        usage(stderr);
        return EXIT_WRONG;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        usage(stdout);
        return EXIT_DONE;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        printf("pva " TREMULA_VERSION "\n");
        return EXIT_DONE;
    }
    for (size_t i = 0; i < COMMANDS; ++i)
        if (strcmp(argv[1], commands[i].name) == 0) {
            if (argc == 3 && strcmp(argv[2], "--help") == 0) {
                printf("usage: pva %s %s\n%s\n", commands[i].name, commands[i].usage, commands[i].what);
                return EXIT_DONE;
            }
            int result = commands[i].run(argc - 1, argv + 1);
            if (fflush(stdout) != 0)
                return say(commands[i].name, "standard output cannot be written");
            return result;
        }
    fprintf(stderr, "pva: unknown command '%s' (allowed:", argv[1]);
    for (size_t i = 0; i < COMMANDS; ++i)
        fprintf(stderr, " %s", commands[i].name);
    fprintf(stderr, ")\n");
    return EXIT_WRONG;
}
