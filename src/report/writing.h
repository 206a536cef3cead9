/* SPDX-License-Identifier: Apache-2.0 */
/* A report while it is written, as its files of code share it.  Others use report/report.h. */
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
    struct instrumentation instrumentation; /* of options */
    struct program_ids programs;
    struct array array;         /* of the blob that is being coded */
    struct steps_writer *steps; /* NULL before the first run */
    uint64_t run_limit, runs;   /* how many are captured; how many were run */
    bool execution;
};

/* The bytes of report->array as two arguments of database_add; null when all elements are 0. */
#define ARRAY_BLOB(array) ((array)->bytes.count ? (const void *)(array)->bytes.data : NULL), (array)->bytes.count

#endif
