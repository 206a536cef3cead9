/* SPDX-License-Identifier: Apache-2.0 */
/* Build tool: `embed DIRECTORY FILE...` writes C source with the contents of the files to standard output: those of
 * DIRECTORY under their names in it, others, which are documents, below help/. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int embed(const char *path, int index)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    printf("static const unsigned char file_%d[] = {", index);
    size_t count = 0;
    for (int byte; (byte = getc(file)) != EOF; ++count)
        printf("%s%d,", count % 32 ? "" : "\n", byte);
    printf("0};\nenum { SIZE_%d = %zu };\n", index, count);
    return fclose(file) != 0;
}

static void name(const char *directory, const char *path, int index)
{
    const char *base = strrchr(path, '/');
    bool inside = strncmp(path, directory, strlen(directory)) == 0;
    printf("    { \"%s%s\", file_%d, SIZE_%d },\n", inside ? "" : "/help",
           inside ? path + strlen(directory)
           : base ? base
                  : path,
           index, index);
}

int main(int argc, char **argv)
{
    printf("#include \"assets.h\"\n");
    int failed = argc < 2;
    for (int i = 2; i < argc; ++i)
        failed |= embed(argv[i], i);
    printf("const struct asset assets[] = {\n");
    for (int i = 2; i < argc; ++i)
        name(argv[1], argv[i], i);
    printf("    { 0, 0, 0 }\n};\nconst size_t assets_count = %d;\n", argc > 2 ? argc - 2 : 0);
    return failed || fflush(stdout) != 0;
}
