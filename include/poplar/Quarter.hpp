// SPDX-License-Identifier: Apache-2.0
// 8-bit floats (poplar/quarter.h).
#ifndef POPLAR_QUARTER_HPP
#define POPLAR_QUARTER_HPP

#include <poplar/quarter.h>

#include <cstdint>
#ifndef __POPC__ /* codelets have no streams */
#include <ostream>
#include <poplar/detail/host_type.hpp>
#include <string>
#endif

namespace poplar
{

// The format of a tensor's elements, and the power of two that scales them.
class QuarterMetadata
{
  public:
    // Bits of exponent and mantissa: 4 and 3, or 5 and 2.
    enum class Format { F143 = POP_QUARTER_F143, F152 = POP_QUARTER_F152 };
    constexpr QuarterMetadata() : fmt(Format::F143), scale(0)
    {
    }
    // A format, and the power of two that values are multiplied with.
    constexpr QuarterMetadata(Format format, int power) : fmt(format), scale(static_cast<signed char>(power))
    {
    }
    // What the byte of a metadata tensor says.
    static QuarterMetadata fromBinary(std::uint8_t byte)
    {
        return QuarterMetadata(static_cast<Format>(pop_quarter_metadata_format(byte)),
                               pop_quarter_metadata_scale(byte));
    }
    // The format.
    constexpr Format getFormat() const
    {
        return fmt;
    }
    // The power of two.
    constexpr int getScale() const
    {
        return scale;
    }
    // The byte of a metadata tensor: bit 7 is set for F143, bits 0 to 5 are the scale in two's complement. (The layout
    // is that of release 2.5's public packing but for bit 6, which readers ignore: here 0.)
    constexpr std::uint8_t getBinary() const
    {
        return static_cast<std::uint8_t>((fmt == Format::F143 ? 0x80u : 0u) | (static_cast<unsigned>(scale) & 0x3fu));
    }
    friend constexpr bool operator==(const QuarterMetadata &a, const QuarterMetadata &b)
    {
        return a.fmt == b.fmt && a.scale == b.scale;
    }
    friend constexpr bool operator!=(const QuarterMetadata &a, const QuarterMetadata &b)
    {
        return !(a == b);
    }
#ifndef __POPC__
    // "F143, scale -2".
    std::string toString() const
    {
        return std::string(fmt == Format::F143 ? "F143" : "F152") + ", scale " +
               std::to_string(static_cast<int>(scale));
    }
    friend std::ostream &operator<<(std::ostream &out, const QuarterMetadata &metadata)
    {
        return out << metadata.toString();
    }
#endif

  private:
    Format fmt;
    signed char scale;
};

} // namespace poplar

// A code, whose value depends on metadata.
class quarter
{
  public:
    quarter() = default;
    // The value with these bits.
    static constexpr quarter fromBits(std::uint8_t raw)
    {
        return quarter(raw, 0);
    }
    // The raw bits.
    constexpr std::uint8_t bits() const
    {
        return value;
    }

  private:
    constexpr quarter(std::uint8_t raw, int) : value(raw)
    {
    }

    std::uint8_t value;
};

namespace poplar
{
using ::quarter;
#ifndef __POPC__
namespace detail
{
template <> struct HostType<::quarter, false> {
    static constexpr pop_type value = POP_QUARTER;
};
} // namespace detail
#endif
} // namespace poplar

#endif
