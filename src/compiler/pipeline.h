/* SPDX-License-Identifier: Apache-2.0 */
/* The pipeline's entry: a graph and its programs in, an image out. */
#ifndef COMPILER_PIPELINE_H
#define COMPILER_PIPELINE_H

#include "graph/store/store.h"
#include "image/image.h"

/* Errors are returned in *error with the user's line (of the vertex, compute set or program); the store is left as it
 * was.  options are checked and in force (environment included).  placed: a report needs image->placement.  *image is
 * NULL after an error, except when tiles are out of memory: then it is incomplete, for reports only. */
pop_status compile_graph(pop_store *store, const pop_program *programs, size_t count, const struct option_set *options,
                         bool placed, pop_progress progress, void *progress_user, struct image **image,
                         pop_error *error);
/* See pop_compile_pass. */
const char *compile_pass(int done, double *share);

#endif
