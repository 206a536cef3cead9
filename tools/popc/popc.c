/* SPDX-License-Identifier: Apache-2.0 */
/* popc: compiles codelets to a .gp file. */
#include <poplar/popc.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: popc [options] <input file> ... -o <output file>\n"
    "\n"
    "Compiles codelets (.c, .cpp, .S) and merges them with compiled ones (.gp) into one .gp file.\n"
    "Files may use each other's functions and data, and need not have a vertex.\n"
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
    "  --sizes-only       with --target: no code from which cycles are counted, for vertices with estimators\n"
    "  --tile-builtins    C++ has __IPU__, the tile's builtins and inline assembly, which run in an interpreter\n"
    "  --call-assembly    C++ may call functions of .S files; a .S file among the inputs implies it\n"
    "  --list FILE.gp     print the vertex types of a compiled file, and stop\n"
    "  --list-targets  --help  --version\n"
    "\n"
    "Long flags have one dash or two.  Directories of CPATH, CPLUS_INCLUDE_PATH and C_INCLUDE_PATH follow those of "
    "-I.\n"
    "Other -f... and -m... flags, -S, -x, -emit-llvm, -Xclang and -M... have no effect.\n"
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

/* Whether a flag is followed by its value, the next word (NULL: there is none); long flags have one dash or two. */
static bool takes_argument(const char *word, const char *next)
{
    static const char *const names[] = { "D",      "U",       "I",      "include", "isystem", "iquote", "mllvm",
                                         "target", "code-of", "Xclang", "x",       "MF",      "MT",     "MQ" };
    word += word[1] == '-' ? 2 : 1;
    if (strcmp(word, "O") == 0) /* -O alone is a flag, too */
        return next && strlen(next) == 1 && strchr("0123s", *next);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
        if (strcmp(word, names[i]) == 0)
            return true;
    return false;
}

/* The file in -oFILE, -o=FILE, --o=FILE, --output=FILE, or the word after -o, --o and --output; NULL for other words.
 */
static const char *output_of(char **words, int count, int *i)
{
    const char *word = words[*i], *rest = NULL;
    if (strncmp(word, "--o", 3) == 0 && (!word[3] || word[3] == '='))
        rest = word + 3;
    else if (strncmp(word, "--output", 8) == 0 && (!word[8] || word[8] == '='))
        rest = word + 8;
    else if (strncmp(word, "-output", 7) == 0 && (!word[7] || word[7] == '='))
        rest = word + 7;
    else if (strncmp(word, "-o", 2) == 0)
        rest = word + 2;
    if (!rest)
        return NULL;
    if (*rest)
        return rest + (*rest == '=');
    return *i + 1 < count ? words[++*i] : "";
}

/* Environment variables with directories of headers.  Compilers read the last two for C++ and C alone. */
static const char *const search_paths[] = { "CPATH", "CPLUS_INCLUDE_PATH", "C_INCLUDE_PATH" };
enum { SEARCH_PATHS = sizeof(search_paths) / sizeof(search_paths[0]) };

/* Appends -I for each directory of a path, after those of the command, as compilers do; an empty entry is the working
 * directory. */
static char *add_search_path(char *end, const char *path)
{
    for (; path; path = strchr(path, ':') ? strchr(path, ':') + 1 : NULL) {
        char entry[4096];
        int length = (int)strcspn(path, ":");
        snprintf(entry, sizeof(entry), "-I%.*s", length ? length : 1, length ? path : ".");
        end = add_flag(end, entry);
    }
    return end;
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
        const char *file = output_of(words, count, &i);
        if (file) {
            if (!*file)
                return wrong("flag '%s' needs a file after it", word);
            output = file;
        } else if (word[0] == '-' && word[1]) {
            end = add_flag(end, word);
            if (i + 1 < count && takes_argument(word, words[i + 1]))
                end = add_flag(end, words[++i]);
        } else {
            inputs[input_count++] = word;
        }
    }
    for (size_t i = 0; i < SEARCH_PATHS; ++i)
        end = add_search_path(end, getenv(search_paths[i]));
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
    for (size_t i = 0; i < SEARCH_PATHS; ++i)
        if (getenv(search_paths[i]))
            bytes += 8 * strlen(getenv(search_paths[i])) + 16;
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
