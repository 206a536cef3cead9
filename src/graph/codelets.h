/* SPDX-License-Identifier: Apache-2.0 */
/* The vertex types that a graph knows. */
#ifndef GRAPH_CODELETS_H
#define GRAPH_CODELETS_H

#include "graph/build.h"
#include "graph/store.h"

/* Registers the codelets of a module; takes ownership of the reference. */
bool store_add_module(pop_store *store, pop_where where, const char *api, struct module *module);
/* The index of a vertex type that is loaded; unknown_vertex_type otherwise. */
bool store_loaded_type(pop_store *store, pop_where where, const char *api, const char *path, const char *name,
                       uint32_t *type);
/* Index of a vertex type by name, or UINT32_MAX. */
uint32_t store_find_type(const pop_store *store, const char *name);

#endif
