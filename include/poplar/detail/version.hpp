// SPDX-License-Identifier: Apache-2.0
// The version of this library.
#ifndef POPLAR_DETAIL_VERSION_HPP
#define POPLAR_DETAIL_VERSION_HPP

#include <poplar/StringRef.hpp>
#include <poplar/engine.h>

namespace poplar
{

inline StringRef versionString()
{
    return pop_version_string();
}
inline StringRef packageHash()
{
    return pop_package_hash();
}

} // namespace poplar
#endif
