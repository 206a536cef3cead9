/* SPDX-License-Identifier: Apache-2.0 */
/* Measurements of a sweep, and their picture. */
#ifndef TREMULA_PLOT_H
#define TREMULA_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct measurement {
    bool done;
    double cycles, milliseconds;
    double compute, exchange, sync; /* shares of all tiles' cycles */
    uint64_t fullest;               /* bytes on the fullest tile */
    bool fits;
    char why[300]; /* when not done */
};

/* Writes an SVG with a bar of cycles for each machine, in parts: compute, exchange, sync.  False, with errno. */
bool plot_write(const char *path, const char *title, const char *const *labels, const struct measurement *list,
                size_t count);

#endif
