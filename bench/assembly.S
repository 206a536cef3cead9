// SPDX-License-Identifier: Apache-2.0
// Code of the vertices of assembly.cpp.
#include "poplar/StackSizeDefs.hpp"
#include "poplar/TileConstants.hpp"

// in 0, out 4, elements 8, a 12, times 16: four bundles for a pair
.section .text.simple, "ax"
.globl __runCodelet_Simple___true
.align 8
.worker
__runCodelet_Simple___true:
  ld32 $a6, $mvertex_base, 3
  ld32 $m5, $mvertex_base, 4
  bri 2f
1:
  ld32 $m0, $mvertex_base, 0
  ld32 $m1, $mvertex_base, 1
  ld32 $m2, $mvertex_base, 2
  shr $m2, $m2, 1
  rpt $m2, (4f - 3f) / 8 - 1
3:
  { ld64step $a0:1, $mzero, $m0+=, 1
    fnop }
  { ld64 $a2:3, $m1, $mzero, 0
    f32v2mul $a0:1, $a6:B, $a0:1 }
  { nop
    f32v2add $a0:1, $a0:1, $a2:3 }
  { st64step $a0:1, $mzero, $m1+=, 1
    fnop }
4:
2:
  brnzdec $m5, 1b
  exitz $mzero

// The worker: in 0, partials 4, out 8, positions - 3 12 (tests/unit/tile/vertices.S explains the schedule)
.section .text.conv_worker, "ax"
.align 8
.worker
conv_worker:
  ld32 $m0, $mvertex_base, 0
  ld32 $m1, $mvertex_base, 1
  { ld32 $m2, $mvertex_base, 2
    setzi $a7, 8 }
  { ld32 $m6, $mvertex_base, 3
    uput $FP_CLR, $a7 }
  { ld128step $a4:7, $mzero, $m1+=, 1
    fnop }
  { ld128step $a0:3, $mzero, $m1+=, 1
    f16v4sisoamp $azeros, $azeros, $a4:5, TAMP_F16V4_E4_P0 }
  { tapack $m4:5, $m0, $m1, $m2
    f16v4sisoamp $azeros, $azeros, $a6:7, TAMP_F16V4_E4_P1 }
  { nop
    f16v4sisoamp $azeros, $azeros, $a0:1, TAMP_F16V4_E4_P2 }
  { ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0
    f16v4sisoamp $azeros, $azeros, $a2:3, TAMP_F16V4_E4_P3 }
  .irp phase, 0, 1, 2, 3, 0
  { ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0
    f16v4sisoamp $a4:5, $a0:1, $a2:3, \phase }
  .endr
  { ld2xst64pace $a0:3, $a4:5, $m4:5+=, $mzero, 0
    f16v4sisoamp $a4:5, $a0:1, $a2:3, 1 }
  { rpt $m6, (2f - 1f) / 8 - 1
    fnop }
1:
  .irp phase, 2, 3, 0, 1
  { ld2xst64pace $a0:3, $a4:5, $m4:5+=, $mzero, 0
    f16v4sisoamp $a4:5, $a0:1, $a2:3, \phase }
  .endr
2:
  .irp phase, 2, 3
  { ld2xst64pace $a0:3, $a4:5, $m4:5+=, $mzero, 0
    f16v4sisoamp $a4:5, $a0:1, $a2:3, \phase }
  .endr
  .irp phase, 0, 1, 2
  { ldst64pace $a0:1, $a4:5, $m4:5+=, $mzero, 0
    f16v4sisoamp $a4:5, $a0:1, $azeros, \phase }
  .endr
  { st64pace $a4:5, $m4:5+=, $mzero, 0
    f16v4sisoamp $a4:5, $a0:1, $azeros, 3 }
  .irp phase, 0, 1, 2, 3
  { st64pace $a4:5, $m4:5+=, $mzero, 0
    f16v4sisoamp $a4:5, $azeros, $azeros, \phase }
  .endr
  st64pace $a4:5, $m4:5+=, $mzero, 0
  exitz $mzero

// in 0, partials 4, out 8, elements 12, weights 16: one worker has all positions
DEF_STACK_USAGE 16 __runCodelet_Conv___true
.section .text.conv, "ax"
.globl __runCodelet_Conv___true
.align 8
.supervisor
__runCodelet_Conv___true:
  add $sp, $sp, -16
  ld32 $m1, $m0, 4
  put $CCCSLOAD, $m1
  .set word, 0
  .rept 32
  ld64putcs word
  .set word, word + 1
  .endr
  ld32 $m1, $m0, 0
  st32 $m1, $sp, $mzero, 0
  ld32 $m1, $m0, 1
  st32 $m1, $sp, $mzero, 1
  ld32 $m1, $m0, 2
  st32 $m1, $sp, $mzero, 2
  ld32 $m1, $m0, 3
  shr $m1, $m1, 3
  add $m1, $m1, -3
  st32 $m1, $sp, $mzero, 3
  setzi $m2, TMEM_REGION0_BASE_ADDR
  sub $m2, $sp, $m2
  setzi $m3, conv_worker
  run $m3, $m2, 0
  sync TEXCH_SYNCZONE_LOCAL
  add $sp, $sp, 16
  br $lr
