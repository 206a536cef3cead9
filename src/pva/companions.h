/* SPDX-License-Identifier: Apache-2.0 */
/* The files beside profile.pop: which of them are of the same report. */
#ifndef PVA_COMPANIONS_H
#define PVA_COMPANIONS_H

#include "pva/model.h"
#include "value/report_files.h"

/* What profile.pop says of its report. */
struct companions {
    char id[REPORT_ID_SIZE];      /* "": the writer was one before ids */
    uint64_t bytes[REPORT_FILES]; /* of each companion; UINT64_MAX: it was not written */
};
void companions_read(pva_file *file, struct companions *companions);
/* Whether the file of a path is a companion of the report, as far as it says. */
bool companions_own(const struct companions *companions, enum report_file file, const char *path);
/* Opens debug.cbor of the report, under its name or its temporary one, where there is one.  What is not used is a
 * warning of the file. */
void companions_open_debug(pva_file *file);

void report_warning(pva_object, struct value *);

#endif
