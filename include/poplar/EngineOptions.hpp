// SPDX-License-Identifier: Apache-2.0
// Options of an engine together with their target.
#ifndef POPLAR_ENGINE_OPTIONS_HPP
#define POPLAR_ENGINE_OPTIONS_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/Target.hpp>

namespace poplar
{

// Options of an engine, with the target that they are for.
class EngineOptions
{
  public:
    EngineOptions()
    {
    }
    explicit EngineOptions(const Target &of, const OptionFlags &options = {}) : target(of), flags(options)
    {
    }
    // The target.
    const Target &getTarget() const
    {
        return target;
    }
    // The options.
    operator const OptionFlags &() const
    {
        return flags;
    }

  private:
    Target target;
    OptionFlags flags;
};

} // namespace poplar
#endif
