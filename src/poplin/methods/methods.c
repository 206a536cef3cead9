/* SPDX-License-Identifier: Apache-2.0 */
/* All methods in the order of the search.  Of two equal plans the method that comes first here is kept; in 2021, only
 * if both do as many useful multiplications a cycle (planner/plan_order.c). */
#include "poplin/methods/methods.h"

const struct conv_method *const plan_methods[] = { &method_amp,  &method_slic,          &method_mac,
                                                   &method_vmac, &method_outer_product, NULL };
