// SPDX-License-Identifier: Apache-2.0
// The estimators of a graph: C++ functions that C calls.
#ifndef POPLAR_IMPL_ESTIMATORS_HPP
#define POPLAR_IMPL_ESTIMATORS_HPP

#include <poplar/PerfEstimateFunc.hpp>
#include <poplar/Target.hpp>
#include <poplar/VertexIntrospector.hpp>
#include <poplar/detail/counted.hpp>

#include <exception>
#include <utility>

namespace poplar
{
namespace detail
{

// Owned by all graphs that share one store, so that it lives as long as C may call it.
struct Estimators : Counted {
    // One function, passed back by C.
    struct Estimator {
        virtual ~Estimator()
        {
        }
        virtual VertexPerfEstimate estimate(const VertexIntrospector &vertex, const Target &target) = 0;
        Estimators *owner;
        Estimator *next;
    };

    explicit Estimators(const Target &of) : Counted(end), target(of), first(nullptr), throwing(false)
    {
    }
    void *keep(Estimator *own)
    {
        own->owner = this;
        own->next = first;
        return first = own;
    }
    static pop_perf call(const pop_vertex_view *vertex, const pop_target *, void *user)
    {
        Estimator *estimator = static_cast<Estimator *>(user);
        pop_perf perf = pop_perf();
        try {
            VertexPerfEstimate estimate = estimator->estimate(VertexIntrospector(vertex), estimator->owner->target);
            perf.cycles = estimate.cycles;
            perf.flops = estimate.flops;
        } catch (...) { // exceptions must not propagate through C: the first is rethrown after the C call
            if (!__atomic_test_and_set(&estimator->owner->throwing, __ATOMIC_ACQ_REL))
                estimator->owner->thrown = std::current_exception();
        }
        return perf;
    }
    // Rethrows an estimator's exception since the last call.
    void rethrow()
    {
        if (!throwing)
            return;
        const std::exception_ptr exception = thrown;
        thrown = nullptr;
        throwing = false;
        std::rethrow_exception(exception);
    }

    ~Estimators()
    {
        while (Estimator *estimator = first) {
            first = estimator->next;
            delete estimator;
        }
    }

  private:
    static void end(Counted *self)
    {
        delete static_cast<Estimators *>(self);
    }

    Target target;
    Estimator *first;
    std::exception_ptr thrown;
    bool throwing;
};

// A program's function; F is a PerfEstimateFunc or a CycleEstimateFunc.
template <typename F> struct FunctionEstimator : Estimators::Estimator {
    explicit FunctionEstimator(F &&from) : function(std::move(from))
    {
    }
    VertexPerfEstimate estimate(const VertexIntrospector &vertex, const Target &target) override
    {
        return function(vertex, target);
    }
    F function;
};

} // namespace detail
} // namespace poplar
#endif
