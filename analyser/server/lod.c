/* SPDX-License-Identifier: Apache-2.0 */
#include "lod.h"

void lod_free(struct lod *lod)
{
    (void)lod;
}
