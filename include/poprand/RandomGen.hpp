// SPDX-License-Identifier: Apache-2.0
// Random numbers of several distributions, and dropout (poprand/random_gen.h).
#ifndef POPRAND_RANDOM_GEN_HPP
#define POPRAND_RANDOM_GEN_HPP

#include <poplar/Program.hpp>
#include <poprand/random_gen.h>
#include <poputil/detail/call.hpp>

#include <cstdint>

namespace poprand
{
namespace detail
{

// The seed in C's form; NULL when there is none.
class Seed
{
  public:
    explicit Seed(const poplar::Tensor *seed) : tensor(seed ? seed->c() : pop_tensor()), given(seed != nullptr)
    {
    }
    const pop_tensor *c() const
    {
        return given ? &tensor : nullptr;
    }

  private:
    pop_tensor tensor;
    bool given;
};

} // namespace detail

inline void setSeed(poplar::Graph &graph, const poplar::Tensor &masterSeed, uint32_t seedModifier,
                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    poprand_set_seed_at(poplar::detail::where(debugContext), graph.c(), masterSeed.c(), seedModifier,
                        prog.cToGrow(graph.c()), poplar::detail::name(debugContext));
    poputil::detail::check(graph.c());
}
inline poplar::Tensor uniform(poplar::Graph &graph, const poplar::Tensor *masterSeed, uint32_t seedModifier,
                              const poplar::Tensor &reference, const poplar::Type &outType, double minVal,
                              double maxVal, poplar::program::Sequence &prog,
                              const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(
        graph.c(), poprand_uniform_at(poplar::detail::where(debugContext), graph.c(), detail::Seed(masterSeed).c(),
                                      seedModifier, reference.c(), outType.c(), minVal, maxVal, prog.cToGrow(graph.c()),
                                      poplar::detail::name(debugContext)));
}
// The base has no effect: logarithms to any base are uniform.
inline poplar::Tensor logUniform(poplar::Graph &graph, const poplar::Tensor *masterSeed, uint32_t seedModifier,
                                 const poplar::Tensor &reference, const poplar::Type &outType, double minVal,
                                 double maxVal, poplar::program::Sequence &prog, double base = 2.718281828459045,
                                 const poplar::DebugContext &debugContext = {})
{
    if (!(base > 0) || base == 1)
        throw poputil::poplibs_error("there are no logarithms of base " + std::to_string(base));
    return poputil::detail::give(
        graph.c(), poprand_log_uniform_at(poplar::detail::where(debugContext), graph.c(), detail::Seed(masterSeed).c(),
                                          seedModifier, reference.c(), outType.c(), minVal, maxVal,
                                          prog.cToGrow(graph.c()), poplar::detail::name(debugContext)));
}
inline poplar::Tensor bernoulli(poplar::Graph &graph, const poplar::Tensor *masterSeed, uint32_t seedModifier,
                                const poplar::Tensor &reference, const poplar::Type &outType, double prob,
                                poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(
        graph.c(), poprand_bernoulli_at(poplar::detail::where(debugContext), graph.c(), detail::Seed(masterSeed).c(),
                                        seedModifier, reference.c(), outType.c(), prob, prog.cToGrow(graph.c()),
                                        poplar::detail::name(debugContext)));
}
inline poplar::Tensor normal(poplar::Graph &graph, const poplar::Tensor *masterSeed, uint32_t seedModifier,
                             const poplar::Tensor &reference, const poplar::Type &outType, double mean, double stdDev,
                             poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(), poprand_normal_at(poplar::detail::where(debugContext), graph.c(),
                                                              detail::Seed(masterSeed).c(), seedModifier, reference.c(),
                                                              outType.c(), mean, stdDev, prog.cToGrow(graph.c()),
                                                              poplar::detail::name(debugContext)));
}
inline poplar::Tensor truncatedNormal(poplar::Graph &graph, const poplar::Tensor *masterSeed, uint32_t seedModifier,
                                      const poplar::Tensor &reference, const poplar::Type &outType, double mean,
                                      double stdDev, double alpha, poplar::program::Sequence &prog,
                                      const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(),
                                 poprand_truncated_normal_at(poplar::detail::where(debugContext), graph.c(),
                                                             detail::Seed(masterSeed).c(), seedModifier, reference.c(),
                                                             outType.c(), mean, stdDev, alpha, prog.cToGrow(graph.c()),
                                                             poplar::detail::name(debugContext)));
}
inline poplar::Tensor dropout(poplar::Graph &graph, const poplar::Tensor *masterSeed, uint32_t seedModifier,
                              const poplar::Tensor &input, const poplar::Tensor &reference, double keepProbability,
                              double scale, poplar::program::Sequence &prog,
                              const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(
        graph.c(), poprand_dropout_at(poplar::detail::where(debugContext), graph.c(), detail::Seed(masterSeed).c(),
                                      seedModifier, input.c(), reference.c(), keepProbability, scale,
                                      prog.cToGrow(graph.c()), poplar::detail::name(debugContext)));
}
// With outputClonesRef false the output has the input's layout.
inline poplar::Tensor dropout(poplar::Graph &graph, const poplar::Tensor *masterSeed, uint32_t seedModifier,
                              const poplar::Tensor &input, const poplar::Tensor &reference, double keepProbability,
                              double scale, bool outputClonesRef, poplar::program::Sequence &prog,
                              const poplar::DebugContext &debugContext = {})
{
    const poplar::Tensor drawn =
        dropout(graph, masterSeed, seedModifier, input, reference, keepProbability, scale, prog, debugContext);
    if (outputClonesRef)
        return drawn;
    const poplar::Tensor out = graph.clone(input, debugContext);
    prog.add(poplar::program::Copy(drawn, out, false, debugContext));
    return out;
}
inline poplar::Tensor shapedDropout(poplar::Graph &graph, const poplar::Tensor *masterSeed, uint32_t seedModifier,
                                    const poplar::Tensor &input, const poplar::Tensor &reference,
                                    double keepProbability, double scale, poplar::program::Sequence &prog,
                                    const poplar::DebugContext &debugContext = {})
{
    return poputil::detail::give(graph.c(), poprand_shaped_dropout_at(poplar::detail::where(debugContext), graph.c(),
                                                                      detail::Seed(masterSeed).c(), seedModifier,
                                                                      input.c(), reference.c(), keepProbability, scale,
                                                                      prog.cToGrow(graph.c()),
                                                                      poplar::detail::name(debugContext)));
}

} // namespace poprand
#endif
