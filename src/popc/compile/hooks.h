/* SPDX-License-Identifier: Apache-2.0 */
/* Source text of the functions that conversions to half call, in code that follows the tiles' floating-point behaviour.
 */
#ifndef POPC_COMPILE_HOOKS_H
#define POPC_COMPILE_HOOKS_H

extern const char behaving_hooks[];

#endif
