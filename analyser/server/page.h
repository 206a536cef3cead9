/* SPDX-License-Identifier: Apache-2.0 */
/* Exports a page with a report's answers embedded: a single file that needs no server. */
#ifndef ANALYSER_PAGE_H
#define ANALYSER_PAGE_H

#include <poplar/error.h>
#include <stdio.h>

/* Writes the page of a report with the answers of all views except SQL. Details of single programs, operations,
 * steps and tiles are limited to a few hundred. */
pop_status page_export(FILE *out, const char *directory, pop_error *error);

#endif
