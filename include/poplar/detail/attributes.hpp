// SPDX-License-Identifier: Apache-2.0
// __attribute__((target("supervisor"))) and target("worker") say for the device which instructions a function may use.
// g++ refuses a target that it does not know, and has no option against that.  So __attribute__ becomes a macro that
// leaves out what begins with target and gives back all else as it was.  The spelling __target__, that system headers
// use, is not touched.
#ifndef POPLAR_DETAIL_ATTRIBUTES_HPP
#define POPLAR_DETAIL_ATTRIBUTES_HPP
#pragma GCC system_header

// The list is all that stands in the outer parentheses, with the inner ones: (a, b).
#define __attribute__(list) POPLAR_ATTRIBUTE_PICK(POPLAR_ATTRIBUTE_KIND list, POPLAR_ATTRIBUTE_KEEP, )(list)
#define POPLAR_ATTRIBUTE_KIND(...)               POPLAR_ATTRIBUTE_JOIN(__VA_ARGS__, )
#define POPLAR_ATTRIBUTE_JOIN(first, ...)        POPLAR_ATTRIBUTE_IS_##first
#define POPLAR_ATTRIBUTE_IS_target(name)         , POPLAR_ATTRIBUTE_DROP
#define POPLAR_ATTRIBUTE_PICK(...)               POPLAR_ATTRIBUTE_SECOND(__VA_ARGS__)
#define POPLAR_ATTRIBUTE_SECOND(none, kind, ...) kind
#define POPLAR_ATTRIBUTE_DROP(list)
#define POPLAR_ATTRIBUTE_KEEP(list) __attribute__(list)

// The device's compiler has it.
#define __builtin_assume(condition) ((condition) ? static_cast<void>(0) : __builtin_unreachable())

#endif
