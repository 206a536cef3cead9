// SPDX-License-Identifier: Apache-2.0
// A C profile value, freed by the destructor.
#ifndef POPLAR_IMPL_OWNED_PROFILE_VALUE_HPP
#define POPLAR_IMPL_OWNED_PROFILE_VALUE_HPP

#include <poplar/profile.h>

namespace poplar
{
namespace detail
{

struct OwnedProfileValue {
    OwnedProfileValue() : value()
    {
    }
    explicit OwnedProfileValue(pop_profile_value from) : value(from)
    {
    }
    OwnedProfileValue(const OwnedProfileValue &) = delete;
    OwnedProfileValue &operator=(const OwnedProfileValue &) = delete;
    ~OwnedProfileValue()
    {
        pop_profile_free(&value);
    }

    pop_profile_value value;
};

} // namespace detail
} // namespace poplar
#endif
