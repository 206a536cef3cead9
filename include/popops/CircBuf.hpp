// SPDX-License-Identifier: Apache-2.0
// A circular buffer of tensors (popops/circ_buf.h).
#ifndef POPOPS_CIRC_BUF_HPP
#define POPOPS_CIRC_BUF_HPP

#include <poplar/Program.hpp>
#include <popops/circ_buf.h>
#include <poputil/detail/call.hpp>

namespace popops
{

// A circular buffer of tensors: adding one replaces the oldest.
class CircBuf
{
  public:
    CircBuf(poplar::Graph &of, const poplar::Type &type, unsigned entries, const std::vector<std::size_t> &shape,
            const poplar::DebugContext &debugContext = {})
        : graph(of), count(entries)
    {
        const popops_circ_buf ring =
            popops_circ_buf_create_at(poplar::detail::where(debugContext), graph.c(), type.c(), entries,
                                      poplar::detail::shape(shape), poplar::detail::name(debugContext));
        poputil::detail::check(graph.c());
        poputil::detail::put({ { &buffer, ring.entries }, { &index, ring.index } });
    }

    // A copy of the entry that was added i additions before the last one.
    poplar::Tensor prev(unsigned i, poplar::program::Sequence &seq, const poplar::DebugContext &debugContext = {})
    {
        const popops_circ_buf ring = { buffer.c(), index.c() };
        return poputil::detail::give(graph.c(), popops_circ_buf_prev_at(poplar::detail::where(debugContext), graph.c(),
                                                                        &ring, i, seq.cToGrow(graph.c()),
                                                                        poplar::detail::name(debugContext)));
    }
    // t becomes the entry after the last one.
    void add(poplar::Tensor t, poplar::program::Sequence &seq, const poplar::DebugContext &debugContext = {})
    {
        const popops_circ_buf ring = { buffer.c(), index.c() };
        popops_circ_buf_add_at(poplar::detail::where(debugContext), graph.c(), &ring, t.c(), seq.cToGrow(graph.c()),
                               poplar::detail::name(debugContext));
        poputil::detail::check(graph.c());
    }
    // The index of the newest entry, UNSIGNED_INT of shape {1}.
    poplar::Tensor getIndex() const
    {
        return index.reshape({ 1 });
    }
    // The mapping of one entry: operands of add with this mapping need no exchange.
    poplar::Graph::TileToTensorMapping getTileMapping() const
    {
        return graph.getTileMapping(buffer[0]);
    }
    unsigned size() const
    {
        return count;
    }

  private:
    poplar::Graph &graph;
    unsigned count;
    poplar::Tensor buffer, index;
};

} // namespace popops
#endif
