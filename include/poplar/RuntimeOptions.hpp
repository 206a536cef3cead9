// SPDX-License-Identifier: Apache-2.0
// Options of a run and of later ones (pop_engine_set_runtime_options lists those with an effect).
#ifndef POPLAR_RUNTIME_OPTIONS_HPP
#define POPLAR_RUNTIME_OPTIONS_HPP

#include <poplar/OptionFlags.hpp>

namespace poplar
{

class RuntimeOptions
{
  public:
    RuntimeOptions()
    {
    }
    RuntimeOptions(const OptionFlags &options) : flags(options)
    {
    }
    operator const OptionFlags &() const
    {
        return flags;
    }

  private:
    OptionFlags flags;
};

} // namespace poplar
#endif
