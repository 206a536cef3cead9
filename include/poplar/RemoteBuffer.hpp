// SPDX-License-Identifier: Apache-2.0
// Remote buffers are declared with streams.
#ifndef POPLAR_REMOTE_BUFFER_HPP
#define POPLAR_REMOTE_BUFFER_HPP

#include <poplar/DataStream.hpp>

#endif
