/* SPDX-License-Identifier: Apache-2.0 */
/* The files in the directory of profile.pop: which belong to the same report. */
#ifndef PVA_COMPANIONS_H
#define PVA_COMPANIONS_H

#include "pva/model.h"
#include "value/report_files.h"

/* What profile.pop records about its companions. */
struct companions {
    char id[REPORT_ID_SIZE];      /* "": an early writer, without ids */
    char debug[REPORT_ID_SIZE];   /* of debug.cbor, which reports of one process share; an earlier writer's: id */
    uint64_t bytes[REPORT_FILES]; /* size of each companion; UINT64_MAX: it was not written */
};
void companions_read(pva_file *file, struct companions *companions);
/* Whether the file at a path belongs to the report, as far as its id and size show. */
bool companions_own(const struct companions *companions, enum report_file file, const char *path);
/* Opens the report's debug.cbor, under its final or its temporary name, when it exists. A file that cannot be used
 * gives a warning of the report. */
void companions_open_debug(pva_file *file);

void report_warning(pva_object, struct value *);

#endif
