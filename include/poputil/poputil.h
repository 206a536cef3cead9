/* SPDX-License-Identifier: Apache-2.0 */
/* poputil: utilities for programs and operation libraries: tile mappings, distribution of work, views that match. */
#ifndef POPUTIL_POPUTIL_H
#define POPUTIL_POPUTIL_H

#include <poputil/broadcast.h>
#include <poputil/loop.h>
#include <poputil/tile_mapping.h>
#include <poputil/util.h>
#include <poputil/var_structure.h>

#endif
