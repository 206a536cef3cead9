/* SPDX-License-Identifier: Apache-2.0 */
/* Damages models in many ways and reads them: onnx_damage FILE...  Sanitizers find what the reader does wrong. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 400, MAX_BYTES = 1 << 20 };

static uint64_t state = 1;

static size_t draw(size_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return below ? (size_t)((state >> 33) % below) : 0;
}

/* Changes a few bytes, cuts the end off, or repeats a part of the file in another place. */
static size_t damage(uint8_t *data, size_t size)
{
    size_t kind = draw(4);
    if (kind == 0)
        return draw(size);
    if (kind == 1 && size > 16) {
        size_t length = 1 + draw(16), from = draw(size - length), to = draw(size - length);
        memmove(data + to, data + from, length);
    }
    for (size_t i = 0, n = 1 + draw(4); i < n && size; ++i)
        data[draw(size)] = kind == 2 ? 0xff : (uint8_t)draw(256);
    return size;
}

static size_t read_file(const char *path, uint8_t *data)
{
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(data, 1, MAX_BYTES, file) : 0;
    if (file)
        fclose(file);
    return size;
}

int main(int argc, char **argv)
{
    uint8_t *whole = malloc(MAX_BYTES);
    unsigned files = 0;
    for (int i = 1; i < argc && whole; ++i) {
        size_t size = read_file(argv[i], whole);
        files += size > 0;
        LLVMFuzzerTestOneInput(whole, size);
        for (unsigned round = 0; round < ROUNDS; ++round) {
            uint8_t *copy = malloc(size + 1); /* of the exact size: a sanitizer sees a read beyond it */
            if (!copy)
                break;
            memcpy(copy, whole, size);
            size_t left = damage(copy, size);
            uint8_t *exact = realloc(copy, left + !left);
            LLVMFuzzerTestOneInput(exact ? exact : copy, left);
            free(exact ? exact : copy);
        }
    }
    free(whole);
    printf("%u files, each damaged %d times\n", files, ROUNDS);
    return files ? 0 : 1;
}
