// SPDX-License-Identifier: Apache-2.0
// Reductions over any dimensions (popops/reduce.h).
#ifndef POPOPS_REDUCE_HPP
#define POPOPS_REDUCE_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popops/Operation.hpp>
#include <popops/reduce.h>
#include <poputil/detail/call.hpp>

namespace popops
{

// The kind of a reduction: out = scale * op(in), or with update out += scale * op(in); scale is a FLOAT tensor of one
// element.
struct ReduceParams {
    ReduceParams() = default;
    // An operation, whose result is added to the output if updates.
    ReduceParams(Operation operation, bool updates = false) : op(operation), update(updates)
    {
    }
    // An operation whose result is multiplied with a tensor of one element.
    ReduceParams(Operation operation, bool updates, poplar::Tensor scaleTensor)
        : op(operation), update(updates), useScale(true), scale(std::move(scaleTensor))
    {
    }
    // Deleted: in older releases the factor was a number, now it is a tensor.
    ReduceParams(Operation operation, float constantScale, bool updates = false) = delete;

    Operation op = Operation::ADD;
    bool update = false;
    bool useScale = false; // whether the result is multiplied with a scale
    poplar::Tensor scale;
};

namespace detail
{

inline popops_reduce_params reduceParams(const ReduceParams &params)
{
    popops_reduce_params c = { static_cast<popops_operation>(params.op), params.update, pop_tensor() };
    if (params.useScale)
        c.scale = params.scale.c();
    return c;
}

// Passes the caller's compute sets to one call of the C interface and appends the sets that the call adds.
class ReduceSets
{
  public:
    explicit ReduceSets(std::vector<poplar::ComputeSet> &callers) : list(callers), sets()
    {
        for (; sets.count < list.size() && sets.count < POPOPS_MAX_REDUCE_SETS; ++sets.count)
            sets.list[sets.count] = list[sets.count].c();
    }
    popops_compute_sets *c()
    {
        return &sets;
    }
    void giveBack()
    {
        for (std::size_t i = list.size(); i < sets.count; ++i)
            list.push_back(poplar::ComputeSet(sets.list[i]));
    }

  private:
    std::vector<poplar::ComputeSet> &list;
    popops_compute_sets sets;
};

} // namespace detail

inline poplar::Tensor reduce(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Type &outType,
                             const std::vector<std::size_t> &dims, ReduceParams params, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    return poputil::detail::give(graph.c(),
                                 popops_reduce_at(poplar::detail::where(debugContext), graph.c(), in.c(), outType.c(),
                                                  poplar::detail::Dims(dims).c(), detail::reduceParams(params),
                                                  prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                                                  poplar::detail::Options(options)));
}
inline poplar::Tensor reduce(poplar::Graph &graph, const poplar::Tensor &in, const std::vector<std::size_t> &dims,
                             ReduceParams params, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    return reduce(graph, in, in.elementType(), dims, std::move(params), prog, debugContext, options);
}
inline void reduceWithOutput(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &out,
                             const std::vector<std::size_t> &dims, ReduceParams params, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    popops_reduce_with_output_at(poplar::detail::where(debugContext), graph.c(), in.c(), out.c(),
                                 poplar::detail::Dims(dims).c(), detail::reduceParams(params), prog.cToGrow(graph.c()),
                                 poplar::detail::name(debugContext), poplar::detail::Options(options));
    poputil::detail::check(graph.c());
}

// Adds the reduction to a list of compute sets, which several reductions can share: first stages are in the first set,
// and so on.
inline poplar::Tensor reduce(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Type &outType,
                             const std::vector<std::size_t> &dims, ReduceParams params,
                             std::vector<poplar::ComputeSet> &css, const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {})
{
    detail::ReduceSets sets(css);
    const pop_tensor out = popops_reduce_in_at(poplar::detail::where(debugContext), graph.c(), in.c(), outType.c(),
                                               poplar::detail::Dims(dims).c(), detail::reduceParams(params), sets.c(),
                                               poplar::detail::name(debugContext), poplar::detail::Options(options));
    sets.giveBack();
    return poputil::detail::give(graph.c(), out);
}
inline poplar::Tensor reduce(poplar::Graph &graph, const poplar::Tensor &in, const std::vector<std::size_t> &dims,
                             ReduceParams params, std::vector<poplar::ComputeSet> &css,
                             const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    return reduce(graph, in, in.elementType(), dims, std::move(params), css, debugContext, options);
}
inline void reduceWithOutput(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &out,
                             const std::vector<std::size_t> &dims, ReduceParams params,
                             std::vector<poplar::ComputeSet> &css, const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {})
{
    detail::ReduceSets sets(css);
    popops_reduce_with_output_in_at(poplar::detail::where(debugContext), graph.c(), in.c(), out.c(),
                                    poplar::detail::Dims(dims).c(), detail::reduceParams(params), sets.c(),
                                    poplar::detail::name(debugContext), poplar::detail::Options(options));
    sets.giveBack();
    poputil::detail::check(graph.c());
}

// The forms of release 1.2, whose last argument is for the library's own tests: without effect.
struct ReductionDebug;
inline poplar::Tensor reduce(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Type &outType,
                             const std::vector<std::size_t> &dims, ReduceParams params, poplar::program::Sequence &prog,
                             const std::string &debugPrefix, const poplar::OptionFlags &options, ReductionDebug *)
{
    return reduce(graph, in, outType, dims, std::move(params), prog, debugPrefix, options);
}
inline poplar::Tensor reduce(poplar::Graph &graph, const poplar::Tensor &in, const std::vector<std::size_t> &dims,
                             ReduceParams params, poplar::program::Sequence &prog, const std::string &debugPrefix,
                             const poplar::OptionFlags &options, ReductionDebug *)
{
    return reduce(graph, in, dims, std::move(params), prog, debugPrefix, options);
}
inline void reduceWithOutput(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &out,
                             const std::vector<std::size_t> &dims, ReduceParams params, poplar::program::Sequence &prog,
                             const std::string &debugPrefix, const poplar::OptionFlags &options, ReductionDebug *)
{
    reduceWithOutput(graph, in, out, dims, std::move(params), prog, debugPrefix, options);
}
inline poplar::Tensor reduce(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Type &outType,
                             const std::vector<std::size_t> &dims, ReduceParams params,
                             std::vector<poplar::ComputeSet> &css, const std::string &debugPrefix,
                             const poplar::OptionFlags &options, ReductionDebug *)
{
    return reduce(graph, in, outType, dims, std::move(params), css, debugPrefix, options);
}
inline poplar::Tensor reduce(poplar::Graph &graph, const poplar::Tensor &in, const std::vector<std::size_t> &dims,
                             ReduceParams params, std::vector<poplar::ComputeSet> &css, const std::string &debugPrefix,
                             const poplar::OptionFlags &options, ReductionDebug *)
{
    return reduce(graph, in, dims, std::move(params), css, debugPrefix, options);
}
inline void reduceWithOutput(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &out,
                             const std::vector<std::size_t> &dims, ReduceParams params,
                             std::vector<poplar::ComputeSet> &css, const std::string &debugPrefix,
                             const poplar::OptionFlags &options, ReductionDebug *)
{
    reduceWithOutput(graph, in, out, dims, std::move(params), css, debugPrefix, options);
}

// One reduction of reduceMany.
struct SingleReduceOp {
    // A reduction whose result has a type.
    SingleReduceOp(poplar::Tensor input, std::vector<std::size_t> dimensions, ReduceParams parameters,
                   poplar::Type type, std::string name = "")
        : in(std::move(input)), dims(std::move(dimensions)), params(std::move(parameters)), useOutType(true),
          outType(type), debugName(std::move(name))
    {
    }
    // A reduction whose result has the input's type.
    SingleReduceOp(poplar::Tensor input, std::vector<std::size_t> dimensions, ReduceParams parameters,
                   std::string name = "")
        : in(std::move(input)), dims(std::move(dimensions)), params(std::move(parameters)), useOutType(false),
          outType(in.elementType()), debugName(std::move(name))
    {
    }

    poplar::Tensor in;             // what is reduced
    std::vector<std::size_t> dims; // over which dimensions
    ReduceParams params;           // how
    bool useOutType;               // whether outType counts
    poplar::Type outType;          // type of the result
    std::string debugName;         // debug name
};

// outputs has one tensor for each reduction, or is empty and receives the results.
inline void reduceMany(poplar::Graph &graph, const std::vector<SingleReduceOp> &reductions,
                       std::vector<poplar::Tensor> &outputs, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {})
{
    if (!outputs.empty() && outputs.size() != reductions.size())
        throw poputil::poplibs_error("reduceMany: " + std::to_string(reductions.size()) + " reductions and " +
                                     std::to_string(outputs.size()) + " outputs");
    std::vector<std::vector<unsigned>> dims;
    std::vector<popops_single_reduce> list;
    std::vector<pop_tensor> outs(reductions.size(), pop_tensor());
    dims.reserve(reductions.size());
    for (std::size_t i = 0; i < reductions.size(); ++i) {
        const SingleReduceOp &op = reductions[i];
        dims.emplace_back(op.dims.begin(), op.dims.end());
        popops_single_reduce one = { op.in.c(), poplar::detail::dims(dims.back()), detail::reduceParams(op.params),
                                     op.outType.c(), op.debugName.c_str() };
        list.push_back(one);
        if (!outputs.empty())
            outs[i] = outputs[i].c();
    }
    popops_reduce_many_at(poplar::detail::where(debugContext), graph.c(), list.data(), list.size(), outs.data(),
                          prog.cToGrow(graph.c()), poplar::detail::name(debugContext),
                          poplar::detail::Options(options));
    poputil::detail::check(graph.c());
    if (outputs.empty())
        for (const pop_tensor &out : outs)
            outputs.push_back(poplar::Tensor(out));
}

} // namespace popops
#endif
