// SPDX-License-Identifier: Apache-2.0
// Options of an engine together with their target.
#ifndef POPLAR_ENGINE_OPTIONS_HPP
#define POPLAR_ENGINE_OPTIONS_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/Target.hpp>

#include <cstddef>
#include <functional>
#include <string>

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
    EngineOptions(const OptionFlags &options, const Target &of, unsigned replicas = 1)
        : target(of), flags(options), factor(replicas)
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
    // The number of replicas that was given.
    unsigned getReplicationFactor() const
    {
        return factor;
    }

    friend bool operator==(const EngineOptions &a, const EngineOptions &b)
    {
        return a.factor == b.factor && a.target == b.target && a.flags == b.flags;
    }
    friend bool operator!=(const EngineOptions &a, const EngineOptions &b)
    {
        return !(a == b);
    }
    // Equal options, targets and numbers of replicas have equal hashes.
    friend std::size_t hash_value(const EngineOptions &options)
    {
        return (hash_value(options.target) * 31 + hash_value(options.flags)) * 31 + options.factor;
    }

  private:
    Target target;
    OptionFlags flags;
    unsigned factor = 1;
};

} // namespace poplar
#endif
