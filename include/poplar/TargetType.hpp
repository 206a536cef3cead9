// SPDX-License-Identifier: Apache-2.0
// Kinds of target.
#ifndef POPLAR_TARGET_TYPE_HPP
#define POPLAR_TARGET_TYPE_HPP

namespace poplar
{

// Kinds of targets.
enum class TargetType {
    IPU,       // hardware, or a modelled IPU that reports this type
    IPU_MODEL, // a modelled IPU
    CPU        // the host
};

inline const char *toString(TargetType value)
{
    switch (value) {
    case TargetType::IPU:
        return "IPU";
    case TargetType::IPU_MODEL:
        return "IPU_MODEL";
    case TargetType::CPU:
        return "CPU";
    }
    return "";
}

} // namespace poplar
#endif
