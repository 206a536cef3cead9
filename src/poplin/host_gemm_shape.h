/* SPDX-License-Identifier: Apache-2.0 */
/* What the graph and the vertices of a host's matrix product both know about the packed operand B. */
#ifndef POPLIN_HOST_GEMM_SHAPE_H
#define POPLIN_HOST_GEMM_SHAPE_H

enum { GEMM_PANEL = 32, GEMM_DEPTH = 512 };

#endif
