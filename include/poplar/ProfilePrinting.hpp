// SPDX-License-Identifier: Apache-2.0
// Summaries of profiles as text.
#ifndef POPLAR_PROFILE_PRINTING_HPP
#define POPLAR_PROFILE_PRINTING_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/detail/compiled.hpp>

namespace poplar
{

// An empty execution profile is not printed.
POP_API void printProfileSummary(std::ostream &out, const ProfileValue &graphProfile,
                                 const ProfileValue &executionProfile = {}, const OptionFlags &options = {});
POP_API void printGraphSummary(std::ostream &out, const ProfileValue &graphProfile, const OptionFlags &options = {});
POP_API void printExecutionSummary(std::ostream &out, const ProfileValue &graphProfile,
                                   const ProfileValue &executionProfile, const OptionFlags &options = {});

} // namespace poplar

#ifdef TREMULA_HEADER_ONLY
#include <poplar/impl/ProfilePrinting.hpp>
#endif
#endif
