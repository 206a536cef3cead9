/* SPDX-License-Identifier: Apache-2.0 */
/* Pass 2: choosing forms, checking and encoding. */
#ifndef TILE_ASM_ENCODE_H
#define TILE_ASM_ENCODE_H

#include "tile/asm.h"

void asm_encode_all(struct assembler *a);

#endif
