/* SPDX-License-Identifier: Apache-2.0 */
/* Macros with which assembly codelets declare their stack usage. Empty for C++, where the compiler determines it. */
#ifndef POPLAR_STACK_SIZE_DEFS_HPP
#define POPLAR_STACK_SIZE_DEFS_HPP

#ifdef __ASSEMBLER__
/* clang-format off */
.macro DEF_STACK_USAGE bytes function
.endm
.macro DEF_STACK_SIZE_OWN bytes function
.endm
.macro DEF_FUNC_CALLS caller callees:vararg
.endm
.macro DEF_FUNC_CALL_PTRS caller callees:vararg
.endm
/* clang-format on */
#endif

#endif
