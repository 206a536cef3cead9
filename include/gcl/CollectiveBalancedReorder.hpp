// SPDX-License-Identifier: Apache-2.0
// Distributes a tensor over replicas such that each tile keeps an equal part of its elements: the order for
// reduce-scatter and all-gather, and its inverse.
//
// For each tile, the elements of the reference on that tile, in the order of memory, are split into one share for each
// replica, each with ceil(elements / replicas) elements (rounded up to a multiple of the grain), padded at the end.  A
// replica's slice consists of its shares on all tiles, E elements; the gathered tensor has R x E elements.
#ifndef GCL_COLLECTIVE_BALANCED_REORDER_HPP
#define GCL_COLLECTIVE_BALANCED_REORDER_HPP

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Tensor.hpp>
#include <poputil/exceptions.hpp>
#include <string>
#include <vector>

namespace gcl
{

// The rearrangement on the host, for data in the order of the reference and in gathered order.
class CollectiveBalancedHostRearrangement
{
  public:
    // replicas; elements that each of them has, with padding
    std::size_t replicationFactor = 0, totalElementsPerReplica = 0;
    std::vector<poplar::Interval> gatheredToRefSlices; // ranges of the gathered tensor, in the order of the reference
    std::vector<unsigned> elementMap; // index in the gathered tensor of each element of the reference, if requested

    // Number of replicas.
    std::size_t getReplicationFactor() const
    {
        return replicationFactor;
    }
    // Sets the number of replicas.
    void setReplicationFactor(std::size_t factor)
    {
        replicationFactor = factor;
    }
    // Elements of a replica, with padding.
    std::size_t getTotalElementsPerReplica() const
    {
        return totalElementsPerReplica;
    }
    // Sets the elements of a replica, with padding.
    void setTotalElementsPerReplica(std::size_t elements)
    {
        totalElementsPerReplica = elements;
    }
    // Intervals of the gathered tensor in the order of the reference.
    const std::vector<poplar::Interval> &getGatheredToRefSlices() const
    {
        return gatheredToRefSlices;
    }
    // Sets the intervals of the gathered tensor in the order of the reference.
    void setGatheredToRefSlices(const std::vector<poplar::Interval> &slices)
    {
        gatheredToRefSlices = slices;
    }
    // Elements of the rearranged tensor of all replicas.
    std::size_t getNumRearrangedTensorElems() const
    {
        return replicationFactor * totalElementsPerReplica;
    }

    // Converts from reference order to gathered order, with zeros as padding.
    void rearrangeForCollective(const char *in, char *out, std::int64_t elementBytes) const
    {
        const std::size_t bytes = static_cast<std::size_t>(elementBytes);
        std::memset(out, 0, getNumRearrangedTensorElems() * bytes);
        for (const poplar::Interval &slice : gatheredToRefSlices) {
            std::memcpy(out + slice.begin() * bytes, in, slice.size() * bytes);
            in += slice.size() * bytes;
        }
    }
    void undoRearrangeForCollective(const char *in, char *out, std::int64_t elementBytes) const
    {
        const std::size_t bytes = static_cast<std::size_t>(elementBytes);
        for (const poplar::Interval &slice : gatheredToRefSlices) {
            std::memcpy(out, in + slice.begin() * bytes, slice.size() * bytes);
            out += slice.size() * bytes;
        }
    }
    // Rearranges with the sizes of both buffers in bytes, which may be larger than needed: what is left of the output
    // is not written.
    void rearrangeForCollective(const void *in, std::size_t inBytes, void *out, std::size_t outBytes,
                                std::size_t elementBytes) const
    {
        check(inBytes, outBytes, elementBytes);
        rearrangeForCollective(static_cast<const char *>(in), static_cast<char *>(out),
                               static_cast<std::int64_t>(elementBytes));
    }
    void undoRearrangeForCollective(const void *in, std::size_t inBytes, void *out, std::size_t outBytes,
                                    std::size_t elementBytes) const
    {
        check(outBytes, inBytes, elementBytes);
        undoRearrangeForCollective(static_cast<const char *>(in), static_cast<char *>(out),
                                   static_cast<std::int64_t>(elementBytes));
    }
    template <typename T> void rearrangeForCollective(const std::vector<T> &in, std::vector<T> &out) const
    {
        rearrangeForCollective(in.data(), in.size() * sizeof(T), out.data(), out.size() * sizeof(T), sizeof(T));
    }
    // The reference's elements of a rearranged tensor.
    template <typename T> void undoRearrangeForCollective(const std::vector<T> &in, std::vector<T> &out) const
    {
        undoRearrangeForCollective(in.data(), in.size() * sizeof(T), out.data(), out.size() * sizeof(T), sizeof(T));
    }

  private:
    std::size_t referenceElements() const
    {
        std::size_t elements = 0;
        for (const poplar::Interval &slice : gatheredToRefSlices)
            elements += slice.size();
        return elements;
    }
    void check(std::size_t reference, std::size_t gathered, std::size_t elementBytes) const
    {
        const std::size_t needed[] = { referenceElements() * elementBytes,
                                       getNumRearrangedTensorElems() * elementBytes };
        if (reference < needed[0] || gathered < needed[1])
            throw poputil::poplibs_error("gcl::CollectiveBalancedHostRearrangement: " + std::to_string(reference) +
                                         " bytes in the order of the reference and " + std::to_string(gathered) +
                                         " gathered, there must be at least " + std::to_string(needed[0]) + " and " +
                                         std::to_string(needed[1]));
    }
};

// An order of a tensor's elements in which each replica's part is balanced over the tiles.
class CollectiveBalancedReorder
{
  public:
    // The reference must be mapped. With elementMap the host rearrangement stores the index of each element.
    CollectiveBalancedReorder(poplar::Graph &of, poplar::Tensor tensor, unsigned replicationFactor,
                              const poplar::DebugNameAndId &debugName, bool elementMap = false, unsigned grain = 1)
        : graph(of), reference(tensor), name(debugName)
    {
        if (!replicationFactor || !grain)
            throw poputil::poplibs_error(
                "gcl::CollectiveBalancedReorder: the replication factor and the grain must be 1 or more");
        host.replicationFactor = replicationFactor;
        const poplar::Tensor flat = reference.flatten();
        const auto mapping = graph.getTileMapping(flat);
        std::vector<std::vector<poplar::Interval>> onTile(mapping.size());
        for (std::size_t tile = 0; tile < mapping.size(); ++tile) {
            std::size_t elements = 0;
            for (const auto &region : graph.getSortedContiguousRegions(flat, mapping[tile]))
                for (const poplar::Interval &interval : region) {
                    onTile[tile].push_back(interval);
                    elements += interval.size();
                }
            const std::size_t share = (elements + replicationFactor - 1) / replicationFactor;
            shares.push_back((share + grain - 1) / grain * grain);
            host.totalElementsPerReplica += shares.back();
        }
        find(onTile, flat.numElements());
        if (elementMap)
            for (const poplar::Interval &slice : host.gatheredToRefSlices)
                for (std::size_t i = slice.begin(); i < slice.end(); ++i)
                    host.elementMap.push_back(static_cast<unsigned>(i));
    }

    // The slice of one replica: E elements, each tile's share on that tile.
    poplar::Tensor createReplicaSlice(const poplar::Type &type)
    {
        return slice(type, "slice");
    }
    // {R, E}: a slice for each replica, as source of a scatter or destination of a gather.
    poplar::Tensor createCollectivesTensor(const poplar::Type &type, const std::string &prefix)
    {
        std::vector<poplar::Tensor> rows;
        for (std::size_t r = 0; r < host.replicationFactor; ++r)
            rows.push_back(slice(type, prefix).expand({ 0 }));
        return poplar::concat(rows);
    }
    // Converts gathered data, R x E elements of any shape, to the order and shape of the reference.
    poplar::Tensor undoRearrangeForCollective(const poplar::Tensor &gathered) const
    {
        if (gathered.numElements() != host.getNumRearrangedTensorElems())
            throw poputil::poplibs_error("gcl::CollectiveBalancedReorder: " + std::to_string(gathered.numElements()) +
                                         " elements were gathered, there must be " +
                                         std::to_string(host.getNumRearrangedTensorElems()));
        const poplar::Tensor flat = gathered.flatten();
        std::vector<poplar::Tensor> parts;
        for (const poplar::Interval &interval : host.gatheredToRefSlices)
            parts.push_back(flat.slice(interval.begin(), interval.end()));
        return (parts.empty() ? flat.slice(0, 0) : poplar::concat(parts)).reshape(reference.shape());
    }
    // Shape of the reference tensor.
    std::vector<std::size_t> getReferenceShape() const
    {
        return reference.shape();
    }
    // The rearrangement for data on the host.
    const CollectiveBalancedHostRearrangement &getHostRearrangement() const
    {
        return host;
    }

  private:
    poplar::Graph &graph;
    poplar::Tensor reference;
    poplar::DebugNameAndId name;
    std::vector<std::size_t> shares; // by tile
    CollectiveBalancedHostRearrangement host;

    poplar::Tensor slice(const poplar::Type &type, const std::string &suffix)
    {
        poplar::Tensor made = graph.addVariable(type, { host.totalElementsPerReplica }, { name, suffix });
        std::size_t at = 0;
        for (std::size_t tile = 0; tile < shares.size(); ++tile) {
            if (shares[tile])
                graph.setTileMapping(made.slice(at, at + shares[tile]), static_cast<unsigned>(tile));
            at += shares[tile];
        }
        return made;
    }

    // Finds the position of each range of the reference in the gathered tensor: parts of intervals, cut at the ends of
    // shares.
    void find(const std::vector<std::vector<poplar::Interval>> &onTile, std::size_t elements)
    {
        struct Part {
            std::size_t reference, gathered, size;
        };
        std::vector<Part> parts;
        std::size_t base = 0;
        for (std::size_t tile = 0; tile < onTile.size(); ++tile) {
            std::size_t at = 0; // index among the tile's elements
            for (const poplar::Interval &interval : onTile[tile])
                for (std::size_t i = interval.begin(); i < interval.end();) {
                    const std::size_t replica = at / shares[tile], inside = at % shares[tile];
                    const std::size_t left = shares[tile] - inside, size = std::min(left, interval.end() - i);
                    parts.push_back({ i, replica * host.totalElementsPerReplica + base + inside, size });
                    i += size;
                    at += size;
                }
            base += shares[tile];
        }
        std::sort(parts.begin(), parts.end(), [](const Part &a, const Part &b) { return a.reference < b.reference; });
        std::size_t covered = 0;
        for (const Part &part : parts) {
            covered += part.size;
            if (!host.gatheredToRefSlices.empty() && host.gatheredToRefSlices.back().end() == part.gathered)
                host.gatheredToRefSlices.back() =
                    poplar::Interval(host.gatheredToRefSlices.back().begin(), part.gathered + part.size);
            else
                host.gatheredToRefSlices.emplace_back(part.gathered, part.gathered + part.size);
        }
        if (covered != elements)
            throw poputil::poplibs_error("gcl::CollectiveBalancedReorder: the reference has elements more than once");
    }
};

} // namespace gcl
#endif
