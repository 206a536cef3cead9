/* SPDX-License-Identifier: Apache-2.0 */
/* Linkage and warnings of the public interface. */
#ifndef POPLAR_VISIBILITY_H
#define POPLAR_VISIBILITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define POP_BEGIN_DECLS extern "C" {
#define POP_END_DECLS   }
#else
#define POP_BEGIN_DECLS
#define POP_END_DECLS
#endif

#if defined(__GNUC__)
#define POP_API                         __attribute__((visibility("default")))
#define POP_MUST_CHECK                  __attribute__((warn_unused_result))
#define POP_PRINTF(position, arguments) __attribute__((format(printf, position, arguments)))
#else
#define POP_API
#define POP_MUST_CHECK
#define POP_PRINTF(position, arguments)
#endif

#endif
