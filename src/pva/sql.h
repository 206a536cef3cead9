/* SPDX-License-Identifier: Apache-2.0 */
/* SQL functions over arrays. */
#ifndef PVA_SQL_H
#define PVA_SQL_H

#include "pva/source.h"

/* Registers the SQL functions array_at, array_sum, array_max and array_text, and the table array(blob, count). */
int array_functions(pva_file *file);

#endif
