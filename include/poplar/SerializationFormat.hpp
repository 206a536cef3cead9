// SPDX-License-Identifier: Apache-2.0
// How graphs and tensors are written.
#ifndef POPLAR_SERIALIZATION_FORMAT_HPP
#define POPLAR_SERIALIZATION_FORMAT_HPP

namespace poplar
{

enum class SerializationFormat { Binary, JSON };

} // namespace poplar
#endif
