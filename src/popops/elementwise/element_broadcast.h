/* SPDX-License-Identifier: Apache-2.0 */
/* Broadcast of a vector as second operand, such as a bias or a scale, without a view of repeated elements. */
#ifndef POPOPS_ELEMENTWISE_ELEMENT_BROADCAST_H
#define POPOPS_ELEMENTWISE_ELEMENT_BROADCAST_H

#include "popops/elementwise/element_graph.h"

/* Adds a tile's vertices of a call whose second operand is broadcast.  Returns false, and adds nothing, if the operand
 * is used in pieces so small that the general vertices are faster. */
bool element_add_broadcast(const struct element_work *work, const struct poplibs_tile *tile);

#endif
