// SPDX-License-Identifier: Apache-2.0
// File formats of graphs and tensors.
#ifndef POPLAR_SERIALIZATION_FORMAT_HPP
#define POPLAR_SERIALIZATION_FORMAT_HPP

namespace poplar
{

// Format of a saved graph.
enum class SerializationFormat { Binary, JSON };

} // namespace poplar
#endif
