/* SPDX-License-Identifier: Apache-2.0 */
/* damaged DIRECTORY: reads a report whose debug.cbor is truncated after it was opened, and once more while it is read:
 * never a signal. */
#include <pva/pva.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pva_file *opened(const char *directory)
{
    pop_error error;
    pva_file *file = pva_open_report(directory, NULL, &error);
    if (!file) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    return file;
}

/* Reads every context; returns whether that failed with an error that names the file. */
static bool fails(pva_file *file, const char *what)
{
    pop_error error = { 0 };
    pva_object report = pva_root(file);
    uint64_t count = pva_count(report, PVA_REPORT_DEBUG_CONTEXTS);
    for (uint64_t i = 0; i < count; ++i)
        free(pva_text_copy(pva_at(report, PVA_REPORT_DEBUG_CONTEXTS, i), PVA_DEBUG_CONTEXT_JSON));
    bool failed = pva_take_error(file, &error) != POP_OK && strstr(error.text, "debug.cbor");
    pva_close(file);
    if (!failed)
        fprintf(stderr, "%s: without an error\n", what);
    return failed;
}

int main(int argc, char **argv)
{
    char path[512];
    struct stat facts;
    if (argc != 2)
        return 2;
    snprintf(path, sizeof(path), "%s/debug.cbor", argv[1]);
    if (stat(path, &facts) != 0)
        return 2;
    pva_file *indexed = opened(argv[1]), *early = opened(argv[1]), *empty = opened(argv[1]);
    if (!pva_count(pva_root(indexed), PVA_REPORT_DEBUG_CONTEXTS) || truncate(path, facts.st_size / 2) != 0)
        return 1;
    bool good = fails(early, "cut before it was read");
    if (truncate(path, 0) != 0)
        return 1;
    good = fails(empty, "emptied") && good;
    (void)fails(indexed, "cut while it is read"); /* contexts that were read before are valid; the rest is an error */
    return good ? 0 : 1;
}
