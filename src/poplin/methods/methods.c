/* SPDX-License-Identifier: Apache-2.0 */
/* All methods in the order of the search.  Of two equal plans the method that comes first here is kept; in 2021, only
 * if both do as many useful multiplications a cycle (planner/plan_order.c). */
#include "poplin/methods/methods.h"

const struct poplin_method *const poplin_methods[] = { &poplin_method_amp,           &poplin_method_slic,
                                                       &poplin_method_mac,           &poplin_method_vmac,
                                                       &poplin_method_outer_product, NULL };
