// SPDX-License-Identifier: Apache-2.0
// Handles of a graph's elements.
#ifndef POPLAR_IMPL_GRAPH_ELEMENTS_HPP
#define POPLAR_IMPL_GRAPH_ELEMENTS_HPP

#include <poplar/GraphElements.hpp>

namespace poplar
{

POPLAR_IMPL FieldRef::FieldRef(pop_vertex of, StringRef fieldName)
    : FieldRef(of, pop_store_keep_text(of.store, detail::CString(fieldName)))
{
}

} // namespace poplar
#endif
