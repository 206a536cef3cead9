// SPDX-License-Identifier: Apache-2.0
// Floating-point behaviour of tiles: exceptions, stochastic rounding, overflow of half.  Its scope and cost are
// documented at pop_float_behaviour (poplar/program.h).
#ifndef POPLAR_CSR_FUNCTIONS_HPP
#define POPLAR_CSR_FUNCTIONS_HPP

#include <poplar/Program.hpp>
#include <poplar/detail/compiled.hpp>

namespace poplar
{

// Floating-point control flags: exceptions, and how half rounds and overflows.
struct FloatingPointBehaviour {
    // Each flag by itself.
    FloatingPointBehaviour(bool invalid, bool divisionByZero, bool overflow, bool stochasticRounding,
                           bool nanOnOverflow)
        : inv(invalid), div0(divisionByZero), oflo(overflow), esr(stochasticRounding), nanoo(nanOnOverflow)
    {
    }
    FloatingPointBehaviour() : FloatingPointBehaviour(true, true, true, true, true)
    {
    }

    // The flags that are not set.
    friend FloatingPointBehaviour operator!(const FloatingPointBehaviour &b)
    {
        return FloatingPointBehaviour(!b.inv, !b.div0, !b.oflo, !b.esr, !b.nanoo);
    }
    pop_float_behaviour c() const
    {
        const pop_float_behaviour behaviour = { inv, div0, oflo, esr, nanoo };
        return behaviour;
    }

    bool inv;   // an invalid operation ends the run; the error names the vertex
    bool div0;  // a division by zero, likewise
    bool oflo;  // an overflow of float or half, likewise
    bool esr;   // results of type half are rounded stochastically
    bool nanoo; // half overflows to NaN, not to the largest value
};

// Adds to a sequence: sets the flags on all tiles.
POP_API void setFloatingPointBehaviour(Graph &graph, program::Sequence &sequence,
                                       const FloatingPointBehaviour &behaviour, const DebugContext &debugContext = {});
// Restores the state that getAndModifyFloatingPointBehaviour returned.
POP_API void setFloatingPointBehaviour(Graph &graph, program::Sequence &sequence, const Tensor &behaviour,
                                       const DebugContext &debugContext = {});
// Flags that are true in clear become false, then flags that are true in set become true.
POP_API Tensor getAndModifyFloatingPointBehaviour(Graph &graph, program::Sequence &sequence,
                                                  const FloatingPointBehaviour &clear,
                                                  const FloatingPointBehaviour &set,
                                                  const DebugContext &debugContext = {});
// Adds to a sequence: half rounds stochastically, or to the nearest value.
POP_API void setStochasticRounding(Graph &graph, program::Sequence &sequence, bool enable,
                                   const DebugContext &debugContext = {});

} // namespace poplar

#ifdef TREMULA_HEADER_ONLY
#include <poplar/impl/CSRFunctions.hpp>
#endif
#endif
