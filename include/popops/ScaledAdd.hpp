// SPDX-License-Identifier: Apache-2.0
// Scaled addition of tensors in place (popops/scaled_add.h).
#ifndef POPOPS_SCALED_ADD_HPP
#define POPOPS_SCALED_ADD_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popops/scaled_add.h>
#include <poputil/detail/call.hpp>

namespace popops
{

// How the sum is formed.
enum class ScaledAddSpecialisation {
    DEFAULT = POPOPS_SCALED_ADD_DEFAULT,
    X_MINUS_AX_PLUS_BY = POPOPS_X_MINUS_AX_PLUS_BY
};

// A += scaleB * B
inline void scaledAddTo(poplar::Graph &graph, poplar::Tensor A, poplar::Tensor B, float scaleB,
                        poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {})
{
    popops_scaled_add_to_constant_at(poplar::detail::where(debugContext), graph.c(), A.c(), B.c(),
                                     static_cast<double>(scaleB), prog.cToGrow(graph.c()),
                                     poplar::detail::name(debugContext), poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}
inline void scaledAddTo(poplar::Graph &graph, poplar::Tensor A, poplar::Tensor B, poplar::Tensor scaleB,
                        poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {})
{
    popops_scaled_add_to_at(poplar::detail::where(debugContext), graph.c(), A.c(), B.c(), scaleB.c(),
                            prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                            poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}

// A = scaleA * A + scaleB * B, or the formula of another specialisation.
inline void scaledAddTo(poplar::Graph &graph, poplar::Tensor A, poplar::Tensor scaleA, poplar::Tensor B,
                        poplar::Tensor scaleB, poplar::program::Sequence &prog,
                        const ScaledAddSpecialisation speciality, const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {})
{
    popops_scaled_add_both_at(poplar::detail::where(debugContext), graph.c(), A.c(), scaleA.c(), B.c(), scaleB.c(),
                              prog.cToGrow(graph.c()), static_cast<popops_scaled_add_specialisation>(speciality),
                              poplar::detail::name(debugContext), poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}
inline void scaledAddTo(poplar::Graph &graph, poplar::Tensor A, poplar::Tensor scaleA, poplar::Tensor B,
                        poplar::Tensor scaleB, poplar::program::Sequence &prog,
                        const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    scaledAddTo(graph, A, scaleA, B, scaleB, prog, ScaledAddSpecialisation::DEFAULT, debugContext, options);
}
inline void scaledAddTo(poplar::Graph &graph, poplar::Tensor A, float scaleA, poplar::Tensor B, float scaleB,
                        poplar::program::Sequence &prog, const ScaledAddSpecialisation speciality,
                        const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    popops_scaled_add_both_constant_at(
        poplar::detail::where(debugContext), graph.c(), A.c(), static_cast<double>(scaleA), B.c(),
        static_cast<double>(scaleB), prog.cToGrow(graph.c()), static_cast<popops_scaled_add_specialisation>(speciality),
        poplar::detail::name(debugContext), poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}
inline void scaledAddTo(poplar::Graph &graph, poplar::Tensor A, float scaleA, poplar::Tensor B, float scaleB,
                        poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {})
{
    scaledAddTo(graph, A, scaleA, B, scaleB, prog, ScaledAddSpecialisation::DEFAULT, debugContext, options);
}

// A -= scaleB * B
inline void scaledSubtractFrom(poplar::Graph &graph, poplar::Tensor A, poplar::Tensor B, float scaleB,
                               poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                               const poplar::OptionFlags &options = {})
{
    popops_scaled_subtract_from_constant_at(poplar::detail::where(debugContext), graph.c(), A.c(), B.c(),
                                            static_cast<double>(scaleB), prog.cToGrow(graph.c()),
                                            poplar::detail::name(debugContext), poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}
inline void scaledSubtractFrom(poplar::Graph &graph, poplar::Tensor A, poplar::Tensor B, poplar::Tensor scaleB,
                               poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                               const poplar::OptionFlags &options = {})
{
    popops_scaled_subtract_from_at(poplar::detail::where(debugContext), graph.c(), A.c(), B.c(), scaleB.c(),
                                   prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                   poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}
// A = scaleA * A - scaleB * B
inline void scaledSubtractFrom(poplar::Graph &graph, poplar::Tensor A, poplar::Tensor scaleA, poplar::Tensor B,
                               poplar::Tensor scaleB, poplar::program::Sequence &prog,
                               const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    popops_scaled_subtract_both_at(poplar::detail::where(debugContext), graph.c(), A.c(), scaleA.c(), B.c(), scaleB.c(),
                                   prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                   poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}
inline void scaledSubtractFrom(poplar::Graph &graph, poplar::Tensor A, float scaleA, poplar::Tensor B, float scaleB,
                               poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
                               const poplar::OptionFlags &options = {})
{
    popops_scaled_subtract_both_constant_at(poplar::detail::where(debugContext), graph.c(), A.c(),
                                            static_cast<double>(scaleA), B.c(), static_cast<double>(scaleB),
                                            prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                            poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}

} // namespace popops
#endif
