/* SPDX-License-Identifier: Apache-2.0 */
/* Debug contexts of a process that belong to no graph, a framework's operations: they are kept for the files of the
 * process that are made later (debug_file.h). */
#ifndef REPORT_DEBUG_RECORDS_H
#define REPORT_DEBUG_RECORDS_H

#include "base/vec.h"
#include "report/debug_stream.h"

struct debug_kept {
    struct debug_context context; /* its texts are numbers in `texts` */
    uint32_t layer, name, function, file;
    pop_profile_value values;
};
struct debug_records {
    VEC(struct debug_kept) list;
    struct intern texts;
};
/* A map of values to add to a record, from what the caller gave, which may be NULL. */
pop_profile_value debug_record_values(const pop_profile_value *values);
enum { DEBUG_RECORDS_MAX = 1 << 16 };
/* Keeps a record; the list must have fewer than DEBUG_RECORDS_MAX. */
void debug_records_add(struct debug_records *records, const struct debug_context *context,
                       const pop_profile_value *values);
/* Writes the records from `first` on. */
void debug_records_put(const struct debug_records *records, size_t first, struct debug_stream *stream);
void debug_records_free(struct debug_records *records);

#endif
