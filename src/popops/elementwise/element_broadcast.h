/* SPDX-License-Identifier: Apache-2.0 */
/* A second operand that is a vector, a bias or a scale: it is connected as it is, not as often as it is used. */
#ifndef POPOPS_ELEMENTWISE_ELEMENT_BROADCAST_H
#define POPOPS_ELEMENTWISE_ELEMENT_BROADCAST_H

#include "popops/elementwise/element_graph.h"

/* Adds a tile's vertices of a call whose second operand is broadcast; false, and nothing done, when it is in so small
 * pieces there that it does not pay. */
bool element_add_broadcast(const struct element_work *work, const struct poplibs_tile *tile);

#endif
