// SPDX-License-Identifier: Apache-2.0
// Profiles as text.
#ifndef POPLAR_IMPL_PROFILE_PRINTING_HPP
#define POPLAR_IMPL_PROFILE_PRINTING_HPP

#include <poplar/ProfilePrinting.hpp>
#include <poplar/impl/owned_profile_value.hpp>
#include <poplar/impl/text_file.hpp>

namespace poplar
{

POPLAR_IMPL void printProfileSummary(std::ostream &out, const ProfileValue &graphProfile,
                                     const ProfileValue &executionProfile, const OptionFlags &options)
{
    const detail::OwnedProfileValue graph(graphProfile.c()), execution(executionProfile.c());
    detail::OutputFile text;
    pop_error error;
    detail::check(pop_print_profile_summary(text.c(), &graph.value, &execution.value, detail::Options(options), &error),
                  error);
    text.send(out);
}
POPLAR_IMPL void printProfileSummary(std::ostream &out, const std::string &profilePath, const OptionFlags &options)
{
    detail::OutputFile text;
    pop_error error;
    detail::check(pop_print_report_summary(text.c(), profilePath.c_str(), detail::Options(options), &error), error);
    text.send(out);
}
POPLAR_IMPL void printGraphSummary(std::ostream &out, const ProfileValue &graphProfile, const OptionFlags &options)
{
    const detail::OwnedProfileValue graph(graphProfile.c());
    detail::OutputFile text;
    pop_error error;
    detail::check(pop_print_graph_summary(text.c(), &graph.value, detail::Options(options), &error), error);
    text.send(out);
}
POPLAR_IMPL void printExecutionSummary(std::ostream &out, const ProfileValue &graphProfile,
                                       const ProfileValue &executionProfile, const OptionFlags &options)
{
    const detail::OwnedProfileValue graph(graphProfile.c()), execution(executionProfile.c());
    detail::OutputFile text;
    pop_error error;
    detail::check(
        pop_print_execution_summary(text.c(), &graph.value, &execution.value, detail::Options(options), &error), error);
    text.send(out);
}

} // namespace poplar
#endif
