// SPDX-License-Identifier: Apache-2.0
// What a codelet in C++ includes (docs/cpp-codelets.md).
//
//     class SumVertex : public poplar::Vertex {
//     public:
//         poplar::Input<poplar::Vector<float>> in;
//         poplar::Output<float> out;
//         bool compute();
//     };
//
// popc finds the classes and their fields in the compiled object.  It brings <cstdint>, <cstring> and <type_traits>, as
// codelets expect; nothing larger, so that they compile in half the time.
#ifndef POPLAR_VERTEX_HPP
#define POPLAR_VERTEX_HPP

#include <poplar/FieldTypes.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace poplar
{

// Runs in one worker: bool or void compute().
class Vertex
{
};

// Runs in all workers: bool or void compute(unsigned worker), once for each worker from 0 to numWorkers() - 1, in any
// order.
class MultiVertex
{
  public:
    static constexpr unsigned numWorkers()
    {
        return 6;
    }
};

// Runs alone on its tile: __attribute__((target("supervisor"))) bool compute().
class SupervisorVertex
{
};

template <bool Supervisor> class SupervisorVertexIf : public Vertex
{
};
template <> class SupervisorVertexIf<true> : public SupervisorVertex
{
};

// Runs code that talks to the machine outside its tile; as a supervisor here.
class ExternalExchangeVertex : public SupervisorVertex
{
};

} // namespace poplar

#ifdef __POPC__
// Attributes that are for the device: compilers for the host do not know poplar::constraint, and target("supervisor")
// is none of theirs.
#pragma GCC diagnostic ignored "-Wattributes"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wignored-attributes"
#elif !defined(__IPU__)
#include <poplar/detail/attributes.hpp>
#endif
#endif

#endif
