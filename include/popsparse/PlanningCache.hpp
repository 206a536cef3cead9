// SPDX-License-Identifier: Apache-2.0
// Plans of sparse products that have been found (popsparse/planning_cache.h).
#ifndef POPSPARSE_PLANNING_CACHE_HPP
#define POPSPARSE_PLANNING_CACHE_HPP

#include <poplar/detail/standard.hpp>
#include <poplin/detail/planning_cache.hpp>
#include <popsparse/planning_cache.h>

namespace popsparse
{
namespace detail
{

// A cache; not copyable.
class PlanningCache
{
  public:
    explicit PlanningCache(poplin::PlanningCache *dense)
        : cache(popsparse_planning_cache_create(poplin::detail::cache(dense)))
    {
    }
    PlanningCache(const PlanningCache &) = delete;
    PlanningCache &operator=(const PlanningCache &) = delete;
    ~PlanningCache()
    {
        popsparse_planning_cache_destroy(cache);
    }
    popsparse_planning_cache *c() const
    {
        return cache;
    }

  private:
    popsparse_planning_cache *cache;
};
inline popsparse_planning_cache *cache(const PlanningCache *given)
{
    return given ? given->c() : nullptr;
}

} // namespace detail

namespace dynamic
{

// Plans of products whose pattern the host gives at run time.
class PlanningCache : public detail::PlanningCache
{
  public:
    PlanningCache() : detail::PlanningCache(nullptr)
    {
    }
    // With a cache for plans of dense products, which lives longer.
    PlanningCache(poplin::PlanningCache *dense) : detail::PlanningCache(dense)
    {
    }
};

} // namespace dynamic

namespace static_
{

// Plans of products whose pattern is known when the graph is built.
class PlanningCache : public detail::PlanningCache
{
  public:
    PlanningCache() : detail::PlanningCache(nullptr)
    {
    }
    // With a cache for plans of dense products, which lives longer.
    PlanningCache(poplin::PlanningCache *dense) : detail::PlanningCache(dense)
    {
    }
};

} // namespace static_
} // namespace popsparse
#endif
