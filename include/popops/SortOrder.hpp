// SPDX-License-Identifier: Apache-2.0
// The order of selected elements.
#ifndef POPOPS_SORT_ORDER_HPP
#define POPOPS_SORT_ORDER_HPP

#include <popops/sort_order.h>

#include <ostream>

namespace popops
{

// Order of results.
enum class SortOrder { NONE, ASCENDING, DESCENDING };

inline std::ostream &operator<<(std::ostream &out, SortOrder order)
{
    return out << (order == SortOrder::NONE ? "NONE" : order == SortOrder::ASCENDING ? "ASCENDING" : "DESCENDING");
}

} // namespace popops
#endif
