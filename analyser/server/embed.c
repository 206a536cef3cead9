/* SPDX-License-Identifier: Apache-2.0 */
/* Build tool: `embed DIRECTORY FILE...` writes C source with the contents of the files, named relative to DIRECTORY,
 * to standard output. */
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

int main(int argc, char **argv)
{
    printf("#include \"assets.h\"\n");
    int failed = argc < 2;
    for (int i = 2; i < argc; ++i)
        failed |= embed(argv[i], i);
    printf("const struct asset assets[] = {\n");
    for (int i = 2; i < argc; ++i)
        printf("    { \"%s\", file_%d, SIZE_%d },\n", argv[i] + strlen(argv[1]), i, i);
    printf("    { 0, 0, 0 }\n};\nconst size_t assets_count = %d;\n", argc > 2 ? argc - 2 : 0);
    return failed || fflush(stdout) != 0;
}
