/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of tensors apart from any graph: what pop_graph_serialize_tensors writes and pop_graph_deserialize_tensors
 * reads. */
#ifndef GRAPH_SAVED_SAVED_H
#define GRAPH_SAVED_SAVED_H

#include "base/container.h"
#include "base/str.h"
#include "graph/store/store.h"

struct saved_variable {
    char *name; /* malloc'ed */
    uint64_t elements;
    uint8_t type;
    bool constant, follows_vertex;
    bool fill;                     /* a constant's contents are one element */
    VEC(unsigned char) contents;   /* of a constant, device data */
    VEC(struct tile_range) ranges; /* compact; tiles of the top-level graph */
};
struct saved_piece {
    uint32_t variable, digits;
    uint64_t offset;
};
struct saved_tensor {
    uint8_t type;
    VEC(size_t) shape;
    VEC(struct saved_piece) pieces;
    VEC(struct digit) digits; /* of all pieces */
};
struct saved {
    VEC(struct saved_variable) variables;
    VEC(struct saved_tensor) tensors;
};

/* Adds a tensor of the store; index maps variables to the layout's (index + 1, 0 for none yet). */
void saved_collect(struct saved *layout, const pop_store *store, pop_tensor t, uint32_t *index);
/* Whether the layout can be built in a graph with the given number of tiles; otherwise text receives the reason. */
bool saved_check(const struct saved *layout, unsigned tiles, char *text, size_t size);
/* Makes new variables, and tensors of them; the layout was checked.  The only possible error is the limit of variables.
 */
bool saved_build(const struct saved *layout, pop_graph *graph, pop_where where, const char *api, pop_tensor *tensors,
                 size_t capacity);
void saved_free(struct saved *layout);

struct saved_variable *saved_add_variable(struct saved *layout); /* all zero */
struct saved_tensor *saved_add_tensor(struct saved *layout);

/* serialize.c: serialisation: layouts of tensors, which can be read back; dump.c writes the whole graph for tools. */

/* Whether the data was written; whether the arguments are valid. On false the graph has the error. */
bool saved_put(pop_graph *graph, pop_where where, const char *api, FILE *file, const void *data, size_t size);
bool saved_check_file(pop_graph *graph, pop_where where, const char *api, const FILE *file, pop_serialization format);

/* saved_binary.c: the layout of tensors as a container: sections "variables" and "tensors". */

/* The two forms of a file.  Reading gives false, and the reason in *error, for a malformed file. */
void saved_write_binary(const struct saved *layout, char **file, size_t *size);
bool saved_read_binary(const char *data, size_t size, struct saved *layout, pop_error *error);

/* saved_json.c: the layout of tensors as JSON. */
void saved_write_json(const struct saved *layout, struct str *out);
bool saved_read_json(const char *data, size_t size, struct saved *layout, pop_error *error);
/* Adds text as a JSON string, quotes included. */
void saved_quote(struct str *out, const char *text);

#endif
