// SPDX-License-Identifier: Apache-2.0
// Summaries of profiles as text.
#ifndef POPLAR_PROFILE_PRINTING_HPP
#define POPLAR_PROFILE_PRINTING_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/detail/compiled.hpp>

#include <ostream>
#include <string>

namespace poplar
{

// An empty execution profile is not printed.
POP_API void printProfileSummary(std::ostream &out, const ProfileValue &graphProfile,
                                 const ProfileValue &executionProfile = {}, const OptionFlags &options = {});
// The summary of a report file: profile.pop, or its directory, as graph_memory_allocation_error::profilePath names it.
// Loads libpva; throws file_load_error if the report, or the library, cannot be read.
POP_API void printProfileSummary(std::ostream &out, const std::string &profilePath, const OptionFlags &options = {});
inline void printProfileSummary(std::ostream &out, const char *profilePath, const OptionFlags &options = {})
{
    printProfileSummary(out, std::string(profilePath), options);
}
POP_API void printGraphSummary(std::ostream &out, const ProfileValue &graphProfile, const OptionFlags &options = {});
POP_API void printExecutionSummary(std::ostream &out, const ProfileValue &graphProfile,
                                   const ProfileValue &executionProfile, const OptionFlags &options = {});

} // namespace poplar

#ifdef TREMULA_HEADER_ONLY
#include <poplar/impl/ProfilePrinting.hpp>
#endif
#endif
