// SPDX-License-Identifier: Apache-2.0
// Types that collectives take.
#ifndef POPOPS_COLLECTIVE_TYPES_HPP
#define POPOPS_COLLECTIVE_TYPES_HPP

#include <poplar/Tensor.hpp>
#include <popops/Operation.hpp>
#include <popops/collectives.h>
#include <stdexcept>
#include <vector>

namespace popops
{

// A part of a tensor that is distributed over several IPUs.
struct Chunk {
    Chunk() = default;
    // A part on an IPU, with its position in the whole.
    Chunk(poplar::Tensor part, unsigned ipu, unsigned position) : tensor(std::move(part)), index(ipu), offset(position)
    {
    }
    poplar::Tensor tensor;
    unsigned index = 0;
    unsigned offset = 0;
};
// The parts of a reduced tensor on the IPUs of a replica.
struct Chunks {
    Chunks() = default;
    // `count` empty chunks.
    explicit Chunks(unsigned count) : chunks(count)
    {
    }
    std::vector<Chunk> chunks;    // the parts
    poplar::Tensor originalInput; // the tensor that was reduced
};

// Operators of collectives; MEAN divides the sum by the number of replicas.
enum class CollectiveOperator { ADD, MEAN, MUL, MIN, MAX, LOGICAL_AND, LOGICAL_OR, SQUARE_ADD, LOCAL };

inline std::ostream &operator<<(std::ostream &out, const CollectiveOperator &op)
{
    return out << popops_collective_operator_name(static_cast<popops_collective_operator>(op));
}
// An unknown name leaves op unchanged and sets the stream's failbit.
inline std::istream &operator>>(std::istream &in, CollectiveOperator &op)
{
    std::string word;
    in >> word;
    for (int i = 0; i <= static_cast<int>(CollectiveOperator::LOCAL); ++i)
        if (word == popops_collective_operator_name(static_cast<popops_collective_operator>(i))) {
            op = static_cast<CollectiveOperator>(i);
            return in;
        }
    in.setstate(std::ios::failbit);
    return in;
}

// Throws for LOG_ADD, which Poplar's CollectiveOperator lacks.
inline CollectiveOperator operationToCollectiveOperator(const Operation &op)
{
    switch (op) {
    case Operation::ADD:
        return CollectiveOperator::ADD;
    case Operation::MUL:
        return CollectiveOperator::MUL;
    case Operation::MIN:
        return CollectiveOperator::MIN;
    case Operation::MAX:
        return CollectiveOperator::MAX;
    case Operation::LOGICAL_AND:
        return CollectiveOperator::LOGICAL_AND;
    case Operation::LOGICAL_OR:
        return CollectiveOperator::LOGICAL_OR;
    case Operation::SQUARE_ADD:
        return CollectiveOperator::SQUARE_ADD;
    default:
        throw std::invalid_argument("no collective for " + asString(op));
    }
}

} // namespace popops
#endif
