// SPDX-License-Identifier: Apache-2.0
// The same for <poplar/Vertex.hpp>.
static_assert(std::is_same<std::uint8_t, unsigned char>::value, "cstdint, type_traits");
inline void everyIncludedName(void *to, const void *from)
{
    std::memcpy(to, from, 4);
}
