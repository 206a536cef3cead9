/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of tensors as JSON. */
#ifndef GRAPH_SAVED_SAVED_JSON_H
#define GRAPH_SAVED_SAVED_JSON_H

#include "graph/saved/saved.h"

void saved_write_json(const struct saved *layout, struct str *out);
bool saved_read_json(const char *data, size_t size, struct saved *layout, pop_error *error);
/* Adds text as a JSON string, quotes included. */
void saved_quote(struct str *out, const char *text);

#endif
