/* SPDX-License-Identifier: Apache-2.0 */
/* The pipeline's entry: a graph and its programs in, an image out. */
#ifndef COMPILER_PIPELINE_H
#define COMPILER_PIPELINE_H

#include "graph/store/store.h"
#include "image/image.h"

struct compile_request {
    pop_store *store;
    pop_programs programs;
    const struct option_set *options; /* checked and in force (environment included) */
    bool placed;                      /* a report needs image->placement */
    pop_progress progress;            /* NULL: none */
    void *progress_user;
};
/* Errors are returned in *error with the user's line (of the vertex, compute set or program); the store is left as it
 * was.  *image is NULL after an error, except when tiles are out of memory: then it is incomplete, for reports only. */
pop_status compile_graph(const struct compile_request *request, struct image **image, pop_error *error);
/* See pop_compile_pass. */
const char *compile_pass(int done, double *share);

#endif
