// SPDX-License-Identifier: Apache-2.0
// Conversion between host values and element types of devices.
#ifndef POPLAR_TYPE_CONVERSION_HPP
#define POPLAR_TYPE_CONVERSION_HPP

#include <poplar/ArrayRef.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/Type.hpp>
#include <poplar/detail/error.hpp>

namespace poplar
{
namespace detail
{

// The element type of a host type.
template <typename T> inline pop_type hostType()
{
    return equivalent_device_type<T>().value.c();
}
inline void needConvertible(const Type &type)
{
    if (type == QUARTER || pop_type_size(type.c()) == 0)
        raise(POP_TYPE_ERROR, "there is no conversion between host values and elements of type %s",
              pop_type_name(type.c()));
}
inline void needQuarter(const Type &type)
{
    if (type != QUARTER)
        raise(POP_TYPE_ERROR, "metadata is given for elements of type %s: only quarter has some",
              pop_type_name(type.c()));
}

} // namespace detail

// Writes host values as elements of a type: integers wrap, HALF rounds to nearest even.
template <typename T> void convertToDeviceType(const Type &type, ArrayRef<T> from, void *to)
{
    detail::needConvertible(type);
    pop_convert(detail::hostType<T>(), from.data(), type.c(), to, from.size());
}
// Converts host values to a device type.
template <typename T, typename A> void convertToDeviceType(const Type &type, const std::vector<T, A> &from, void *to)
{
    convertToDeviceType(type, ArrayRef<T>(from), to);
}
// Writes host values as codes of QUARTER; other types have no metadata.  Values that are too large become NaN with
// nanoo, otherwise the largest value.
template <typename T>
void convertToDeviceType(const Type &type, const QuarterMetadata &metadata, ArrayRef<T> from, void *to,
                         bool nanoo = true)
{
    detail::needQuarter(type);
    pop_convert_to_quarter(metadata.getBinary(), detail::hostType<T>(), from.data(), static_cast<std::uint8_t *>(to),
                           from.size(), nanoo);
}
template <typename T, typename A>
void convertToDeviceType(const Type &type, const QuarterMetadata &metadata, const std::vector<T, A> &from, void *to,
                         bool nanoo = true)
{
    convertToDeviceType(type, metadata, ArrayRef<T>(from), to, nanoo);
}
// Reads elements of a type into host values.  Elements of an ArrayRef are const; here they are written nevertheless, as
// in Poplar's signature.
template <typename T> void convertFromDeviceType(const Type &type, const void *from, ArrayRef<T> to)
{
    detail::needConvertible(type);
    pop_convert(type.c(), from, detail::hostType<T>(), const_cast<T *>(to.data()), to.size());
}
template <typename T, typename A> void convertFromDeviceType(const Type &type, const void *from, std::vector<T, A> &to)
{
    convertFromDeviceType(type, from, ArrayRef<T>(to));
}

// Reads codes of QUARTER; as above, the elements of to are written.
template <typename T>
void convertFromDeviceType(const Type &type, const QuarterMetadata &metadata, const void *from, ArrayRef<T> to)
{
    detail::needQuarter(type);
    pop_convert_from_quarter(metadata.getBinary(), static_cast<const std::uint8_t *>(from), detail::hostType<T>(),
                             const_cast<T *>(to.data()), to.size());
}
template <typename T, typename A>
void convertFromDeviceType(const Type &type, const QuarterMetadata &metadata, const void *from, std::vector<T, A> &to)
{
    convertFromDeviceType(type, metadata, from, ArrayRef<T>(to));
}

// What calculateMetadataForConversion makes least.
enum class CostMetric { MEAN_SQUARE_ERROR };
// The metadata of a format at which the values are represented best (pop_quarter_best_metadata).
template <typename T>
QuarterMetadata calculateMetadataForConversion(const Type &type, ArrayRef<T> values, QuarterMetadata::Format format,
                                               CostMetric = CostMetric::MEAN_SQUARE_ERROR)
{
    detail::needQuarter(type);
    return QuarterMetadata::fromBinary(pop_quarter_best_metadata(static_cast<pop_quarter_format>(format),
                                                                 detail::hostType<T>(), values.data(), values.size()));
}
template <typename T, typename A>
QuarterMetadata calculateMetadataForConversion(const Type &type, const std::vector<T, A> &values,
                                               QuarterMetadata::Format format,
                                               CostMetric metric = CostMetric::MEAN_SQUARE_ERROR)
{
    return calculateMetadataForConversion(type, ArrayRef<T>(values), format, metric);
}

} // namespace poplar
#endif
