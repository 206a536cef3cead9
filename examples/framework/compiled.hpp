// SPDX-License-Identifier: Apache-2.0
// A compiled model: all that a session needs to run it, without its graph.
#ifndef FRAMEWORK_COMPILED_HPP
#define FRAMEWORK_COMPILED_HPP

#include "ir.hpp"

#include <gcl/CollectiveBalancedReorder.hpp>
#include <popef/Types.hpp>
#include <poplar/EngineOptions.hpp>
#include <poplar/Executable.hpp>

namespace framework
{

using Division = gcl::CollectiveBalancedHostRearrangement;

struct Compiled {
    poplar::Executable executable;
    popef::Metadata metadata;
    std::map<std::string, Division> divisions; // of parameters: how the host divides their states
};

} // namespace framework
#endif
