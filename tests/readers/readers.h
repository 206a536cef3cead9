/* SPDX-License-Identifier: Apache-2.0 */
/* Every reader of foreign bytes, as a function that may say what is wrong and must not do anything else. */
#ifndef TESTS_READERS_H
#define TESTS_READERS_H

#include <stddef.h>
#include <stdint.h>

struct reader {
    const char *name; /* and directory of its seeds */
    void (*read)(const uint8_t *data, size_t size);
};
extern const struct reader readers[];
extern const size_t readers_count;
const struct reader *reader_named(const char *name); /* NULL: none */

/* Writes seeds/NAME/... for each reader: files as the project itself writes them. */
void seeds_write(const char *directory);

#endif
