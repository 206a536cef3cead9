/* SPDX-License-Identifier: Apache-2.0 */
/* Runs every reader, or the one that the command line names, on seeds and damaged seeds: none may crash, hang or leak.
 * TREMULA_ROUNDS multiplies the rounds; a file named after a reader's name is read alone. */
#include "readers.h"
#include "rounds.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 60, SECONDS = 60 /* for one input */ };

static uint64_t state = 1;
static uint64_t roll(uint64_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return below ? (state >> 20) % below : 0;
}

static uint8_t *load(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "readers: cannot open '%s'\n", path);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = malloc(*size + 1);
    *size = fread(data, 1, *size, file);
    fclose(file);
    return data;
}

/* One to four damages: a flipped bit, a number that is nearly too large, a cut, a duplicated piece. */
static size_t damage(uint8_t *data, size_t size)
{
    static const uint64_t numbers[] = { 0, 1, 0x7f, 0xff, 0x7fffffff, 0xffffffff, 0x7fffffffffffffff, UINT64_MAX };
    for (uint64_t times = 1 + roll(4); times && size > 8; --times) {
        size_t at = (size_t)roll(size - 8);
        switch (roll(4)) {
        case 0:
            data[at] ^= (uint8_t)(1u << roll(8));
            break;
        case 1:
            memcpy(data + at, &numbers[roll(8)], 1u << roll(4));
            break;
        case 2:
            size = at + 8;
            break;
        default:
            memmove(data + at, data + roll(size - 8), (size_t)roll(8) + 1);
            break;
        }
    }
    return size;
}

/* Saves the current input, so that a crash can be reproduced: readers NAME readers.last */
static void keep(const uint8_t *data, size_t size)
{
    FILE *file = fopen("readers.last", "wb");
    if (file) {
        (void)!fwrite(data, 1, size, file);
        fclose(file);
    }
}

static void read_seed(const struct reader *reader, const char *path, int times)
{
    size_t size;
    uint8_t *data = load(path, &size);
    reader->read(data, size);
    reader->read(data, 0);
    for (int i = 0; i < times; ++i) {
        uint8_t *copy = malloc(size + 1);
        memcpy(copy, data, size);
        size_t damaged = damage(copy, size);
        uint8_t *exact = malloc(damaged + !damaged); /* of the exact size: the sanitizer detects a read beyond it */
        memcpy(exact, copy, damaged);
        if (reader->sealed && i % 4)
            reader_seal(exact, damaged);
        keep(exact, damaged);
        alarm(SECONDS);
        reader->read(exact, damaged);
        alarm(0);
        free(exact);
        free(copy);
    }
    free(data);
}

static void each_seed(const struct reader *reader, const char *seeds, int times)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", seeds, reader->name);
    DIR *directory = opendir(path);
    if (!directory) {
        fprintf(stderr, "readers: '%s' has no seed\n", reader->name);
        exit(1);
    }
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "%s/%s/%s", seeds, reader->name, entry->d_name);
        read_seed(reader, path, times);
    }
    closedir(directory);
    printf("%s: whole, and damaged %d times\n", reader->name, times);
}

int main(int argc, char **argv)
{
    const char *seeds = "readers.seeds";
    if (argc == 3 && !strcmp(argv[1], "-s")) { /* only writes them: the corpus of tremula-readers-fuzz */
        seeds_write(argv[2]);
        return 0;
    }
    if (argc == 3 && reader_named(argv[1])) {
        read_seed(reader_named(argv[1]), argv[2], 0);
        return 0;
    }
    seeds_write(seeds);
    setenv("TREMULA_READERS_REPORT", "readers.seeds/report/profile.pop", 1);
    for (size_t i = 0; i < readers_count; ++i)
        if (argc != 2 || !strcmp(argv[1], readers[i].name))
            each_seed(&readers[i], seeds, (int)rounds(ROUNDS));
    return 0;
}
