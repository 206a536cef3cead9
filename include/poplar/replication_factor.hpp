// SPDX-License-Identifier: Apache-2.0
// The replication factor of a graph: a type of its own, so that it is not confused with other numbers.
#ifndef POPLAR_REPLICATION_FACTOR_HPP
#define POPLAR_REPLICATION_FACTOR_HPP

namespace poplar
{

struct replication_factor {
    explicit constexpr replication_factor(unsigned count) : value(count)
    {
    }
    explicit constexpr operator unsigned() const
    {
        return value;
    }

    unsigned value;
};

inline constexpr bool operator==(replication_factor a, replication_factor b)
{
    return a.value == b.value;
}
inline constexpr bool operator!=(replication_factor a, replication_factor b)
{
    return a.value != b.value;
}

} // namespace poplar
#endif
