/* SPDX-License-Identifier: Apache-2.0 */
/* Constants of the device's tiles; macros only, since assembly includes it too. */
#ifndef POPLAR_TILE_CONSTANTS_HPP
#define POPLAR_TILE_CONSTANTS_HPP

#include <arch/gc_tile_defines.h>

#endif
