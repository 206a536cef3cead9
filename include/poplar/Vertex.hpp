// SPDX-License-Identifier: Apache-2.0
// The header of C++ codelets (docs/concepts/codelets.md).
//
//     class SumVertex : public poplar::Vertex {
//     public:
//         poplar::Input<poplar::Vector<float>> in;
//         poplar::Output<float> out;
//         bool compute();
//     };
//
// popc finds the classes and their fields in the compiled object.  This header includes <cstdint>, <cstring> and
// <type_traits>, as codelets expect, and nothing larger: that halves their compile time.
#ifndef POPLAR_VERTEX_HPP
#define POPLAR_VERTEX_HPP

#include <poplar/FieldTypes.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace poplar
{

// Runs on one worker: bool or void compute().
class Vertex
{
};

// Runs on all workers: bool or void compute(unsigned worker), once for each worker from 0 to numWorkers() - 1, in any
// order.
class MultiVertex
{
  public:
    // Workers of a tile.
    static constexpr unsigned numWorkers()
    {
        return 6;
    }
};

// Runs alone on its tile: __attribute__((target("supervisor"))) bool compute().
class SupervisorVertex
{
};

// A supervisor vertex if the condition holds, otherwise a worker vertex.
template <bool Supervisor> class SupervisorVertexIf : public Vertex
{
};
// A supervisor vertex.
template <> class SupervisorVertexIf<true> : public SupervisorVertex
{
};

// Runs code that accesses the machine outside of its tile; here it runs as a supervisor.
class ExternalExchangeVertex : public SupervisorVertex
{
};

} // namespace poplar

#ifdef __POPC__
// Attributes for the device: host compilers know neither poplar::constraint nor target("supervisor").
#pragma GCC diagnostic ignored "-Wattributes"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wignored-attributes"
#elif !defined(__IPU__) || defined(POPLAR_TILE_BUILTINS)
#include <poplar/detail/attributes.hpp>
#endif
#endif

#endif
