// SPDX-License-Identifier: Apache-2.0
// 8-bit floats in codelets: Input<Vector<quarter>> in, connected to a QUARTER tensor, and
// toFloat(in[i], unpackMetadata(in.getMetadata())).
//
// Other fields, such as vectors of vectors, have the codes as unsigned char, connected to
// t.reinterpret(UNSIGNED_CHAR), and the metadata as a scalar of quarter_metadata, connected to
// t.getMetadata().reinterpret(UNSIGNED_CHAR).
#ifndef POPLAR_QUARTER_FLOAT_HPP
#define POPLAR_QUARTER_FLOAT_HPP

#include <poplar/HalfFloat.hpp>
#include <poplar/quarter.h>

#ifndef POPLAR_QUARTER_HPP
#include <poplar/Quarter.hpp>
#endif

namespace poplar
{

typedef unsigned char quarter_metadata; // The byte of a metadata tensor.
typedef quarter_metadata MetadataType;  // Its other name.

// Format and scale of a metadata byte.
inline QuarterMetadata unpackMetadata(const MetadataType *metadata)
{
    return QuarterMetadata::fromBinary(*metadata);
}
// The code nearest to value x 2^-scale (pop_quarter_from_double).
inline quarter toQuarter(float value, QuarterMetadata metadata, bool nanoo = true)
{
    return quarter::fromBits(pop_quarter_from_float(value, metadata.getBinary(), nanoo));
}
// The conversion of a half.
inline quarter toQuarter(half value, QuarterMetadata metadata, bool nanoo = true)
{
    return toQuarter(static_cast<float>(value), metadata, nanoo);
}
// The value of a code; exact.
inline float toFloat(quarter value, QuarterMetadata metadata)
{
    return pop_quarter_to_float(value.bits(), metadata.getBinary());
}
// The half nearest to the value of a code.
inline half toHalf(quarter value, QuarterMetadata metadata)
{
    return half(toFloat(value, metadata));
}

} // namespace poplar

#endif
