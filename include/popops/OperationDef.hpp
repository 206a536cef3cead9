// SPDX-License-Identifier: Apache-2.0
// The operations of reductions (popops/operation.h).
#ifndef POPOPS_OPERATION_DEF_HPP
#define POPOPS_OPERATION_DEF_HPP

#include <popops/operation.h>

namespace popops
{

// Operations of reductions.
enum class Operation {
    ADD = POPOPS_ADD,
    MUL = POPOPS_MUL,
    MIN = POPOPS_MIN,
    MAX = POPOPS_MAX,
    LOGICAL_AND = POPOPS_LOGICAL_AND,
    LOGICAL_OR = POPOPS_LOGICAL_OR,
    SQUARE_ADD = POPOPS_SQUARE_ADD,
    LOG_ADD = POPOPS_LOG_ADD
};

} // namespace popops
#endif
