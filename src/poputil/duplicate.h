/* SPDX-License-Identifier: Apache-2.0 */
/* Views of a tensor and its clone for a copy between them. */
#ifndef POPUTIL_DUPLICATE_H
#define POPUTIL_DUPLICATE_H

#include "poplibs/call.h"

/* Where both have an element several times (a clone may preserve aliases), the views have it once, so that they are
 * writable. */
void poputil_copy_views(const struct call *call, pop_tensor from, pop_tensor to, pop_tensor *source,
                        pop_tensor *destination);

#endif
