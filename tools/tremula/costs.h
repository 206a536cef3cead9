/* SPDX-License-Identifier: Apache-2.0 */
/* What a run cost: the whole, and its nodes. */
#ifndef TREMULA_COSTS_H
#define TREMULA_COSTS_H

#include "session.h"

typedef struct costs {
    pop_cycles cycles;
    double compute, exchange, sync; /* shares of the cycles of all tiles; the host's exchange is part of exchange */
    double seconds;                 /* at the machine's clock */
    uint64_t fullest, per_tile;     /* bytes on the fullest tile, and of a tile */
    uint64_t needed;                /* bytes up to the last one in use, on the tile with most: a program fits by it */
    uint64_t all;                   /* bytes on all tiles */
} costs;

pop_status read_costs(const session *s, costs *c, pop_error *error);
/* Prints costs, and those of the nodes that take most cycles. */
pop_status print_costs(const session *s, size_t rows, pop_error *error);
/* When a model does not fit: what is missing, and how many IPUs would do. */
void print_shortage(const session *s, const costs *c);

#endif
