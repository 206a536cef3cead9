/* SPDX-License-Identifier: Apache-2.0 */
/* archive.a: an ar archive with an ELF file for each tile (docs/reference/report-files.md). */
#ifndef REPORT_ARCHIVE_H
#define REPORT_ARCHIVE_H

#include "image/image.h"

/* Writes the placement of a modelled image to path; the file has its name only when it is whole.  id: of the report
 * that it belongs to, in a note of the first tile's file; NULL: none.  file_load_error when it cannot be written, or
 * when the image has no placement (a CPU's, or one that was loaded from a file). */
pop_status archive_write(const struct image *image, const char *path, const char *id, pop_error *error);

#endif
