/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of tensors as a container: sections "variables" and "tensors". */
#ifndef GRAPH_SAVED_SAVED_BINARY_H
#define GRAPH_SAVED_SAVED_BINARY_H

#include "graph/saved/saved.h"

/* The two forms of a file.  Reading gives false, and the reason in *error, for a malformed file. */
void saved_write_binary(const struct saved *layout, char **file, size_t *size);
bool saved_read_binary(const char *data, size_t size, struct saved *layout, pop_error *error);

#endif
