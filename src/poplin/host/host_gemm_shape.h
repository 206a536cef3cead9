/* SPDX-License-Identifier: Apache-2.0 */
/* What the graph and the vertices of a host's matrix product both know: panels and blocks of the packed operand B, and
 * the rows of A that a kernel does at once on the machines with most registers. */
#ifndef POPLIN_HOST_HOST_GEMM_SHAPE_H
#define POPLIN_HOST_HOST_GEMM_SHAPE_H

enum { GEMM_PANEL = 32, GEMM_DEPTH = 512, GEMM_STRIP = 14 };

#endif
