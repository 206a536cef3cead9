/* SPDX-License-Identifier: Apache-2.0 */
/* archive.a: an ar archive with an ELF file for each tile (docs/reference/report-files.md). */
#ifndef REPORT_ARCHIVE_H
#define REPORT_ARCHIVE_H

#include "image/image.h"

/* Writes the placement of a modelled image to path; the file gets its final name only when complete. id: the id of
 * its report, stored in a note of the first tile's file; NULL: none. file_load_error when the file cannot be written
 * or the image has no placement (on a CPU, or loaded from a file). */
pop_status archive_write(const struct image *image, const char *path, const char *id, pop_error *error);

#endif
