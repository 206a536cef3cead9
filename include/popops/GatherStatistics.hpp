// SPDX-License-Identifier: Apache-2.0
// Histograms of tensors (popops/gather_statistics.h).
#ifndef POPOPS_GATHER_STATISTICS_HPP
#define POPOPS_GATHER_STATISTICS_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popops/gather_statistics.h>
#include <poputil/detail/call.hpp>

namespace popops
{

// {levels + 1} counts: below the first level, between neighbouring levels, from the last level on.
inline poplar::Tensor histogram(poplar::Graph &graph, const poplar::Tensor &input, const poplar::Tensor &levels,
                                bool absoluteOfInput, poplar::program::Sequence &prog,
                                const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    return poputil::detail::give(
        graph.c(), popops_histogram_at(poplar::detail::where(debugContext), graph.c(), input.c(), levels.c(),
                                       absoluteOfInput, prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                       poplar::detail::Options(options)));
}
// Writes the counts to output, or adds them to it.
inline void histogram(poplar::Graph &graph, const poplar::Tensor &input, poplar::Tensor &output, bool updateOutput,
                      const poplar::Tensor &levels, bool absoluteOfInput, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    popops_histogram_with_output_at(poplar::detail::where(debugContext), graph.c(), input.c(), output.c(), updateOutput,
                                    levels.c(), absoluteOfInput, prog.cToGrow(graph.c()),
                                    poplar::detail::name(debugContext), poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}

} // namespace popops
#endif
