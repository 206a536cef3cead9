// SPDX-License-Identifier: Apache-2.0
// Loops that use a hardware counter on the IPU; plain loops here.
#ifndef POPLAR_LOOPS_HPP
#define POPLAR_LOOPS_HPP

namespace poplar
{

// Calls body() count times.
template <class Count, class Body> inline void rptLoop(Count count, const Body &body)
{
    for (Count i = 0; i < count; ++i)
        body();
}

// Calls body(i) for i from 0 to count - 1.
template <class Count, class Body> inline void forLoop(Count count, const Body &body)
{
    for (Count i = 0; i < count; ++i)
        body(i);
}

} // namespace poplar

#endif
