/* SPDX-License-Identifier: Apache-2.0 */
/* Messages and files about placement: tiles that are out of memory, and debug.loweredVarDumpFile. */
#ifndef COMPILER_PLACEMENT_PLACE_REPORT_H
#define COMPILER_PLACEMENT_PLACE_REPORT_H

#include "compiler/placement/place.h"

/* Out of memory: an error or a warning; false: the error is recorded. */
bool place_check_memory(struct place *p);
/* debug.loweredVarDumpFile. */
bool place_dump(struct place *p);
const char *place_block_name(const struct place *p, const struct fit_block *block);

#endif
