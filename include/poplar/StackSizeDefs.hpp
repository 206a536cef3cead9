/* SPDX-License-Identifier: Apache-2.0 */
/* Macros with which assembly codelets declare their stack usage: bytes of a function with its callees, or of its own
 * frame. Empty for C++, where the compiler determines it. */
#ifndef POPLAR_STACK_SIZE_DEFS_HPP
#define POPLAR_STACK_SIZE_DEFS_HPP

#ifdef __ASSEMBLER__
/* clang-format off */
#define FUNCTION_IS_WORKER "ax"
.macro DEF_STACK_USAGE bytes function
.stack_usage \function, \bytes
.endm
.macro DEF_STACK_SIZE_OWN bytes function
.stack_usage \function, \bytes
.endm
.macro DEF_FUNC_CALLS caller callees:vararg
.endm
.macro DEF_FUNC_CALL_PTRS caller callees:vararg
.endm
.macro FUNCTION_SIZE function
.size \function, . - \function
.endm
/* clang-format on */
#else
// In assembly: the stack that a function uses. No effect here.
#define DEF_STACK_USAGE(bytes, function)
// In assembly: the stack of a function alone. No effect here.
#define DEF_STACK_SIZE_OWN(bytes, function)
// In assembly: which functions a function calls. No effect here.
#define DEF_FUNC_CALLS(caller, ...)
// In assembly: which pointers to functions a function calls. No effect here.
#define DEF_FUNC_CALL_PTRS(caller, ...)
#endif

#endif
