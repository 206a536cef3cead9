// SPDX-License-Identifier: Apache-2.0
// The layout of a vector field in a vertex on the device.  On the host every layout is a pointer, followed by a count
// if the layout has a size.
#ifndef POPLAR_VECTOR_LAYOUT_HPP
#define POPLAR_VECTOR_LAYOUT_HPP

#include <poplar/detail/profiler_layout.hpp>

namespace poplar
{

// Values as in popc's enum vector_layout.
enum class VectorLayout {
    SPAN = 0,     // pointer and count
    SHORT_SPAN,   // pointer and 11-bit count in one word
    ONE_PTR,      // pointer alone
    SCALED_PTR32, // 16-bit pointers, in units of 4, 8 and 16 bytes
    SCALED_PTR64,
    SCALED_PTR128,
    COMPACT_PTR // the smallest that can be had
};

// Values as in popc's enum vector_list_layout.
enum class VectorListLayout { DELTAN = 0, DELTANELEMENTS, COMPACT_DELTAN };

} // namespace poplar

#endif
