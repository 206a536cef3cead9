/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers. */
#ifndef TILE_EXEC_RANDOM_H
#define TILE_EXEC_RANDOM_H

#include <stdint.h>

struct tile_context;
struct tile_op;
/* The next 64 random bits of a worker. */
uint64_t prng_next(struct tile_context *c);

#endif
