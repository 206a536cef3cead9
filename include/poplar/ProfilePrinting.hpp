// SPDX-License-Identifier: Apache-2.0
// The readable summary of profiles.
#ifndef POPLAR_PROFILE_PRINTING_HPP
#define POPLAR_PROFILE_PRINTING_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>

namespace poplar {

template <int = 0>
void printProfileSummary(std::ostream &out, const ProfileValue &graphProfile, const ProfileValue &executionProfile,
                                const OptionFlags &options = {})
{
    const detail::OwnedProfileValue graph(graphProfile.c()), execution(executionProfile.c());
    detail::OutputFile text;
    pop_error error;
    detail::check(pop_print_profile_summary(text.c(), &graph.value, &execution.value, detail::Options(options), &error), error);
    text.send(out);
}
template <int = 0>
void printGraphSummary(std::ostream &out, const ProfileValue &graphProfile, const OptionFlags &options = {})
{
    const detail::OwnedProfileValue graph(graphProfile.c());
    detail::OutputFile text;
    pop_error error;
    detail::check(pop_print_graph_summary(text.c(), &graph.value, detail::Options(options), &error), error);
    text.send(out);
}
template <int = 0>
void printExecutionSummary(std::ostream &out, const ProfileValue &graphProfile, const ProfileValue &executionProfile,
                                  const OptionFlags &options = {})
{
    const detail::OwnedProfileValue graph(graphProfile.c()), execution(executionProfile.c());
    detail::OutputFile text;
    pop_error error;
    detail::check(pop_print_execution_summary(text.c(), &graph.value, &execution.value, detail::Options(options), &error), error);
    text.send(out);
}

} // namespace poplar
#endif
