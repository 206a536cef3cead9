// SPDX-License-Identifier: Apache-2.0
// Code of the vertices of assembly.cpp.
#include "poplar/StackSizeDefs.hpp"
#include "poplar/TileConstants.hpp"

.macro ENTRY label
  .section .text.\label, "ax"
  .globl \label
  .type \label, @function
  .align 8
  .worker
\label:
.endm

// out = a + b, two floats at a time.
#define IN1 m0
#define IN2 m1
#define OUT m2
#define COUNT m3
ENTRY __runCodelet_assembly__AddPairs
  ld32 $IN1, $mvertex_base, 0
  ld32 $IN2, $mvertex_base, 1
  ld32 $OUT, $mvertex_base, 2
  ld32 $COUNT, $mvertex_base, 3
  shr $COUNT, $COUNT, 1
  brz $COUNT, 2f
  add $COUNT, $COUNT, -1
1:
  ld64step $a0:1, $mzero, $IN1+=, 1
  ld64step $a2:3, $mzero, $IN2+=, 1
  f32v2add $a0:1, $a0:1, $a2:3
  st64step $a0:1, $mzero, $OUT+=, 1
  brnzdec $COUNT, 1b
2:
  exitz $mzero

// out = factor * in by six workers, which take every sixth pair.
#undef COUNT
#define IN m4
#define COUNT m5
#define WORKER m6
ENTRY __runCodelet_assembly__Scale___float
  get $WORKER, $WSR
  and $WORKER, $WORKER, CSR_W_WSR__CTXTID_M1__MASK
  ld32 $IN, $mvertex_base, 0
  ld32 $OUT, $mvertex_base, 1
  ld32 $COUNT, $mvertex_base, 2
  ld32 $a6, $mvertex_base, 3
  add $COUNT, $COUNT, 5
  sub $COUNT, $COUNT, $WORKER
  setzi $m7, 0xaaab
  mul $COUNT, $COUNT, $m7
  shr $COUNT, $COUNT, 18
  ld64step $azeros, $mzero, $IN+=, $WORKER
  ld64step $azeros, $mzero, $OUT+=, $WORKER
  brnzdec $COUNT, 1f
  exitz $mzero
1:
  ld64step $a0:1, $mzero, $IN+=, 6
  { rpt $COUNT, (3f - 2f) / 8 - 1
    f32v2mul $a2:3, $a6:B, $a0:1 }
2:
  { ld64step $a0:1, $mzero, $IN+=, 6
    fnop }
  { st64step $a2:3, $mzero, $OUT+=, 6
    f32v2mul $a2:3, $a6:B, $a0:1 }
3:
  st64step $a2:3, $mzero, $OUT+=, 6
  exitz $mzero
