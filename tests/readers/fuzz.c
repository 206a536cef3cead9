/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer's entry: TREMULA_READER names the reader (scripts/fuzz-readers). */
#include "readers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct reader *reader;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    reader = reader_named(getenv("TREMULA_READER"));
    if (!reader) {
        fprintf(stderr, "TREMULA_READER is no reader\n");
        exit(1);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *sealed = reader->sealed ? malloc(size + !size) : NULL;
    if (sealed) {
        memcpy(sealed, data, size);
        reader_seal(sealed, size);
    }
    reader->read(sealed ? sealed : data, size);
    free(sealed);
    return 0;
}
