// SPDX-License-Identifier: Apache-2.0
// On the device __attribute__((target("supervisor"))) and target("worker") select the instructions that a function may
// use.  g++ rejects unknown targets and has no option to accept them.  So __attribute__ becomes a macro that removes
// attributes that begin with target and keeps all others.  The spelling __target__ of system headers is kept.
#ifndef POPLAR_DETAIL_ATTRIBUTES_HPP
#define POPLAR_DETAIL_ATTRIBUTES_HPP
#pragma GCC system_header

// The list is the contents of the outer parentheses, including the inner ones: (a, b).
#define __attribute__(list) POPLAR_ATTRIBUTE_PICK(POPLAR_ATTRIBUTE_KIND list, POPLAR_ATTRIBUTE_KEEP, )(list)
#define POPLAR_ATTRIBUTE_KIND(...)               POPLAR_ATTRIBUTE_JOIN(__VA_ARGS__, )
#define POPLAR_ATTRIBUTE_JOIN(first, ...)        POPLAR_ATTRIBUTE_IS_##first
#define POPLAR_ATTRIBUTE_IS_target(name)         , POPLAR_ATTRIBUTE_DROP
#define POPLAR_ATTRIBUTE_PICK(...)               POPLAR_ATTRIBUTE_SECOND(__VA_ARGS__)
#define POPLAR_ATTRIBUTE_SECOND(none, kind, ...) kind
#define POPLAR_ATTRIBUTE_DROP(list)
#define POPLAR_ATTRIBUTE_KEEP(list) __attribute__(list)

// The device's compiler supports it.
#define __builtin_assume(condition) ((condition) ? static_cast<void>(0) : __builtin_unreachable())

#endif
