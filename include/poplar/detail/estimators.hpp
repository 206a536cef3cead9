// SPDX-License-Identifier: Apache-2.0
// The estimators of a graph: functions of C++ that C calls.
#ifndef POPLAR_DETAIL_ESTIMATORS_HPP
#define POPLAR_DETAIL_ESTIMATORS_HPP

#include <poplar/PerfEstimateFunc.hpp>
#include <poplar/Target.hpp>
#include <poplar/VertexIntrospector.hpp>

#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace poplar {
namespace detail {

// Kept by all graphs that share one store, so that it lives as long as C may call.
class Estimators {
public:
    explicit Estimators(const Target &of) : target(of) {}
    // A function for C, and what C hands it back.
    void *keep(PerfEstimateFunc estimate)
    {
        list.emplace_back(new Estimator{ this, std::move(estimate) });
        return list.back().get();
    }
    static pop_perf call(const pop_vertex_view *vertex, const pop_target *, void *user)
    {
        Estimator *estimator = static_cast<Estimator *>(user);
        pop_perf perf = pop_perf();
        try {
            VertexPerfEstimate estimate = estimator->estimate(VertexIntrospector(vertex), estimator->owner->target);
            perf.cycles = estimate.cycles;
            perf.flops = estimate.flops;
        } catch (...) { // no exception may pass through C: it is thrown on when the call that asked returns
            std::lock_guard<std::mutex> lock(estimator->owner->mutex);
            if (!estimator->owner->thrown)
                estimator->owner->thrown = std::current_exception();
        }
        return perf;
    }
    // Throws what an estimator threw since the last time.
    void rethrow()
    {
        if (!thrown)
            return;
        std::exception_ptr exception;
        std::swap(exception, thrown);
        std::rethrow_exception(exception);
    }

private:
    struct Estimator {
        Estimators *owner;
        PerfEstimateFunc estimate;
    };
    Target target;
    std::vector<std::unique_ptr<Estimator>> list;
    std::mutex mutex;
    std::exception_ptr thrown;
};

} // namespace detail
} // namespace poplar
#endif
