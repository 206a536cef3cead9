/* SPDX-License-Identifier: Apache-2.0 */
/* The page with a report's answers in it: one file that needs no server. */
#ifndef ANALYSER_PAGE_H
#define ANALYSER_PAGE_H

#include <poplar/error.h>
#include <stdio.h>

/* Writes the page of a report with the answers of all views but SQL.  Details of single programs, operations, steps and
 * tiles are left out where there are more than some hundred. */
pop_status page_export(FILE *out, const char *directory, pop_error *error);

#endif
