/* SPDX-License-Identifier: Apache-2.0 */
/* The trace at every level of detail. */
#ifndef ANALYSER_LOD_H
#define ANALYSER_LOD_H

struct lod;
void lod_free(struct lod *lod);

#endif
