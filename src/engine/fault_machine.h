/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the faulting instruction from a signal's context, for each architecture. */
#ifndef ENGINE_FAULT_MACHINE_H
#define ENGINE_FAULT_MACHINE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

#if defined(__x86_64__)
static const int fault_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };

static inline bool fault_is_write(const ucontext_t *context)
{
    return context->uc_mcontext.gregs[REG_ERR] & 2;
}

static inline uintptr_t fault_stack_pointer(const ucontext_t *context)
{
    return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
}
#elif defined(__aarch64__)
/* Traps of the compiler (brk) are SIGTRAP. */
static const int fault_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP };

/* Decodes the instruction, because not every emulator provides the kernel's esr_context. Everything but loads counts as
 * a write, for example `dc zva` in memset. */
static inline bool fault_is_write(const ucontext_t *context)
{
    uint32_t word;
    memcpy(&word, (const void *)(uintptr_t)context->uc_mcontext.pc, sizeof(word));
    if ((word & 0x0a000000) != 0x08000000) /* neither load nor store */
        return true;
    if ((word & 0x3b000000) == 0x18000000) /* load relative to the program counter */
        return false;
    bool extends = (word & 0x3c000000) == 0x38000000 && (word & 0x00800000); /* ldrsb, ldrsh, ldrsw */
    return !extends && !(word & 0x00400000);
}

static inline uintptr_t fault_stack_pointer(const ucontext_t *context)
{
    return (uintptr_t)context->uc_mcontext.sp;
}
#endif

#endif
