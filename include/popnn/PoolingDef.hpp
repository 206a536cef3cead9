// SPDX-License-Identifier: Apache-2.0
// The kinds of pooling (popnn/pooling.h). This header is also for codelets.
#ifndef POPNN_POOLING_DEF_HPP
#define POPNN_POOLING_DEF_HPP

namespace popnn
{

// What a window of the input becomes.
enum class PoolingType { MAX, AVG, SUM };

} // namespace popnn
#endif
