/* SPDX-License-Identifier: Apache-2.0 */
/* poputil: what programs and operation libraries need around a graph - where tensors are mapped, how work is shared
 * out, views that match. */
#ifndef POPUTIL_POPUTIL_H
#define POPUTIL_POPUTIL_H

#include <poputil/broadcast.h>
#include <poputil/loop.h>
#include <poputil/tile_mapping.h>
#include <poputil/util.h>
#include <poputil/var_structure.h>

#endif
