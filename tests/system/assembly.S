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

#undef IN1
#undef IN2
#undef OUT
#undef COUNT
#undef IN
#undef WORKER

#if __IPU_ARCH_VERSION__ == 1
#define MEMORY TMEM_REGION0_BASE_ADDR
// shortSpan 0, scaled32 4, scaled64 6, scaled128 8, compact 10, small 12, number 14, scalar 16, sum 20
#define SCALED32_AT 2
#define SCALED64_AT 3
#define SCALED128_AT 4
#define COMPACT_AT 5
#define SMALL_AT 12
#define SCALAR_AT 4
.macro POINTER32 d
  ldz16 \d, $mvertex_base, SCALED32_AT
  shl \d, \d, 2
  setzi $m6, MEMORY
  add \d, \d, $m6
.endm
.macro POINTER64 d at
  ldz16 \d, $mvertex_base, \at
  shl \d, \d, 3
.endm
#define POINTER_SCALED64 POINTER64 $m2, SCALED64_AT
#define POINTER_COMPACT POINTER64 $m2, COMPACT_AT
#else
// shortSpan 0, scaled32 4, scaled64 8, scaled128 12, compact 16, small 20, number 22, scalar 24, sum 28
#define SCALED128_AT 6
#define SMALL_AT 20
#define SCALAR_AT 6
.macro POINTER32 d
  ld32 \d, $mvertex_base, 1
.endm
#define POINTER_SCALED64 ld32 $m2, $mvertex_base, 2
#define POINTER_COMPACT ld32 $m2, $mvertex_base, 4
#endif

.macro ADD_FIRST
  ld32 $m2, $m2, 0
  add $m0, $m0, $m2
.endm

ENTRY __runCodelet_assembly__Layouts
  ld32 $m1, $mvertex_base, 0
  shr $m0, $m1, 20                  # the number of elements
  shl $m2, $m1, 12
  shr $m2, $m2, 12
  ADD_FIRST
  POINTER32 $m2
  ADD_FIRST
  POINTER_SCALED64
  ADD_FIRST
  ldz16 $m2, $mvertex_base, SCALED128_AT
  shl $m2, $m2, 4
  ADD_FIRST
  POINTER_COMPACT
  ADD_FIRST
  ldz8 $m2, $mvertex_base, SMALL_AT
  add $m0, $m0, $m2
  ldz16 $m2, $mvertex_base, SMALL_AT / 2 + 1
  add $m0, $m0, $m2
  ld32 $m2, $mvertex_base, SCALAR_AT
  ADD_FIRST
  ld32 $m3, $mvertex_base, SCALAR_AT + 1
  ld32 $m2, $m3, 0
  add $m0, $m0, $m2
  st32 $m0, $m3, $mzero, 0
  exitz $mzero

// rows 0, 4; first 8; scalars 12, 16; weights 20, 24; sum 28
ENTRY __runCodelet_assembly__Rows
  setzi $m0, 0
  ld32 $m1, $mvertex_base, 0
  ld32 $m2, $mvertex_base, 1
  bri 4f
1:
  ld32step $m3, $mzero, $m1+=, 1
  ld32step $m4, $mzero, $m1+=, 1
  bri 3f
2:
  ld32step $m5, $mzero, $m3+=, 1
  add $m0, $m0, $m5
3:
  brnzdec $m4, 2b
4:
  brnzdec $m2, 1b
  ld32 $m1, $mvertex_base, 2
  ld32 $m2, $m1, 0                  # first[0][0]
  ADD_FIRST
  ld32 $m1, $mvertex_base, 3
  ld32 $m3, $mvertex_base, 4
  bri 6f
5:
  ld32step $m2, $mzero, $m1+=, 1
  ADD_FIRST
6:
  brnzdec $m3, 5b
  ld32 $m1, $mvertex_base, 5
  ld32 $m3, $mvertex_base, 6
  bri 8f
7:
  ld32step $m2, $mzero, $m1+=, 1
  add $m0, $m0, $m2
8:
  brnzdec $m3, 7b
  ld32 $m3, $mvertex_base, 7
  st32 $m0, $m3, $mzero, 0
  exitz $mzero

ENTRY __runCodelet_assembly__List
#if __IPU_ARCH_VERSION__ == 1
  ld32 $m0, $mvertex_base, 0        # base and count
  shr $m1, $m0, 20
  shl $m0, $m0, 12
  shr $m0, $m0, 12
  ldz16 $m2, $mvertex_base, 2       # table
  shl $m2, $m2, 2
  setzi $m6, MEMORY
  add $m2, $m2, $m6
  ldz16 $m7, $mvertex_base, 3       # one
#define OFFSET_BITS 18
#define OFFSET_SHIFT 0
#else
  ld32 $m0, $mvertex_base, 0
  ld32 $m2, $mvertex_base, 1
  shr $m1, $m0, 24
  shl $m1, $m1, 8
  shr $m3, $m2, 24
  or $m1, $m1, $m3
  shl $m0, $m0, 8
  shr $m0, $m0, 8
  shl $m2, $m2, 8
  shr $m2, $m2, 8
  ldz16 $m7, $mvertex_base, 4
#define OFFSET_BITS 19
#define OFFSET_SHIFT 2
#endif
  bri 4f
1:
  ld32step $m3, $mzero, $m2+=, 1
  shr $m4, $m3, OFFSET_BITS         # elements
  shl $m3, $m3, 32 - OFFSET_BITS
  shr $m3, $m3, 32 - OFFSET_BITS - OFFSET_SHIFT
  add $m3, $m3, $m0
  bri 3f
2:
  ld32 $m5, $m3, 0
  mul $m5, $m5, $m7
  sub $m5, 0, $m5
  st32step $m5, $mzero, $m3+=, 1
3:
  brnzdec $m4, 2b
4:
  brnzdec $m1, 1b
  exitz $mzero

// Each worker adds its number and one to its value.
.section .text.supervised_worker, "ax"
.align 8
.worker
supervised_worker:
  get $m0, $WSR
  and $m0, $m0, 7
  ld32 $m1, $mvertex_base, 0
  ld32 $m2, $m1, $mzero, $m0
  add $m2, $m2, $m0
  add $m2, $m2, 1
  stm32 $m2, $m1, $m0
  exitz $mzero

DEF_STACK_USAGE 8 __runCodelet_assembly__Supervised
.section .text.__runCodelet_assembly__Supervised, "ax"
.globl __runCodelet_assembly__Supervised
.align 8
.supervisor
__runCodelet_assembly__Supervised:
  add $sp, $sp, -8
  ld32 $m1, $m0, 0
  st32 $m1, $sp, $mzero, 0
  setzi $m2, supervised_worker
  runall $m2, $sp, 0
  sync TEXCH_SYNCZONE_LOCAL
  runall $m2, $sp, 0
  sync TEXCH_SYNCZONE_LOCAL
  add $sp, $sp, 8
  br $lr
.worker

ENTRY __runCodelet_assembly__IsZero
  ld32 $m0, $mvertex_base, 0
  ld32 $m0, $m0, 0
  ld32 $m1, $mvertex_base, 1
  add $m1, $m1, 1
  st32 $m1, $mvertex_base, $mzero, 1
  ld32 $m2, $mvertex_base, 2
  st32 $m1, $m2, $mzero, 0
  exitz $m0

// 3 slots, value + 1 of the loop, 2.
ENTRY __runCodelet_assembly__Countdown
  ld32 $m0, $mvertex_base, 0
  ld32 $m2, $m0, 0
  add $m3, $m2, 10
1:
  brnzdec $m2, 1b
  st32 $m3, $m0, $mzero, 0
  exitz $mzero

ENTRY __runCodelet_assembly__Address
  ld32 $m0, $mvertex_base, 0
  ld32 $m1, $mvertex_base, 1
  st32 $m0, $m1, $mzero, 0
  exitz $mzero

ENTRY __runCodelet_assembly__LoadBoth
  ld32 $m0, $mvertex_base, 0
  ld32 $m1, $mvertex_base, 1
  ld32 $m2, $mvertex_base, 2
  tapack $m4:5, $m0, $m1, $m1
  ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0
  st32 $a0, $m2, $mzero, 0
  exitz $mzero

ENTRY __runCodelet_assembly__Beyond
  ld32 $m0, $mvertex_base, 0
  ld32 $m1, $mvertex_base, 1
  stm32 $m1, $m0, $m1               # one too far
  exitz $mzero

ENTRY __runCodelet_assembly__Wild
  ld32 $m0, $mvertex_base, 0
  setzi $m1, 0xffff0
  st32 $m0, $m1, $mzero, 2          # outside of memory
  exitz $mzero

ENTRY __runCodelet_assembly__Seed
  ld32 $m0, $mvertex_base, 0
  ld32 $a0, $m0, 0
  put $PRNG_SEED, $a0
  exitz $mzero

ENTRY __runCodelet_assembly__Draw
  get $m1, $WSR
  and $m1, $m1, CSR_W_WSR__CTXTID_M1__MASK
  ld32 $m0, $mvertex_base, 0
  urand64 $a0:1
  st32 $a0, $m0, $mzero, $m1
  exitz $mzero

.section .text.load_weights, "ax"
.globl __runCodelet_assembly__LoadWeights
.align 8
.supervisor
__runCodelet_assembly__LoadWeights:
  ld32 $m1, $m0, 0
  put $CCCSLOAD, $m1
  ld64putcs 0
  br $lr
.worker

ENTRY __runCodelet_assembly__UseWeights
  ld32 $m0, $mvertex_base, 0
  ld32 $m1, $mvertex_base, 1
  ld64 $a0:1, $m0, $mzero, 0
  setzi $a7, 8
  uput $FP_CLR, $a7
  f16v4sisoamp $azeros, $a0:1, $azeros, 0
  f16v4sisoamp $a2:3, $azeros, $azeros, 0
  st32 $a2, $m1, $mzero, 0
  exitz $mzero

ENTRY __runCodelet_assembly__DotProduct
  ld32 $m0, $mvertex_base, 0
  ld32 $m1, $mvertex_base, 1
  ld32 $m2, $mvertex_base, 2
  ld32 $m3, $mvertex_base, 3            # out
  shr $m2, $m2, 1
  setzi $a7, 8
  { tapack $m4:5, $m0, $m1, $mzero
    uput $FP_CLR, $a7 }
  brnzdec $m2, 1f
  bri 4f
1:
  ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0
  rpt $m2, (3f - 2f) / 8 - 1
2:
  { ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0
    f32v2mac $a0:1, $a2:3 }
3:
  f32v2mac $a0:1, $a2:3
4:
  f32v2gina $a0:1, $azeros, 0
  f32add $a0, $a0, $a1
  st32 $a0, $m3, 0
  exitz $mzero
