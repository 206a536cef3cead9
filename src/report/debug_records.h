/* SPDX-License-Identifier: Apache-2.0 */
/* Records of a process that reports have: a framework's operations end when it likes, most of them after the report of
 * their graph was written. They are kept, and added to the reports' debug.cbor, as one more part each time
 * (docs/reference/report-files.md, debug.cbor). */
#ifndef REPORT_DEBUG_RECORDS_H
#define REPORT_DEBUG_RECORDS_H

#include "base/vec.h"
#include "report/debug_stream.h"

#include <sys/types.h>

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
/* Keeps a record, up to a fixed number. */
void debug_records_add(struct debug_records *records, const struct debug_context *context,
                       const pop_profile_value *values);
/* Writes the records from `first` on. */
void debug_records_put(const struct debug_records *records, size_t first, struct debug_stream *stream);
void debug_records_free(struct debug_records *records);

/* A file that gets records. */
struct debug_file {
    char *path, *temporary; /* one block */
    dev_t device;
    ino_t number;
    size_t next; /* the first record that it has not */
    pid_t owner; /* a forked child leaves the file to its parent */
};
struct debug_followed {
    VEC(struct debug_file) list;
};
void debug_followed_add(struct debug_followed *followed, const char *path, const char *temporary, size_t records);
void debug_followed_flush(struct debug_followed *followed, const struct debug_records *records);
void debug_followed_free(struct debug_followed *followed);

#endif
