/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of tiles' registers. */
#ifndef PROGRAM_REGISTERS_H
#define PROGRAM_REGISTERS_H

#include "program/node.h"

/* Makes the variables of the tiles' registers that the graph does not have yet. */
void registers_make(pop_store *store);

#endif
