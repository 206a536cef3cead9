// SPDX-License-Identifier: Apache-2.0
// Options of a run and of later ones (pop_engine_set_runtime_options lists those with an effect).
#ifndef POPLAR_RUNTIME_OPTIONS_HPP
#define POPLAR_RUNTIME_OPTIONS_HPP

#include <poplar/OptionFlags.hpp>

namespace poplar
{

// Options of a run.
class RuntimeOptions
{
  public:
    RuntimeOptions()
    {
    }
    // From a list of options.
    RuntimeOptions(const OptionFlags &options) : flags(options)
    {
    }
    // The options.
    operator const OptionFlags &() const
    {
        return flags;
    }

  private:
    OptionFlags flags;
};

} // namespace poplar
#endif
