// SPDX-License-Identifier: Apache-2.0
// The tiles that a Sync program or a cycle count waits for.
#ifndef POPLAR_SYNC_TYPE_HPP
#define POPLAR_SYNC_TYPE_HPP

namespace poplar
{

// What a sync waits for.
enum class SyncType {
    INTERNAL, // the tiles of each IPU
    EXTERNAL, // those of all IPUs
    GLOBAL    // those of all IPUs, and the host
};

} // namespace poplar
#endif
