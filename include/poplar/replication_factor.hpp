// SPDX-License-Identifier: Apache-2.0
// The replication factor of a graph: a type of its own, so that it is not confused with other numbers.
#ifndef POPLAR_REPLICATION_FACTOR_HPP
#define POPLAR_REPLICATION_FACTOR_HPP

namespace poplar
{

// A number of replicas.
struct replication_factor {
    // The number.
    explicit constexpr replication_factor(unsigned count) : value(count)
    {
    }
    // The number.
    explicit constexpr operator unsigned() const
    {
        return value;
    }

    unsigned value; // the number
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
