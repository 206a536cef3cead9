/* SPDX-License-Identifier: Apache-2.0 */
/* tremula: ONNX models on modelled machines, from the command line. */
#include "base/terminal.h"
#include "tremula.h"

#include <poplar/text.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name, *usage, *what;
    int (*run)(const arguments *);
} commands[] = {
    { "run",
      "MODEL [--device D] [--input [NAME=]x.npy|x.pb|random] [--batch N] [--dim NAME=N] [--type float|half]\n"
      "               [--ipus N] [--batches N] [--report DIR] [--compare DIR] [--tolerance T] [--output DIR]\n"
      "               [--rows N] [--seed N]",
      "runs a model once and prints cycles and memory, and what its nodes cost", command_run },
    { "inspect", "MODEL", "inputs, outputs, weights, and which operators are supported", command_inspect },
    { "sweep",
      "MODEL --machine KEY=A,B,C [--machine ...] [--csv FILE] [--plot FILE.svg] [--jobs N]\n"
      "               [--device D] [--input ...] [--batch N] [--dim NAME=N] [--type float|half]",
      "runs the model on each of several machines", command_sweep },
    { "operators", "", "the operators that are supported", command_operators },
};
enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

int say(const char *command, const char *format, ...)
{
    char text[1200];
    va_list list;
    va_start(list, format);
    pop_text_vformat(text, sizeof(text), format, list);
    va_end(list);
    fflush(stdout);
    fprintf(stderr, "tremula %s: %s\n", command, text);
    return EXIT_WRONG;
}

static void usage(FILE *file)
{
    fprintf(file, "usage: tremula COMMAND ...\n\n");
    for (size_t i = 0; i < COMMANDS; ++i)
        fprintf(file, "  tremula %s%s%s\n               %s\n", commands[i].name, *commands[i].usage ? " " : "",
                commands[i].usage, commands[i].what);
    fprintf(file, "\n"
                  "The device D is a machine: ipu2 (the default), bow, ipu1, ipu21, cpu, or a target as text (\"ipu2 "
                  "type=ipu_model\n"
                  "tiles=64\") or in a file.  KEY is a word of such a text: tiles, memory (bytes of a tile), exchange "
                  "(bytes that a\n"
                  "tile receives in a cycle), clock (Hz), ipus, links (bits a second of a link between IPUs), ...\n"
                  "docs/libraries/onnx.md leads through all of it.\n"
                  "Exit codes: 0 done, 1 outputs differ, 2 wrong use or a model that cannot run.  tremula --version "
                  "prints the version.\n");
}

int main(int argc, char **argv)
{
    static struct terminal output, errors;
    if (isatty(STDOUT_FILENO)) /* names of a model are whatever its writer chose */
        terminal_show(&output, &stdout);
    if (isatty(STDERR_FILENO))
        terminal_show(&errors, &stderr);
    if (argc < 2) {
        usage(stderr);
        return EXIT_WRONG;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        usage(stdout);
        return EXIT_DONE;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        printf("tremula %s\n", pop_version_string());
        return EXIT_DONE;
    }
    for (size_t i = 0; i < COMMANDS; ++i)
        if (strcmp(argv[1], commands[i].name) == 0) {
            arguments a = { .command = argv[1] };
            if (argc == 3 && strcmp(argv[2], "--help") == 0) {
                printf("usage: tremula %s %s\n%s\n", commands[i].name, commands[i].usage, commands[i].what);
                return EXIT_DONE;
            }
            int result = read_arguments(&a, argc - 2, argv + 2) ? commands[i].run(&a) : EXIT_WRONG;
            return fflush(stdout) == 0 ? result : say(argv[1], "standard output cannot be written");
        }
    say("", "unknown command '%s' (allowed: run, inspect, sweep, operators)", argv[1]);
    return EXIT_WRONG;
}
