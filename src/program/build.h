/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that build program nodes share. */
#ifndef PROGRAM_BUILD_H
#define PROGRAM_BUILD_H

#include "program/node.h"

/* Where a call came from and what it is called, for its errors. */
struct program_call {
    pop_store *store;
    pop_where where;
    const char *api;
};

/* A new node; *program is its handle. */
struct program_node *node_add(const struct program_call *call, enum program_kind kind, const char *name,
                              pop_program *program);
/* False, and the error recorded, when a program is null or belongs to another graph. */
bool node_check_child(const struct program_call *call, pop_program program, const char *what);
/* False, and the error recorded, when a tensor is null or of another graph; what says which operand it is. */
bool node_check_tensor(const struct program_call *call, pop_tensor t, const char *what);
/* Additionally: a tensor that can be written: no constants, no element twice. */
bool node_check_writable(const struct program_call *call, pop_tensor t, const char *what);
/* Additionally: one element of BOOL or an integer type. */
bool node_check_scalar(const struct program_call *call, pop_tensor t, const char *what);
/* The node of a sequence that a call adds to, or NULL and the error recorded. */
struct program_node *node_sequence(const struct program_call *call, pop_program sequence);
/* Adds a child's node index. */
void node_add_child(struct program_node *node, pop_program child);

#endif
