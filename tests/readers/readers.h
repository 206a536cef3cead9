/* SPDX-License-Identifier: Apache-2.0 */
/* Every reader of foreign bytes, as a function that may report an error and must have no other effect. */
#ifndef TESTS_READERS_H
#define TESTS_READERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reader {
    const char *name; /* and directory of its seeds */
    void (*read)(const uint8_t *data, size_t size);
    bool sealed; /* its files end with a checksum */
};
extern const struct reader readers[];
extern const size_t readers_count;
const struct reader *reader_named(const char *name); /* NULL: none */
/* Makes the checksum of a damaged container right again, so that what follows its check is tested. */
void reader_seal(uint8_t *data, size_t size);

/* running.c: executables that are run, and their seeds. */
void read_running(const uint8_t *data, size_t size);
void running_seeds(const char *directory);

/* Writes seeds/NAME/... for each reader: files that the project itself writes. */
void seeds_write(const char *directory);

#endif
