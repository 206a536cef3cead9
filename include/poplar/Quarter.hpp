// SPDX-License-Identifier: Apache-2.0
// 8-bit floats.  Only the names are supported: popc and Graph reject vertices and tensors of these types.
#ifndef POPLAR_QUARTER_HPP
#define POPLAR_QUARTER_HPP

#include <stdint.h>

namespace poplar
{

// The format of a quarter (bits of sign, exponent, mantissa) and the power of two that scales all elements of a tensor.
class QuarterMetadata
{
  public:
    // Bits of exponent and mantissa: 4 and 3, or 5 and 2.
    enum class Format { F143 = 0, F152 = 1 };
    constexpr QuarterMetadata() : fmt(Format::F143), scale(0)
    {
    }
    // A format, and the power of two that values are multiplied with.
    constexpr QuarterMetadata(Format format, int power) : fmt(format), scale(static_cast<signed char>(power))
    {
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
    constexpr uint8_t getBinary() const
    {
        return static_cast<uint8_t>((fmt == Format::F143 ? 0x80u : 0) | (static_cast<unsigned>(scale) & 0x3fu));
    }

  private:
    Format fmt;
    signed char scale;
};

} // namespace poplar

class quarter
{
  public:
    quarter() = default;
    // The value with these bits.
    static constexpr quarter fromBits(uint8_t raw)
    {
        return quarter(raw, 0);
    }
    // The raw bits.
    constexpr uint8_t bits() const
    {
        return value;
    }

  private:
    constexpr quarter(uint8_t raw, int) : value(raw)
    {
    }

    uint8_t value;
};

namespace poplar
{
using ::quarter;
} // namespace poplar

#endif
