/* SPDX-License-Identifier: Apache-2.0 */
/* An index of a file of debug contexts (debug.cbor): the position of each context and each string. Contexts are
 * decoded on demand. */
#ifndef PVA_DEBUG_H
#define PVA_DEBUG_H

#include "pva/model.h"

#include <poplar/profile.h>

struct debug_entry {
    uint64_t id, parent; /* 0: none */
    size_t at, size;     /* position and size in the file */
    size_t first_string; /* of the string table of its part */
};
struct operation {
    uint64_t context;                                /* index of its context among the entries */
    size_t first_program, programs, first_var, vars; /* ranges in the index's lists */
};
struct debug_index {
    char *path;
    int descriptor;
    size_t size; /* of the file when it was opened */
    /* The last piece of the file that was read. The file is not mapped, because truncation while it is read would
     * then end the program with SIGBUS. */
    unsigned char *window;
    size_t window_at, window_size, window_capacity;
    bool indexed;
    VEC(struct debug_entry) entries; /* sorted by id */
    VEC(size_t) strings;             /* position of each item of the string tables */
    size_t part_strings;             /* while it is built: the first string of the part */
    pop_profile_value context;       /* the last context that was decoded */
    size_t context_of;               /* 1 + its entry; 0: none */
    bool grouped;
    VEC(struct operation) operations; /* sorted by the path of the call */
    VEC(uint64_t) programs, vars;
};

/* The index, built at first use; NULL without debug.cbor, or when it is damaged (a failure of the file). */
struct debug_index *debug_index(pva_file *file);
/* The index of the entry with an id, or SIZE_MAX. */
size_t debug_find(const struct debug_index *index, uint64_t id);
/* A context as a value, with names and files as text; null when it is damaged. Valid until the next call. */
const pop_profile_value *debug_context(pva_file *file, size_t entry);
/* A name of the string table, malloc'ed; "" when the number is out of range. */
char *debug_string(struct debug_index *index, uint64_t number);

/* Opens debug.cbor; false after a failure. */
bool debug_open(pva_file *file, const char *path);
void debug_free(pva_file *file);

#endif
