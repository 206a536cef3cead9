/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a dump for tools: JSON, or the same as CBOR. */
#ifndef GRAPH_SAVED_DUMP_H
#define GRAPH_SAVED_DUMP_H

#include "base/str.h"

/* Values one after another.  Maps and arrays are open until they are closed, so nothing is counted first. */
struct dump {
    struct str out;
    bool cbor, needs_comma;
};

void dump_open(struct dump *dump, bool map); /* begins a map, or an array */
void dump_close(struct dump *dump, bool map);
void dump_open_entry(struct dump *dump); /* a map that is an entry of a list, in JSON on a line of its own */
void dump_key(struct dump *dump, const char *key);
void dump_text(struct dump *dump, const char *text);
void dump_number(struct dump *dump, uint64_t number);
void dump_integer(struct dump *dump, int64_t number);
void dump_bool(struct dump *dump, bool truth);
void dump_null(struct dump *dump);
void dump_three(struct dump *dump, uint64_t first, uint64_t second, uint64_t third); /* an array of three numbers */

#endif
