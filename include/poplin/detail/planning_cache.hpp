// SPDX-License-Identifier: Apache-2.0
// The cache of plans, shared by convolutions and matrix products (poplin/planning.h).
#ifndef POPLIN_DETAIL_PLANNING_CACHE_HPP
#define POPLIN_DETAIL_PLANNING_CACHE_HPP

#include <poplin/planning.h>

#include <cstddef>

namespace poplin
{

// Plans that have been found, for calls with the same arguments. Movable, not copyable.
class PlanningCache
{
  public:
    PlanningCache() : cache(poplin_planning_cache_create())
    {
    }
    PlanningCache(const PlanningCache &) = delete;
    PlanningCache &operator=(const PlanningCache &) = delete;
    ~PlanningCache()
    {
        poplin_planning_cache_destroy(cache);
    }

    std::size_t size() const
    {
        return poplin_planning_cache_size(cache);
    }
    poplin_planning_cache *c() const
    {
        return cache;
    } // for the C interface

  private:
    poplin_planning_cache *cache;
};

namespace matmul
{
typedef poplin::PlanningCache PlanningCache; // poplin::PlanningCache, under its older name.
} // namespace matmul

namespace detail
{
inline poplin_planning_cache *cache(const PlanningCache *given)
{
    return given ? given->c() : nullptr;
}
} // namespace detail

} // namespace poplin
#endif
