// SPDX-License-Identifier: Apache-2.0
// Conversion between host values and element types of devices.
#ifndef POPLAR_TYPE_CONVERSION_HPP
#define POPLAR_TYPE_CONVERSION_HPP

#include <poplar/ArrayRef.hpp>
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
// With metadata: throws, since 8-bit floats cannot be converted.
template <typename T, typename M> void convertToDeviceType(const Type &type, const M &, ArrayRef<T> from, void *to)
{
    convertToDeviceType(type, from, to); // metadata belongs to 8-bit floats, which are rejected
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

// With metadata: throws, since 8-bit floats cannot be converted.
template <typename T, typename M>
void convertFromDeviceType(const Type &type, const M &, const void *from, ArrayRef<T> to)
{
    convertFromDeviceType(type, from, to);
}

} // namespace poplar
#endif
