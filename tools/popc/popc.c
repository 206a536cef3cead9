/* SPDX-License-Identifier: Apache-2.0 */
/* popc: compiles codelets to a .gp file. */
#include <poplar/popc.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: popc [options] <input file> ... -o <output file>\n"
    "\n"
    "Compiles codelets (.c, .cpp) and merges them with compiled ones (.gp) into one .gp file.\n"
    "\n"
    "  -o FILE            the output\n"
    "  -O0 -O1 -O2 -O3    optimisation (-O2)\n"
    "  -Os                measured code of devices is compiled for size\n"
    "  -g                 debug information in the codelets\n"
    "  -D MACRO[=VALUE]   define a macro;  -U MACRO removes it\n"
    "  -I DIR             where #include looks\n"
    "  -isystem DIR       where #include <...> looks;  -iquote DIR where #include \"...\" looks\n"
    "  -include FILE      include FILE first\n"
    "  -W... -w           the compiler's warnings\n"
    "  -std=STANDARD      c99 to c2x (gnu11);  c++11 to c++20 (gnu++17)\n"
    "  -march=LEVEL       x86-64, x86-64-v2, -v3 or -v4 (the highest that this machine has); armv8-a on aarch64\n"
    "  --target LIST      ipu1, ipu2, ipu21 and cpu, with commas between: also measure the code for these devices\n"
    "  --code-of FILE.gp  the sizes of code on devices are those of its vertex types of the same name\n"
    "  --list FILE.gp     print the vertex types of a compiled file, and stop\n"
    "  --list-targets  --help  --version\n"
    "\n"
    "Other -f... and -m... flags have no effect.\n"
    "The C compiler is TREMULA_CC, or gcc; that of C++ TREMULA_CXX, or g++; the devices' is TREMULA_DEVICE_CC, or "
    "clang.  Compiled codelets are cached in TREMULA_CACHE_DIR, or ~/.cache/tremula.\n";

static int wrong(const char *format, const char *word)
{
    fputs("popc: ", stderr);
    fprintf(stderr, format, word);
    fputs("\ntry popc --help\n", stderr);
    return EXIT_FAILURE;
}

/* Appends a word in quotes to the flags. The buffer must have two bytes for each character of the word and four
 * more. */
static char *add_flag(char *end, const char *word)
{
    *end++ = ' ';
    *end++ = '"';
    for (; *word; ++word) {
        if (*word == '"' || *word == '\\')
            *end++ = '\\';
        *end++ = *word;
    }
    *end++ = '"';
    *end = 0;
    return end;
}

static bool takes_argument(const char *word)
{
    return strcmp(word, "-D") == 0 || strcmp(word, "-U") == 0 || strcmp(word, "-I") == 0 ||
           strcmp(word, "-include") == 0 || strcmp(word, "-isystem") == 0 || strcmp(word, "-iquote") == 0 ||
           strcmp(word, "-mllvm") == 0 || strcmp(word, "--target") == 0 || strcmp(word, "--code-of") == 0;
}

/* The compiler's output is printed already; prints only the rest of the error. */
static int report(const pop_error *error)
{
    bool said = error->status == POP_GRAPH_PROGRAM_COMPILATION_ERROR;
    int length = said ? (int)strcspn(error->text, "\n") : (int)strlen(error->text);
    fprintf(stderr, "popc: %.*s\n", length, strncmp(error->text, "popc: ", 6) == 0 ? error->text + 6 : error->text);
    return EXIT_FAILURE;
}

static int compile(char **words, int count, const char **inputs, char *flags)
{
    const char *output = NULL;
    size_t input_count = 0;
    char *end = flags;
    for (int i = 0; i < count; ++i) {
        const char *word = words[i];
        if (strncmp(word, "-o", 2) == 0) {
            if (!word[2] && i + 1 == count)
                return wrong("flag '%s' needs a file after it", word);
            output = word[2] ? word + 2 : words[++i];
        } else if (word[0] == '-' && word[1]) {
            end = add_flag(end, word);
            if (takes_argument(word) && i + 1 < count)
                end = add_flag(end, words[++i]);
        } else {
            inputs[input_count++] = word;
        }
    }
    if (!input_count)
        return wrong("%s was named", "no input file");
    if (!output)
        return wrong("%s was named (-o FILE)", "no output file");
    pop_error error;
    if (popc_compile_files(inputs, input_count, flags, output, true, &error) != POP_OK)
        return report(&error);
    return EXIT_SUCCESS;
}

static int list(int count, char **files)
{
    if (!count)
        return wrong("flag '%s' needs a .gp file after it", "--list");
    for (int i = 0; i < count; ++i) {
        pop_error error;
        if (popc_list_file(files[i], stdout, &error) != POP_OK)
            return report(&error);
    }
    return fflush(stdout) ? wrong("the list was not written: %s", "output error") : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    size_t bytes = 1;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(usage, stdout);
            return EXIT_SUCCESS;
        }
        if (strcmp(argv[i], "--version") == 0) {
            puts("POPLAR version 3.3.0 (Tremula " TREMULA_VERSION
                 ")"); /* scripts read the third word as the SDK's version */
            return EXIT_SUCCESS;
        }
        if (strcmp(argv[i], "--list-targets") == 0) {
            puts("cpu\nipu1\nipu2\nipu21");
            return EXIT_SUCCESS;
        }
        if (strcmp(argv[i], "--list") == 0)
            return list(argc - i - 1, argv + i + 1);
        bytes += 2 * strlen(argv[i]) + 4;
    }
    const char **inputs = calloc((size_t)argc + 1, sizeof(*inputs));
    char *flags = calloc(bytes, 1);
    int code = inputs && flags ? compile(argv + 1, argc - 1, inputs, flags) : wrong("%s", "out of memory");
    free(inputs);
    free(flags);
    return code;
}
