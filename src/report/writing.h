/* SPDX-License-Identifier: Apache-2.0 */
/* A report while it is written; shared by the files of this directory. Other code uses report/report.h. */
#ifndef REPORT_WRITING_H
#define REPORT_WRITING_H

#include "base/engine_options.h"
#include "report/bundle.h"
#include "report/database.h"
#include "report/programs.h"
#include "value/array.h"

struct steps_writer;

struct report {
    struct bundle bundle;
    struct database *db;
    struct image *image;
    struct option_set options;
    struct instrumentation instrumentation; /* from the options */
    struct program_ids programs;
    struct array array;         /* the blob that is being encoded */
    struct steps_writer *steps; /* NULL before the first run */
    uint64_t run_limit, runs;   /* run_limit: maximum of captured runs; runs: runs so far */
    bool execution;
};

/* Whether tiles have code: a model's do with compileIPUCode. */
static inline bool report_has_code(const struct report *report)
{
    return report->image->target.compile_ipu_code || report->image->target.type == POP_TARGET_IPU;
}

/* The bytes of report->array as two arguments of database_add; null when all elements are 0. */
#define ARRAY_BLOB(array) ((array)->bytes.count ? (const void *)(array)->bytes.data : NULL), (array)->bytes.count

#endif
