// SPDX-License-Identifier: Apache-2.0
// Sums, gathers and broadcasts of host data. All instances make the same calls in the same order.
#ifndef POPDIST_COLLECTIVES_HPP
#define POPDIST_COLLECTIVES_HPP

#include <popdist/context.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <type_traits>
#include <vector>

namespace popdist
{
namespace collectives
{

// Sums elements in place, in the order of the instances.
inline void allReduceSum(void *data, std::size_t count, const poplar::Type &type,
                         CommunicatorId = defaultCommunicatorId)
{
    pop_error error;
    poplar::detail::check(popdist_all_reduce_sum(data, type.c(), count, &error), error);
}
template <typename T, typename std::enable_if<std::is_arithmetic<T>::value, int>::type = 0>
void allReduceSum(T *data, std::size_t count, CommunicatorId communicator = defaultCommunicatorId)
{
    allReduceSum(static_cast<void *>(data), count, poplar::equivalent_device_type<T>().value, communicator);
}
template <typename T>
std::vector<T> allReduceSum(std::vector<T> data, CommunicatorId communicator = defaultCommunicatorId)
{
    allReduceSum(data.data(), data.size(), communicator);
    return data;
}

// The elements of all instances, in their order.
template <typename T> void allGather(const T *own, std::size_t count, T *all, CommunicatorId = defaultCommunicatorId)
{
    static_assert(std::is_trivially_copyable<T>::value, "elements are copied as bytes");
    pop_error error;
    poplar::detail::check(popdist_all_gather(own, count * sizeof(T), all, &error), error);
}
template <typename T>
std::vector<T> allGather(const std::vector<T> &own, CommunicatorId communicator = defaultCommunicatorId)
{
    std::vector<T> all(own.size() * getNumInstances());
    allGather(own.data(), own.size(), all.data(), communicator);
    return all;
}

// Copies the data of the instance `root` to all.
template <typename T>
void broadcast(T *data, std::size_t count, unsigned root = 0, CommunicatorId = defaultCommunicatorId)
{
    static_assert(std::is_trivially_copyable<T>::value, "elements are copied as bytes");
    pop_error error;
    poplar::detail::check(popdist_broadcast(data, count * sizeof(T), root, &error), error);
}
template <typename T>
void broadcast(std::vector<T> &data, unsigned root = 0, CommunicatorId communicator = defaultCommunicatorId)
{
    broadcast(data.data(), data.size(), root, communicator);
}

} // namespace collectives
} // namespace popdist
#endif
