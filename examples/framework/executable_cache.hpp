// SPDX-License-Identifier: Apache-2.0
// Compiled models on disk, one PopEF file each, found by a hash of all that decides what compiling gives.
#ifndef FRAMEWORK_EXECUTABLE_CACHE_HPP
#define FRAMEWORK_EXECUTABLE_CACHE_HPP

#include "compiled.hpp"

namespace framework
{

class ExecutableCache
{
  public:
    // Of a model with these options. Without a directory nothing is kept.
    ExecutableCache(const std::string &directory, const Ir &ir, const poplar::EngineOptions &options,
                    unsigned microBatches);

    // False if there is no file, or it is broken or another model's: then it is compiled again, and replaced.
    bool load(Compiled &compiled) const;
    void save(const Compiled &compiled) const;
    const std::string &path() const
    {
        return file;
    }

  private:
    std::string identity; // what is hashed; the file has it, as two models could have one hash
    std::string file;     // empty: nothing is kept
};

} // namespace framework
#endif
