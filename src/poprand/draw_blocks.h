/* SPDX-License-Identifier: Apache-2.0 */
/* How the vertices draw: host code that splits a tensor over threads gives each thread whole blocks of all lanes. */
#ifndef POPRAND_DRAW_BLOCKS_H
#define POPRAND_DRAW_BLOCKS_H

/* Number of independent generators per step: hides latency on the host; 1 on a device to keep code small. */
#ifdef __IPU__
enum { LANES = 1 };
#else
enum { LANES = 8 };
#endif
enum { BLOCK = 128 }; /* words that a lane draws at a time */

#endif
