/* SPDX-License-Identifier: Apache-2.0 */
/* Running copy plans. */
#ifndef ENGINE_COPY_H
#define ENGINE_COPY_H

#include "engine/state.h"

/* A plan between two bases (storage, or a buffer) that do not overlap.  pool may be NULL. */
void copy_run(const struct image *image, const struct image_copy *copy, const unsigned char *source,
              unsigned char *destination, struct thread_pool *pool);
/* A plan within one block, where source and destination may overlap: reads everything first, into temporary
 * (copy->bytes bytes). */
void copy_run_overlapping(const struct image *image, const struct image_copy *copy, unsigned char *block,
                          unsigned char *temporary, struct thread_pool *pool);
/* The two halves of a copy: from a block to a dense buffer, and from there to a block. */
void copy_pack(const struct image *image, const struct image_copy *copy, unsigned char *block, unsigned char *dense,
               struct thread_pool *pool);
void copy_unpack(const struct image *image, const struct image_copy *copy, unsigned char *block, unsigned char *dense,
                 struct thread_pool *pool);

#endif
