// SPDX-License-Identifier: Apache-2.0
// Functions that mixed.cpp calls: arguments in m0 to m3 and a0 to a5, results in m0 or a0.
.macro FUNCTION label
  .section .text.\label, "ax"
  .globl \label
  .align 8
  .worker
\label:
.endm

FUNCTION mixed_dot
  mov $a4:5, $azeros
  bri 2f
1:
  ld64step $a0:1, $mzero, $m0+=, 1
  ld64step $a2:3, $mzero, $m1+=, 1
  f32v2mul $a0:1, $a0:1, $a2:3
  f32v2add $a4:5, $a4:5, $a0:1
2:
  brnzdec $m2, 1b
  f32add $a0, $a4, $a5
  br $lr

FUNCTION mixed_scale
  bri 2f
1:
  ld64 $a2:3, $m0, $mzero, 0
  f32v2mul $a2:3, $a0:B, $a2:3
  st64step $a2:3, $mzero, $m0+=, 1
2:
  brnzdec $m1, 1b
  br $lr

// int mixed::twice(int)
FUNCTION _ZN5mixed5twiceEi
  add $sp, $sp, -8                 # the stack is there
  st32 $m0, $sp, $mzero, 0
  ld32 $m1, $sp, $mzero, 0
  add $m0, $m0, $m1
  add $sp, $sp, 8
  br $lr
