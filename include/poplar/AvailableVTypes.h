/* SPDX-License-Identifier: Apache-2.0 */
/* Macros for the vector layouts that the device has, for C++ and assembly. ipu1, whose tiles have less memory, has
 * scaled pointers of more kinds. */
#ifndef POPLAR_AVAILABLE_V_TYPES_H
#define POPLAR_AVAILABLE_V_TYPES_H

#define VECTOR_AVAIL_SPAN               1
#define VECTOR_AVAIL_SHORT_SPAN         1
#define VECTOR_AVAIL_ONE_PTR            1
#define VECTOR_AVAIL_SCALED_PTR128      1
#define VECTOR_AVAIL_COMPACT_PTR        1
#define VECTORLIST_AVAIL_COMPACT_DELTAN 1

#if defined(__IPU_ARCH_VERSION__) && __IPU_ARCH_VERSION__ == 1
#define VECTOR_AVAIL_SCALED_PTR32 1
#define VECTOR_AVAIL_SCALED_PTR64 1
#define VECTORLIST_AVAIL_DELTAN   1
#else
#define VECTORLIST_AVAIL_DELTANELEMENTS 1
#endif

#endif
