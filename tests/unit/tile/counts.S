# SPDX-License-Identifier: Apache-2.0
# Codelets with the instruction sequences of Poplibs' codelets whose slots are published (test_counts.c).  Loops and what stands around them
# are the sequences; SETUP stands for as many instructions that read the state and divide work.  The test sets registers.

.macro ENTRY name
  .globl \name
  .align 8
  .worker
\name:
.endm
.macro SETUP count
  .rept \count
  nop
  .endr
.endm
# Aligns what follows the next instruction to 8 bytes, without a slot: code before it is at 0 or 4 of 8.
.macro LOOP count, first, last, beside="fnop"
  .if (. - start) & 4
  rpt \count, (\last - \first) / 8 - 1
  .else
  { rpt \count, (\last - \first) / 8 - 1
    \beside }
  .endif
.endm

.text
.align 8
start:

# m0 the state: value, pointer, number of words; m8 rows to follow
ENTRY fill32
  setzi $m5, 2
  ld32 $a0, $m0, $mzero, 0
  bri 1f
1:
  ld32 $m1, $m0, $mzero, 1
  ld32 $m2, $m0, $mzero, 2
  setzi $m6, 1
  and $m3, $m1, 2
  brz $m3, 2f
2:
  shl $m2, $m2, 2
  brz $m2, 9f
  cmpult $m3, $m2, 4
  brnz $m3, 5f
  and $m3, $m1, 4
  brz $m3, 3f
  st32step $a0, $mzero, $m1+=, 1
  add $m2, $m2, -4
3:
  { shr $m4, $m2, 3
    mov $a1, $a0 }
  LOOP $m4, 3f, 4f
3:
  { st64step $a0:1, $mzero, $m1+=, 1
    fnop }
4:
  and $m3, $m2, 4
  brz $m3, 5f
  st32step $a0, $mzero, $m1+=, 1
5:
  and $m3, $m2, 2
  brz $m3, 6f
6:
  brnzdec $m8, 1b
9:
  exitz $mzero

ENTRY set_seed
  SETUP 6
  uput $PRNG_0_0, $a0
  uput $PRNG_0_1, $a1
  uput $PRNG_1_0, $a2
  nop
  { rpt 15, (2f - 1f) / 8 - 1
    uput $PRNG_1_1, $a3 }
1:
  { nop
    urand64 $a0:1 }
2:
  exitz $mzero

# m1 pointer, m2 vectors, m3 whether a tail follows; a4:5 scale and offset
ENTRY uniform
  SETUP 18
  { rpt $m2, (2f - 1f) / 8 - 1
    urand64 $a0:1 }
1:
  { nop
    f32v2sufromui $a2:3, $a0:1 }
  { nop
    f32v2mul $a2:3, $a4:B, $a2:3 }
  { nop
    f32v2add $a2:3, $a5:B, $a2:3 }
  { st64step $a2:3, $mzero, $m1+=, 1
    urand64 $a0:1 }
2:
  brz $m3, 3f
3:
  exitz $mzero

ENTRY bernoulli
  SETUP 18
  { rpt $m2, (2f - 1f) / 8 - 1
    f16v4rmask $a0:1, $a2:3, $a4 }
1:
  { st64step $a0:1, $mzero, $m1+=, 1
    f16v4rmask $a0:1, $a2:3, $a4 }
2:
  brz $m3, 3f
3:
  exitz $mzero

ENTRY dropout
  SETUP 18
  ld64step $a0:1, $mzero, $m0+=, 1
  nop
  LOOP $m2, 1f, 2f
1:
  { ld64step $a0:1, $mzero, $m0+=, 1
    f32v2mul $a2:3, $a6:B, $a0:1 }
  { st64step $a2:3, $mzero, $m1+=, 1
    f32v2rmask $a2:3, $a2:3, $a5 }
2:
  brz $m3, 3f
3:
  nop
  exitz $mzero

# Division of c blocks of L elements by a vector of L: m5 L - 1 (odd) or L / 2 - 1 (even), m6 c - 1
ENTRY divide_odd
  brz $mzero, 1f
1:
  SETUP 7
2:
  ld32step $a4, $mzero, $m0+=, 1
  ld32step $a0, $mzero, $m0+=, 1
  LOOP $m6, 3f, 4f
3:
  { ld32step $a0, $mzero, $m0+=, 1
    f32div $a1, $a0, $a4 }
  { st32step $a1, $mzero, $m1+=, 1
    fnop }
4:
  { sub $m0, $m0, $m7
    f32div $a1, $a0, $a4 }
  st32step $a1, $mzero, $m1+=, 1
  sub $m1, $m1, $m7
  brnzdec $m5, 2b
  exitz $mzero
# The nop before the label aligns the body of the repeat.
.align 8
  nop
.globl divide_even
divide_even:
  brz $mzero, 1f
1:
  SETUP 8
2:
  ld64step $a4:5, $mzero, $m0+=, 1
  ld64step $a0:1, $mzero, $m0+=, 1
  { rpt $m6, (4f - 3f) / 8 - 1
    f32div $a2, $a0, $a4 }
3:
  { ld64step $a0:1, $mzero, $m0+=, 1
    f32div $a3, $a1, $a5 }
  { st64step $a2:3, $mzero, $m1+=, 1
    f32div $a2, $a0, $a4 }
4:
  { sub $m0, $m0, $m7
    f32div $a3, $a1, $a5 }
  st64step $a2:3, $mzero, $m1+=, 1
  sub $m1, $m1, $m7
  brnzdec $m5, 2b
  exitz $mzero

# As a sum: m5 L - 1, m6 c - 1
.macro INNER name, op
ENTRY \name
  brz $mzero, 1f
1:
  SETUP 5
2:
  ld32step $a4, $mzero, $m0+=, 1
  { ld32step $a0, $mzero, $m0+=, 1
    f32mul $a4, $a4, $a5 }
  LOOP $m6, 3f, 4f
3:
  { ld32step $a0, $mzero, $m0+=, 1
    \op $a1, $a0, $a4 }
  { st32step $a1, $mzero, $m1+=, 1
    fnop }
4:
  \op $a1, $a0, $a4
  st32step $a1, $mzero, $m1+=, 1
  sub $m0, $m0, $m7
  sub $m1, $m1, $m7
  brnzdec $m5, 2b
  exitz $mzero
.endm
INNER inner_add, f32add
INNER inner_mul, f32mul

# m6 vectors - 1
.macro UNARY name, op, in, out
ENTRY \name
  SETUP 20
  add $m5, $m5, 1
  ld64step $a0:1, $mzero, $m0+=, 1
  LOOP $m6, 1f, 2f, "\op \out, \in"
1:
  { ld64step $a0:1, $mzero, $m0+=, 1
    \op \out, \in }
  { st64step $a2:3, $mzero, $m1+=, 1
    \op \out, \in }
2:
  \op \out, \in
  st64step $a2:3, $mzero, $m1+=, 1
  cmpeq $m3, $m4, 1
  brnz $m3, 3f
3:
  brnz $m3, 3f
3:
  exitz $mzero
.endm
UNARY sigmoid_half, f16v2sigm, $a0, $a2
UNARY tanh_half, f16v2tanh, $a0, $a2
UNARY tanh_float, f32tanh, $a0, $a2

# m0 and m1 inputs, m2 output, m6 vectors
.macro BINARY name, op, setup
ENTRY \name\()_fast
  SETUP \setup - 1
  tapack $m4:5, $m0, $m1, $mzero
  ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0 # the loop loads what it adds next
  LOOP $m6, 1f, 2f
1:
  { ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0
    \op $a4:5, $a0:1, $a2:3 }
  { st64step $a4:5, $mzero, $m2+=, 1
    fnop }
2:
  brz $m3, 3f
3:
  exitz $mzero
ENTRY \name\()_slow
  SETUP \setup
  ld64step $a2:3, $mzero, $m1+=, 1
  LOOP $m6, 1f, 2f
1:
  { ld64step $a0:1, $mzero, $m0+=, 1
    fnop }
  { ld64step $a2:3, $mzero, $m1+=, 1
    \op $a4:5, $a0:1, $a2:3 }
  { st64step $a4:5, $mzero, $m2+=, 1
    fnop }
2:
  brz $m3, 3f
3:
  exitz $mzero
.endm
BINARY add_float, f32v2add, 34
BINARY add_half, f16v4add, 37

ENTRY scaled_add
  SETUP 24
  tapack $m4:5, $m0, $m1, $mzero
  LOOP $m6, 1f, 2f, "f32v2axpy $azeros, $a0:1, $a2:3"
1:
  { ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0
    f32v2axpy $a4:5, $azeros, $azeros }
  { st64step $a4:5, $mzero, $m2+=, 1
    f32v2axpy $azeros, $a0:1, $a2:3 }
2:
  brz $m3, 3f
3:
  exitz $mzero

# m5 column groups - 1, m6 partials
ENTRY reduce_add
  SETUP 18
0:
  mov $m4, $m0
  LOOP $m6, 1f, 2f
1:
  { ld64step $a0:1, $mzero, $m4+=, 1
    fnop }
  { ld64step $a2:3, $mzero, $m4+=, 1
    fnop }
  { nop
    f32v4acc $a0:3 }
2:
  f32v2gina $a0:1, $azeros, 0
  f32v2gina $a2:3, $azeros, 0
  st64step $a0:1, $mzero, $m1+=, 1
  st64step $a2:3, $mzero, $m1+=, 1
  brnzdec $m5, 0b
  exitz $mzero

# m6 quads of floats
ENTRY has_nan
  SETUP 20
  LOOP $m6, 1f, 2f
1:
  { ld64step $a0:1, $mzero, $m0+=, 1
    fnop }
  { ld64step $a2:3, $mzero, $m0+=, 1
    f32v4absacc $a0:3 }
2:
  f32v2gina $a0:1, $azeros, 0
  f32v2gina $a2:3, $azeros, 0
  f32v2add $a0:1, $a0:1, $a2:3
  f32add $a0, $a0, $a1
  f32class $a0, $a0
  atom $m4, $a0
  cmpeq $m4, $m4, 2
  brz $m4, 3f
3:
  exitz $m4

# With a test for infinities: the absolute values are compared, too.
ENTRY has_nan_or_inf
  SETUP 20
  LOOP $m6, 1f, 2f
1:
  { ld64step $a0:1, $mzero, $m0+=, 1
    fnop }
  { ld64step $a2:3, $mzero, $m0+=, 1
    f32v2absmax $a4:5, $a4:5, $a0:1 }
  { nop
    f32v2absmax $a4:5, $a4:5, $a2:3 }
2:
  f32max $a4, $a4, $a5
  f32cmplt $a4, $a4, $a6
  SETUP 5
  cmpeq $m4, $m4, 2
  SETUP 1
  exitz $m4

# m3 groups - 1, m4 outputs - 1 (kept in m7), m6 (channels - 6) / 2
ENTRY outer_product
  SETUP 22
0:
  SETUP 7
  mov $m4, $m7
1:
  tapack $m8:9, $m0, $mzero, $m1
  ld32 $a6, $m0, $mzero, 0
  SETUP 2
  LOOP $m6, 2f, 3f
2:
  { ldst64pace $a0:1, $a2:3, $m8:9+=, $mzero, 0
    f32v2mul $a2:3, $a6:B, $a0:1 }
3:
  brnzdec $m4, 1b
  brnzdec $m3, 0b
  exitz $mzero

# m6 pixels
ENTRY normalise
  SETUP 27
  LOOP $m6, 1f, 2f
1:
  .rept 4
  { ld32step $a0, $mzero, $m0+=, 1
    f16v4mul $a2:3, $a0:1, $a4:5 }
  { ld32step $a1, $mzero, $m0+=, 1
    f16v4add $a2:3, $a2:3, $a6:7 }
  .endr
2:
  exitz $mzero

# m6 positions
ENTRY slic_row
  SETUP 37
  LOOP $m6, 1f, 2f
1:
  { ld64step $a0:1, $mzero, $m0+=, 1
    f16v4hihov4slic $a2:3, $a0:1, $a4:5, 16 }
2:
  exitz $mzero

# m0 inputs, m1 interleaved partials, m2 outputs, m6 positions - 3
ENTRY conv_1x1
  ld32 $m3, $mvertex_base, $mzero, 0
  nop
  { nop
    setzi $a7, 8 }
  { nop
    uput $FP_CLR, $a7 }
  { tapack $m4:5, $m0, $m1, $m2
    f16v4sisoamp $azeros, $azeros, $a2:3, 0 }
  { ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0
    f16v4sisoamp $azeros, $azeros, $a2:3, 1 }
  brneg $m6, 9f
  .rept 2
  { ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0
    f16v4sisoamp $a4:5, $a0:1, $a2:3, 2 }
  { ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0
    f16v4sisoamp $a4:5, $a0:1, $a2:3, 3 }
  { ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0
    f16v4sisoamp $a4:5, $a0:1, $a2:3, 0 }
  { ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0
    f16v4sisoamp $a4:5, $a0:1, $a2:3, 1 }
  .endr
  LOOP $m6, 1f, 2f
1:
  { ld2xst64pace $a0:3, $a4:5, $m4:5+=, $mzero, 0
    f16v4sisoamp $a4:5, $a0:1, $a2:3, 2 }
  { ld2xst64pace $a0:3, $a4:5, $m4:5+=, $mzero, 0
    f16v4sisoamp $a4:5, $a0:1, $a2:3, 3 }
  { ld2xst64pace $a0:3, $a4:5, $m4:5+=, $mzero, 0
    f16v4sisoamp $a4:5, $a0:1, $a2:3, 0 }
  { ld2xst64pace $a0:3, $a4:5, $m4:5+=, $mzero, 0
    f16v4sisoamp $a4:5, $a0:1, $a2:3, 1 }
2:
  .irp phase, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1
  { st64pace $a4:5, $m4:5+=, $mzero, 0
    f16v4sisoamp $a4:5, $azeros, $azeros, \phase }
  .endr
9:
  exitz $mzero

# bs / 4 in m5, blocks m8 - 1, zb m9: 34 + blocks (3 + zb (3 + 23 bs/4))
ENTRY transpose
  SETUP 33
0:
  mov $m7, $m9
  add $m7, $m7, -1
1:
  mov $m6, $m5
  LOOP $m6, 2f, 3f
2:
  .rept 7
  { ld64step $a0:1, $mzero, $m0+=, 1
    f16v4istacc $a4:5, $a0:1, $a2:3, 0 }
  { ld64step $a2:3, $mzero, $m0+=, 1
    f16v4istacc $a6:7, $a0:1, $a2:3, 1 }
  { st64step $a4:5, $mzero, $m1+=, 1
    f16v4stacc $a4:5, 0 }
  .endr
  { nop
    f16v4stacc $a6:7, 1 }
  { nop
    fnop }
3:
  brnzdec $m7, 1b
  brnzdec $m8, 0b
  exitz $mzero

# Halves: m0 the state: two equal halves, pointer, number of halves; m8 rows to follow.  The first and the last half share a word with others.
ENTRY fill_half
  ld32 $a0, $m0, $mzero, 0
  bri 1f
1:
  ld32 $m1, $m0, $mzero, 1
  ld32 $m2, $m0, $mzero, 2
  setzi $m6, 1
  and $m3, $m1, 2
  brz $m3, 2f
  add $m1, $m1, -2
  ld32 $a1, $m1, $mzero, 0
  { add $m2, $m2, -1
    sort4x16lo $a1, $a1, $a0 }
  st32step $a1, $mzero, $m1+=, 1
2:
  shl $m2, $m2, 1
  brz $m2, 9f
  cmpult $m3, $m2, 4
  brnz $m3, 7f
  and $m3, $m1, 4
  brz $m3, 3f
  st32step $a0, $mzero, $m1+=, 1
  add $m2, $m2, -4
3:
  { shr $m4, $m2, 3
    mov $a1, $a0 }
  LOOP $m4, 3f, 4f
3:
  { st64step $a0:1, $mzero, $m1+=, 1
    fnop }
4:
  and $m3, $m2, 4
  brz $m3, 5f
  st32step $a0, $mzero, $m1+=, 1
5:
  and $m3, $m2, 2
  brz $m3, 9f
7:
  ld32 $a1, $m1, $mzero, 0
  sort4x16hi $a1, $a0, $a1
  st32 $a1, $m1, $mzero, 0
9:
  brnzdec $m8, 1b
  exitz $mzero

# Sums of c blocks of L halves and a vector of L, eight at a time through the accumulators: m5 L / 8 - 1, m6 c - 1; m4 bytes of a block, m7 of all
# but the last
ENTRY inner_add_half
  brz $mzero, 1f
1:
  SETUP 12
0:
  ld64step $a4:5, $mzero, $m2+=, 1
  ld64step $a0:1, $mzero, $m0+=, 1
  { mov $m3, $m4
    f16v4mix $azeros, $a0:1, $a4:5 }
  ld64step $a6:7, $mzero, $m2+=, 1
  LOOP $m6, 1f, 2f
1:
  { ld64step $a0:1, $mzero, $m0+=, 1
    f16v4mix $a2:3, $a0:1, $a6:7 }
  { st64step $a2:3, $mzero, $m1+=, 1
    f16v4mix $a2:3, $a0:1, $a4:5 }
2:
  f16v4mix $a2:3, $a0:1, $a6:7
  st64step $a2:3, $mzero, $m1+=, 1
  f16v4mix $a2:3, $azeros, $azeros
  st64step $a2:3, $mzero, $m1+=, 1
  sub $m0, $m0, $m7
  sub $m1, $m1, $m7
  SETUP 1
  brnzdec $m5, 0b
  exitz $mzero

# Products of c blocks of L halves and a vector of L, four at a time: m5 L / 4 - 1, m6 c - 1, m7 steps of a block in 64 bits, m4 bytes of all but one
ENTRY inner_mul_half
  brz $mzero, 1f
1:
  SETUP 13
0:
  ld64step $a4:5, $mzero, $m2+=, 1
  ld64 $a0:1, $m0, $mzero, 0
  tapack $m8:9, $m3, $mzero, $m1
  LOOP $m6, 1f, 2f, "f16v4mul $a2:3, $a4:5, $a0:1"
1:
  { ldst64pace $a0:1, $a2:3, $m8:9+=, $m7, 5
    f16v4mul $a2:3, $a4:5, $a0:1 }
2:
  st64pace $a2:3, $m8:9+=, $m7, 0
  add $m0, $m0, 8
  add $m1, $m1, 8
  add $m3, $m3, 8
  brnzdec $m5, 0b
  exitz $mzero

# Convolutions of 1x1 as conv_1x1 below it: without partials, and with two sets of columns in halves.
.macro CONV name, amp, in, setup, body
ENTRY \name
  SETUP \setup
  brneg $m6, 9f
  .irp phase, 2, 3, 0, 1, 2, 3, 0, 1
  { ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0
    \amp $a4:5, $a0:1, \in, \phase }
  .endr
  LOOP $m6, 1f, 2f
1:
  .irp phase, 2, 3, 0, 1
  { \body
    \amp $a4:5, $a0:1, \in, \phase }
  .endr
2:
  .irp phase, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1
  { st64pace $a4:5, $m4:5+=, $mzero, 0
    \amp $a4:5, $azeros, $azeros, \phase }
  .endr
9:
  exitz $mzero
.endm
CONV conv_zero, f16v4sisoamp, $azeros, 3, "ldst64pace $a0:1, $a4:5, $m4:5+=, $mzero, 0"
CONV conv_sets, f16v4hihov4amp, $a2:3, 6, "ld2xst64pace $a0:3, $a4:5, $m4:5+=, $mzero, 0"

# In floats: m7 the zeroing of partials, m8 positions - 1, m9 the pointer to them
ENTRY conv_float
  SETUP 10
  brz $m7, 1f
  SETUP 1
  LOOP $m8, 0f, 1f
0:
  .rept 4
  { st64step $azeros, $mzero, $m9+=, 1
    fnop }
  .endr
1:
  tapack $m4:5, $m0, $m1, $m2
  brneg $m6, 9f
  .irp phase, 0, 2, 4, 6
  { ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0
    f32sisoamp $azeros, $azero, $a2:3, \phase }
  .endr
  .irp phase, 0, 2, 4, 6, 0, 2, 4, 6
  { ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0
    f32sisoamp $azeros, $a0, $a2:3, \phase }
  { nop
    f32sisoamp $azeros, $a1, $azeros, \phase + 1 }
  .endr
  LOOP $m6, 2f, 3f
2:
  .irp phase, 0, 2, 4, 6
  { ld2xst64pace $a0:3, $a4:5, $m4:5+=, $mzero, 0
    f32sisoamp $a4:5, $a0, $a2:3, \phase }
  { nop
    f32sisoamp $azeros, $a1, $azeros, \phase + 1 }
  .endr
3:
  .irp phase, 0, 2, 4, 6, 0, 2, 4, 6
  { st64pace $a4:5, $m4:5+=, $mzero, 0
    f32sisoamp $a4:5, $a0, $azeros, \phase }
  { nop
    f32sisoamp $azeros, $a1, $azeros, \phase + 1 }
  .endr
  SETUP 5
9:
  exitz $mzero
