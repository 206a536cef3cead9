// SPDX-License-Identifier: Apache-2.0
// Plans of convolutions: reports, planning in advance, operation counts (poplin/planning.h).  Convolution.hpp includes
// this file.
#ifndef POPLIN_DETAIL_CONV_PLANNING_HPP
#define POPLIN_DETAIL_CONV_PLANNING_HPP

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplin/ConvParams.hpp>
#include <poplin/detail/planning_cache.hpp>
#include <poputil/detail/call.hpp>

#include <limits>
#include <ostream>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace poplin
{

// Estimates: cycles, and the bytes on the fullest tile that are live only during the convolution.
struct PlanCosts {
    static constexpr std::size_t unknown = std::numeric_limits<std::size_t>::max(); // what has not been estimated
    std::size_t cycles;                                                             // estimated cycles of one run
    std::size_t memory; // bytes on the fullest tile that are live only during the convolution
};
// Estimated costs of a convolution's steps.
struct DetailedPlanCosts {
    std::size_t parallelSplit; // tiles in use
    std::size_t serialSplit;   // repetitions of the steps from dynamicSlice on
    PlanCosts broadcast, rearrangement, dynamicSlice, transform, exchange, tileLevelTransform, inputsCast, compute,
        reduction, dynamicUpdate, addInPlace, outputCast, total;
};
inline std::ostream &operator<<(std::ostream &out, const PlanCosts &costs)
{
    return out << "{ cycles: " << std::to_string(costs.cycles) << ", memory: " << std::to_string(costs.memory) << " }";
}

// A convolution to be planned: target, parameters and options.
typedef std::tuple<const poplar::Target *, const ConvParams, const poplar::OptionFlags *> ConvPlanParams;

namespace detail
{

inline PlanCosts costs(const poplin_plan_costs &from)
{
    PlanCosts made = { static_cast<std::size_t>(from.cycles), static_cast<std::size_t>(from.memory) };
    return made;
}
typedef std::size_t (*Report)(pop_where, pop_graph *, const poplin_conv_params *, pop_options, poplin_planning_cache *,
                              char *, std::size_t);
// A template, like the calls that plan in advance: programs that do not use them need not compile their containers.
template <int = 0>
void report(Report call, std::ostream &out, const poplar::Graph &graph, const ConvParams &params,
            const poplar::OptionFlags &options, const PlanningCache *given, poputil::detail::Where where)
{
    std::vector<char> text(16384);
    const poplin_conv_params p = params.c();
    pop_graph *const g = const_cast<poplar::Graph &>(graph).c();
    call(where, g, &p, poplar::detail::Options(options), cache(given), text.data(), text.size());
    poputil::detail::check(g);
    out << text.data();
}
// Requests in the form that the C interface takes, and the storage that they point to.
template <typename Request> class PlanRequests
{
  public:
    void add(const Request &request)
    {
        params.push_back(std::get<1>(request).c());
        targets.push_back(&std::get<0>(request)->c());
        static const poplar::OptionFlags none;
        options.emplace_back(new poplar::detail::Options(std::get<2>(request) ? *std::get<2>(request) : none));
    }
    PlanRequests() = default;
    PlanRequests(const PlanRequests &) = delete;
    PlanRequests &operator=(const PlanRequests &) = delete;
    ~PlanRequests()
    {
        for (std::size_t i = 0; i < options.size(); ++i)
            delete options[i];
    }
    void run(PlanningCache &into, poputil::detail::Where where) const
    {
        std::vector<poplin_conv_plan_request> requests;
        for (std::size_t i = 0; i < params.size(); ++i) {
            const poplin_conv_plan_request request = { targets[i], &params[i], *options[i] };
            requests.push_back(request);
        }
        pop_error error;
        if (poplin_preplan_convolutions_at(where, requests.data(), requests.size(), into.c(), &error) != POP_OK)
            poputil::detail::raise(error);
    }

  private:
    std::vector<poplin_conv_params> params;
    std::vector<const pop_target *> targets;
    std::vector<poplar::detail::Options *> options;
};

} // namespace detail

inline void reportPlanInfo(std::ostream &out, const poplar::Graph &graph, const ConvParams &params,
                           const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr,
                           poputil::detail::Where where = poputil::detail::Where::here())
{
    detail::report(poplin_report_plan_info_at, out, graph, params, options, cache, where);
}
inline void reportWeightUpdatePlanInfo(std::ostream &out, const poplar::Graph &graph, const ConvParams &fwdParams,
                                       const poplar::OptionFlags &fwdOptions = {}, PlanningCache *cache = nullptr,
                                       poputil::detail::Where where = poputil::detail::Where::here())
{
    detail::report(poplin_report_weight_update_plan_info_at, out, graph, fwdParams, fwdOptions, cache, where);
}
inline PlanCosts reportPlanEstimatedCosts(const poplar::Graph &graph, const ConvParams &params,
                                          const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr,
                                          poputil::detail::Where where = poputil::detail::Where::here())
{
    const poplin_conv_params p = params.c();
    pop_graph *const g = const_cast<poplar::Graph &>(graph).c();
    const poplin_plan_costs costs =
        poplin_report_plan_estimated_costs_at(where, g, &p, poplar::detail::Options(options), detail::cache(cache));
    poputil::detail::check(g);
    return detail::costs(costs);
}
inline DetailedPlanCosts reportDetailedPlanEstimatedCosts(const poplar::Graph &graph, const ConvParams &params,
                                                          const poplar::OptionFlags &options = {},
                                                          PlanningCache *cache = nullptr,
                                                          poputil::detail::Where where = poputil::detail::Where::here())
{
    const poplin_conv_params p = params.c();
    pop_graph *const g = const_cast<poplar::Graph &>(graph).c();
    const poplin_detailed_plan_costs s = poplin_report_detailed_plan_estimated_costs_at(
        where, g, &p, poplar::detail::Options(options), detail::cache(cache));
    poputil::detail::check(g);
    DetailedPlanCosts made = { static_cast<std::size_t>(s.parallel_split),
                               static_cast<std::size_t>(s.serial_split),
                               detail::costs(s.broadcast),
                               detail::costs(s.rearrangement),
                               detail::costs(s.dynamic_slice),
                               detail::costs(s.transform),
                               detail::costs(s.exchange),
                               detail::costs(s.tile_level_transform),
                               detail::costs(s.input_cast),
                               detail::costs(s.compute),
                               detail::costs(s.reduction),
                               detail::costs(s.dynamic_update),
                               detail::costs(s.add_in_place),
                               detail::costs(s.output_cast),
                               detail::costs(s.total) };
    return made;
}

// Throws invalid_option for options that convolution would refuse.
inline void convolutionValidateOptions(const poplar::OptionFlags &options)
{
    poplar::Graph scratch(poplar::Target::createCPUTarget());
    poplin_convolution_validate_options_at(poputil::detail::Where::here(), scratch.c(),
                                           poplar::detail::Options(options));
    poputil::detail::check(scratch.c());
}

template <typename Set = std::set<ConvPlanParams>>
void preplanConvolutions(const typename poplar::detail::Same<Set>::type &convs, PlanningCache &cache,
                         poputil::detail::Where where = poputil::detail::Where::here())
{
    detail::PlanRequests<typename Set::value_type> requests;
    for (typename Set::const_iterator conv = convs.begin(); conv != convs.end(); ++conv)
        requests.add(*conv);
    requests.run(cache, where);
}
template <typename Set = std::set<ConvPlanParams>>
void preplanConvolutions(poplar::Graph &graph, const typename poplar::detail::Same<Set>::type &convs,
                         PlanningCache &cache, poputil::detail::Where where = poputil::detail::Where::here())
{
    poputil::detail::check(graph.c());
    preplanConvolutions<Set>(convs, cache, where);
}

inline std::uint64_t getFwdFlops(const ConvParams &params)
{
    const poplin_conv_params p = params.c();
    return poplin_get_fwd_flops(&p);
}
inline std::uint64_t getBwdFlops(const ConvParams &params)
{
    const poplin_conv_params p = params.c();
    return poplin_get_bwd_flops(&p);
}
inline std::uint64_t getWuFlops(const ConvParams &params)
{
    const poplin_conv_params p = params.c();
    return poplin_get_wu_flops(&p);
}
inline double getFwdPerfectCycleCount(const poplar::Graph &graph, const ConvParams &params)
{
    const poplin_conv_params p = params.c();
    return poplin_get_fwd_perfect_cycle_count(const_cast<poplar::Graph &>(graph).c(), &p);
}
inline double getBwdPerfectCycleCount(const poplar::Graph &graph, const ConvParams &params)
{
    const poplin_conv_params p = params.c();
    return poplin_get_bwd_perfect_cycle_count(const_cast<poplar::Graph &>(graph).c(), &p);
}
inline double getWuPerfectCycleCount(const poplar::Graph &graph, const ConvParams &params)
{
    const poplin_conv_params p = params.c();
    return poplin_get_wu_perfect_cycle_count(const_cast<poplar::Graph &>(graph).c(), &p);
}

} // namespace poplin
#endif
