// SPDX-License-Identifier: Apache-2.0
// The same of <poplar/Vertex.hpp>.
static_assert(std::is_same<std::uint8_t, unsigned char>::value, "cstdint, type_traits");
inline void everyBroughtName(void *to, const void *from)
{
    std::memcpy(to, from, 4);
}
