/* SPDX-License-Identifier: Apache-2.0 */
/* The page's files, embedded at build time (embed.c writes the table). */
#ifndef ANALYSER_ASSETS_H
#define ANALYSER_ASSETS_H

#include <stddef.h>

struct asset {
    const char *path; /* "/index.html" */
    const unsigned char *data;
    size_t size;
};
extern const struct asset assets[];
extern const size_t assets_count;

#endif
