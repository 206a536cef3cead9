// SPDX-License-Identifier: Apache-2.0
// Layouts of a vertex's vectors on its device, for estimators.  Values as in poplar/graph.h.
#ifndef POPLAR_DETAIL_PROFILER_LAYOUT_HPP
#define POPLAR_DETAIL_PROFILER_LAYOUT_HPP

namespace poplar
{
namespace layout
{

enum class Vector { NotAVector, Span, ShortSpan, OnePtr, ScaledPtr32, ScaledPtr64, ScaledPtr128 };
enum class VectorList { NotAVector, OnePtr, ScaledPtr32, ScaledPtr64, ScaledPtr128, DeltaN, DeltaNElements };

inline const char *to_string(Vector layout)
{
    static const char *const names[] = { "NotAVector",  "Span",        "ShortSpan",   "OnePtr",
                                         "ScaledPtr32", "ScaledPtr64", "ScaledPtr128" };
    return names[static_cast<int>(layout)];
}
inline const char *to_string(VectorList layout)
{
    static const char *const names[] = { "NotAVector",   "OnePtr", "ScaledPtr32",   "ScaledPtr64",
                                         "ScaledPtr128", "DeltaN", "DeltaNElements" };
    return names[static_cast<int>(layout)];
}

} // namespace layout
} // namespace poplar
#endif
