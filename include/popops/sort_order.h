/* SPDX-License-Identifier: Apache-2.0 */
#ifndef POPOPS_SORT_ORDER_H
#define POPOPS_SORT_ORDER_H

/* The order of selected elements. */
typedef enum popops_sort_order {
    POPOPS_SORT_NONE = 0, /* any order */
    POPOPS_SORT_ASCENDING,
    POPOPS_SORT_DESCENDING
} popops_sort_order;

#endif
