/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of the program tree, as the compiler reads them. */
#ifndef PROGRAM_NODE_H
#define PROGRAM_NODE_H

#include "graph/store/store.h"

enum program_kind {
#define PROGRAM_KIND(constant, class, way) PROGRAM_##constant,
#include "program/kinds.def"
#undef PROGRAM_KIND
    PROGRAM_KINDS
};

/* Which members a kind uses:
 *   SEQUENCE children; BLOCK, REPEAT (count) children[0]; EXECUTE object = set index, source = consensus (or NULL);
 *   COPY source, destination, flag = dontOutline; CROSS_COPY source, destination, values[receiver] = sender,
 *   for each part, whose source and destination follow each other in operands where there are several; STREAM_IN
 * object = stream index, destination, flag = optimise memory; STREAM_OUT object, source, flag; REMOTE_IN object =
 * buffer index, destination, control = offset (or NULL); REMOTE_OUT object, source, control; WHILE_* children[0] =
 * condition, children[1] = body, control = predicate; IF control, children[0] = then, [1] = else; SWITCH control,
 * children[0] = default (NO_PROGRAM: empty), flag = the default is unreachable, then children[i + 1] for values[i];
 * CALL object = function index; CALL_HOST object = host function index, operands (inputs, then outputs); PRINT source,
 * text = title (NULL: the tensor's name), format, flag = the format was given; WRITE_UNDEF source; SYNC object =
 * pop_sync_type; STAMP destination, source = the stamp to count from (NULL: none), object = tile; ABORT text; ABORT_IF
 * control, text; ERROR text, source; ASSUME_EQUAL source. */
struct program_node {
    uint8_t kind;
    bool flag;
    uint32_t name, where;
    uint32_t object;
    uint32_t count;
    const struct view *source, *destination, *control;
    VEC(uint32_t) children; /* node indices */
    VEC(int32_t) values;
    VEC(const struct view *) operands;
    const char *text;
    const char *tensor_name; /* PRINT: debug name of the tensor */
    pop_print_format format;
};
#define NO_PROGRAM UINT32_MAX

/* NULL for a null or foreign program. */
struct program_node *program_node(const pop_store *store, pop_program program);
const char *program_kind_name(enum program_kind kind);
/* Frees what nodes own beyond the arena. */
void program_nodes_free(pop_store *store);

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
bool node_check_element(const struct program_call *call, pop_tensor t, const char *what); /* and it has one element */
/* Additionally: of BOOL or an integer type. */
bool node_check_scalar(const struct program_call *call, pop_tensor t, const char *what);
/* The node of a sequence that a call adds to, or NULL and the error recorded. */
struct program_node *node_sequence(const struct program_call *call, pop_program sequence);
/* False, and the error recorded, when a program of a list is null or belongs to another graph. */
bool node_check_programs(const struct program_call *call, const pop_program *programs, size_t count);
/* Adds a child's node index. */
void node_add_child(struct program_node *node, pop_program child);

#endif
