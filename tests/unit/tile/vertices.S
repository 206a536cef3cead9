# SPDX-License-Identifier: Apache-2.0
# Ten vertices of the libraries in assembly (test_vertices.c): what they compute is compared with C, and their slots with the published formulas.
# State is at $mvertex_base.  One worker has all the work: PAD stands for what divides it among six and tests alignments.

.macro VERTEX name
  .globl \name
  .align 8
  .worker
\name:
.endm
.macro PAD count
  .rept \count
  nop
  .endr
.endm
# Begins a repeat whose body is aligned to 8 bytes, in one slot.
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

# value, out, words: 22 + n / 2 for an even number at a multiple of 8 bytes
VERTEX fill
  ld32 $a0, $mvertex_base, 0
  ld32 $m1, $mvertex_base, 1
  ld32 $m2, $mvertex_base, 2
  { shr $m2, $m2, 1
    mov $a1, $a0 }
  PAD 16
  LOOP $m2, 1f, 2f
1:
  { st64step $a0:1, $mzero, $m1+=, 1
    fnop }
2:
  exitz $mzero

# x, y, pairs - 1, a: y += a x: 28 + 2 k
VERTEX scaled_add
  ld32 $m0, $mvertex_base, 0
  ld32 $m1, $mvertex_base, 1
  ld32 $m2, $mvertex_base, 2
  ld32 $a6, $mvertex_base, 3
  uput $TAS, $a6
  tapack $m4:5, $m0, $m1, $m1
  PAD 19
  ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0
  { rpt $m2, (2f - 1f) / 8 - 1
    f32v2axpy $azeros, $a0:1, $a2:3 }
1:
  { ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0
    f32v2axpy $a4:5, $azeros, $azeros }
  { st64pace $a4:5, $m4:5+=, $mzero, 0
    f32v2axpy $azeros, $a0:1, $a2:3 }
2:
  f32v2axpy $a4:5, $azeros, $azeros
  st64pace $a4:5, $m4:5+=, $mzero, 0
  exitz $mzero
.align 8

# in, out, groups of four columns - 1, partials: 19 + l (3 P + 7)
VERTEX reduce_add
  ld32 $m0, $mvertex_base, 0
  ld32 $m1, $mvertex_base, 1
  ld32 $m5, $mvertex_base, 2
  { ld32 $m6, $mvertex_base, 3
    setzi $a7, 8 }
  uput $FP_CLR, $a7
  PAD 13
0:
  mov $m4, $m0
  LOOP $m6, 1f, 2f
1:
  { ld64step $a0:1, $mzero, $m0+=, 1
    fnop }
  { ld64step $a2:3, $mzero, $m0+=, 1
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
.align 8

# in (16 halves a position), partials and out (8 floats), positions - 3: 29 + 4 (n - 3)
VERTEX conv_1x1
  ld32 $m0, $mvertex_base, 0
  ld32 $m1, $mvertex_base, 1
  { ld32 $m2, $mvertex_base, 2
    setzi $a7, 8 }
  { ld32 $m6, $mvertex_base, 3
    uput $FP_CLR, $a7 }
  { ld128step $a4:7, $mzero, $m1+=, 1
    fnop }
  { ld128step $a0:3, $mzero, $m1+=, 1
    f16v4sisoamp $azeros, $azeros, $a4:5, 0 }
  { tapack $m4:5, $m0, $m1, $m2
    f16v4sisoamp $azeros, $azeros, $a6:7, 1 }
  brneg $m6, 9f
  { nop
    f16v4sisoamp $azeros, $azeros, $a0:1, 2 }
  { ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0
    f16v4sisoamp $azeros, $azeros, $a2:3, 3 }
  .irp phase, 0, 1, 2, 3, 0
  { ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0
    f16v4sisoamp $a4:5, $a0:1, $a2:3, \phase }
  .endr
  { ld2xst64pace $a0:3, $a4:5, $m4:5+=, $mzero, 0
    f16v4sisoamp $a4:5, $a0:1, $a2:3, 1 }
  LOOP $m6, 1f, 2f
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
9:
  exitz $mzero
.align 8

# in (4 halves a position), out (4 halves), positions - 1: out[k] = sum over j of in[k + j] and four columns of weights: 39 + n
VERTEX slic_1x4
  ld32 $m0, $mvertex_base, 0
  ld32 $m1, $mvertex_base, 1
  { ld32 $m6, $mvertex_base, 2
    setzi $a7, 8 }
  uput $FP_CLR, $a7
  PAD 26
  ld64step $a0:1, $mzero, $m0+=, 1
  .rept 5
  { ld64step $a0:1, $mzero, $m0+=, 1
    f16v4hihov4slic $a4:5, $a0:1, $azeros, 16 }
  .endr
  tapack $m4:5, $m0, $mzero, $m1
  LOOP $m6, 1f, 2f
1:
  { ldst64pace $a0:1, $a4:5, $m4:5+=, $mzero, 0
    f16v4hihov4slic $a4:5, $a0:1, $azeros, 16 }
2:
  st64pace $a4:5, $m4:5+=, $mzero, 0
  exitz $mzero
.align 8

# in and out (blocks of 4 x 4 halves), groups of four blocks, zb, blocks - 1: 34 + blocks (3 + zb (3 + 23 bs / 4))
VERTEX transpose
  ld32 $m0, $mvertex_base, 0
  ld32 $m2, $mvertex_base, 1
  ld32 $m5, $mvertex_base, 2
  ld32 $m9, $mvertex_base, 3
  ld32 $m8, $mvertex_base, 4
  add $m1, $m0, 8
  tapack $m10:11, $m0, $m1, $m2
  setzi $m3, 2                            # rows two further on
  PAD 22
  ld2x64pace $a0:1, $a2:3, $m10:11+=, $m3, 5
  { ld2x64pace $a0:1, $a2:3, $m10:11+=, $m3, 5
    f16v4istacc $azeros, $a0:1, $a2:3, 0 }
  { nop
    f16v4istacc $azeros, $a0:1, $a2:3, 1 }
0:
  mov $m7, $m9
  add $m7, $m7, -1
1:
  mov $m6, $m5
  LOOP $m6, 2f, 3f
2:
  .rept 4
  { ld2x64pace $a0:1, $a2:3, $m10:11+=, $m3, 5
    f16v4stacc $a4:5, 0 }
  { st64pace $a4:5, $m10:11+=, $mzero, 0
    f16v4stacc $a6:7, 1 }
  { ld2xst64pace $a0:3, $a6:7, $m10:11+=, $m3, 5
    f16v4istacc $a4:5, $a0:1, $a2:3, 0 }
  { st64pace $a4:5, $m10:11+=, $mzero, 0
    f16v4istacc $a6:7, $a0:1, $a2:3, 1 }
  { st64pace $a6:7, $m10:11+=, $mzero, 0
    fnop }
  .endr
  .rept 3
  { nop
    fnop }
  .endr
3:
  brnzdec $m7, 1b
  brnzdec $m8, 0b
  exitz $mzero
.align 8

# x, y, out, pairs: 38 + 2 k
VERTEX binary_add
  ld32 $m0, $mvertex_base, 0
  ld32 $m1, $mvertex_base, 1
  ld32 $m2, $mvertex_base, 2
  ld32 $m6, $mvertex_base, 3
  PAD 30
  tapack $m4:5, $m0, $m1, $mzero
  ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0
  LOOP $m6, 1f, 2f
1:
  { ld2x64pace $a0:1, $a2:3, $m4:5+=, $mzero, 0
    f32v2add $a4:5, $a0:1, $a2:3 }
  { st64step $a4:5, $mzero, $m2+=, 1
    fnop }
2:
  exitz $mzero
.align 8

# in, out, vectors of four halves: 27 + 2 k
VERTEX relu
  ld32 $m0, $mvertex_base, 0
  ld32 $m1, $mvertex_base, 1
  ld32 $m6, $mvertex_base, 2
  PAD 21
  ld64step $a0:1, $mzero, $m0+=, 1
  LOOP $m6, 1f, 2f
1:
  { ld64step $a0:1, $mzero, $m0+=, 1
    f16v4max $a2:3, $a0:1, $azeros }
  { st64step $a2:3, $mzero, $m1+=, 1
    fnop }
2:
  exitz $mzero
.align 8

# in, out, pairs - 1, scale, probability: 24 + 2 k
VERTEX dropout
  ld32 $m0, $mvertex_base, 0
  ld32 $m1, $mvertex_base, 1
  ld32 $m6, $mvertex_base, 2
  ld32 $a6, $mvertex_base, 3
  ld32 $a7, $mvertex_base, 4
  PAD 15
  ld64step $a0:1, $mzero, $m0+=, 1
  { ld64step $a0:1, $mzero, $m0+=, 1
    f32v2mul $a2:3, $a6:B, $a0:1 }
  { nop
    f32v2rmask $a4:5, $a2:3, $a7 }
  LOOP $m6, 1f, 2f
1:
  { ld64step $a0:1, $mzero, $m0+=, 1
    f32v2mul $a2:3, $a6:B, $a0:1 }
  { st64step $a4:5, $mzero, $m1+=, 1
    f32v2rmask $a4:5, $a2:3, $a7 }
2:
  st64step $a4:5, $mzero, $m1+=, 1
  exitz $mzero
.align 8

# in, out, vectors of four floats - 1: 20 + 3 k, which is not published
VERTEX cast
  ld32 $m0, $mvertex_base, 0
  ld32 $m1, $mvertex_base, 1
  ld32 $m6, $mvertex_base, 2
  PAD 15
  ld64step $a0:1, $mzero, $m0+=, 1
  ld64step $a2:3, $mzero, $m0+=, 1
  LOOP $m6, 1f, 2f, "f32v4tof16 $a4:5, $a0:3"
1:
  { ld64step $a0:1, $mzero, $m0+=, 1
    fnop }
  { ld64step $a2:3, $mzero, $m0+=, 1
    fnop }
  { st64step $a4:5, $mzero, $m1+=, 1
    f32v4tof16 $a4:5, $a0:3 }
2:
  st64step $a4:5, $mzero, $m1+=, 1
  exitz $mzero
.align 8

# Loads all words of weights from m0.
.globl weights
.supervisor
weights:
  put $CCCSLOAD, $m0
  .set word, 0
  .rept 64
  ld64putcs word
  .set word, word + 1
  .endr
  br $lr
