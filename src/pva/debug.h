/* SPDX-License-Identifier: Apache-2.0 */
/* An index of a file of debug contexts (debug.cbor): where each context and each string is.  Contexts are read when
 * they are asked for. */
#ifndef PVA_DEBUG_H
#define PVA_DEBUG_H

#include "pva/model.h"

#include <poplar/profile.h>

struct debug_entry {
    uint64_t id, parent; /* 0: none */
    size_t at, size;     /* in the file */
};
struct operation {
    uint64_t context;                                /* its place among the entries */
    size_t first_program, programs, first_var, vars; /* in the lists of the index */
};
struct debug_index {
    char *path;
    int descriptor;
    size_t size; /* of the file, when it was opened */
    /* The piece of the file that was read last.  The file is not mapped: one that is cut short while it is read would
     * end the program. */
    unsigned char *window;
    size_t window_at, window_size, window_capacity;
    bool indexed;
    VEC(struct debug_entry) entries; /* by id */
    VEC(size_t) strings;             /* where each item of the string table begins */
    pop_profile_value context;       /* that was read last */
    size_t context_of;               /* 1 + its entry; 0: none was read */
    bool grouped;
    VEC(struct operation) operations; /* by the path of the call */
    VEC(uint64_t) programs, vars;
};

/* The index, made at the first use; NULL without debug.cbor, or when it is damaged (a failure of the file). */
struct debug_index *debug_index(pva_file *file);
/* The place of an id among the entries, or SIZE_MAX. */
size_t debug_find(const struct debug_index *index, uint64_t id);
/* A context as a value, names and files as text; null when it is damaged.  It is the index's, until another is asked
 * for. */
const pop_profile_value *debug_context(pva_file *file, size_t entry);
/* A name of the string table; malloc'ed, "" when there is none such. */
char *debug_string(struct debug_index *index, uint64_t number);

/* Contexts of debug.cbor. */
bool debug_open(pva_file *file, const char *path);
void debug_free(pva_file *file);

#endif
