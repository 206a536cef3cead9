// SPDX-License-Identifier: Apache-2.0
// Engines that run in all instances together.
#ifndef POPDIST_POPDIST_POPLAR_HPP
#define POPDIST_POPDIST_POPLAR_HPP

#include <popdist/collectives.hpp>
#include <poplar/Engine.hpp>

#include <string>

namespace popdist
{

// Runs a program in all instances; throws runtime_error if another runs another program.
inline void run(poplar::Engine &engine, unsigned program = 0, const std::string &debugName = std::string())
{
    const unsigned own = program;
    for (unsigned theirs : collectives::allGather(std::vector<unsigned>(1, own)))
        if (theirs != own)
            poplar::detail::raise(POP_RUNTIME_ERROR, "popdist::run: instance %u runs program %u, another one %u",
                                  getInstanceIndex(), own, theirs);
    engine.run(program, debugName);
}

} // namespace popdist
#endif
