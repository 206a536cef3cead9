/* SPDX-License-Identifier: Apache-2.0 */
/* Includes INDEX_TEMPLATE once for each type of worklists, with INDEX, INDEX_TAG, and LIMITED, the parameter in vertex
 * names. */
#define INDEX     unsigned short
#define INDEX_TAG u16
#define LIMITED   "true"
#include INDEX_TEMPLATE
#undef INDEX
#undef INDEX_TAG
#undef LIMITED

#define INDEX     unsigned
#define INDEX_TAG u32
#define LIMITED   "false"
#include INDEX_TEMPLATE
#undef INDEX
#undef INDEX_TAG
#undef LIMITED

#undef INDEX_TEMPLATE
