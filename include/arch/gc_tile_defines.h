/* SPDX-License-Identifier: Apache-2.0 */
/* Constants of the device's tiles by the names that codelets use, for C++ and assembly (docs/reference/tile-isa.md). */
#ifndef ARCH_GC_TILE_DEFINES_H
#define ARCH_GC_TILE_DEFINES_H

/* Contexts of a tile. */
#define CTXT_WORKERS    6
#define CTXT_SUPERVISOR 0
#define CTXT_TOTAL      7

/* Memory of a tile: executable from region 0, interleaved region 1. */
#if defined(__IPU_ARCH_VERSION__) && __IPU_ARCH_VERSION__ == 1
#define TMEM_REGION0_BASE_ADDR 0x40000
#define TMEM_REGION1_BASE_ADDR 0x60000
#define TMEM_FULL_SIZE         0x40000
#else
#define TMEM_REGION0_BASE_ADDR 0x4c000
#define TMEM_REGION1_BASE_ADDR 0x80000
#define TMEM_FULL_SIZE         0x9c000
#endif
#define TMEM_BASE_ADDR              TMEM_REGION0_BASE_ADDR
#define TMEM_BYTE_MAX_ADDRESS_WIDTH 21
#define TMEM_FULL_ADDRESS_MASK      0x1fffff
#define TMEM_ELEMSIZE               0x4000

/* Registers of a worker: get and put. */
#define CSR_W_PC__INDEX             0x00
#define CSR_W_WSR__INDEX            0x01
#define CSR_W_WSR__CTXTID_M1__SHIFT 0
#define CSR_W_WSR__CTXTID_M1__MASK  0x7
#define CSR_W_WSR__ETYPE__SHIFT     4
#define CSR_W_WSR__ETYPE__MASK      0xf
#define CSR_W_WSR__ERPT__SHIFT      9
#define CSR_W_WSR__ERPT__MASK       0x1
#define CSR_W_VERTEX_BASE__INDEX    0x02
#define CSR_W_WORKER_BASE__INDEX    0x03
#define CSR_W_REPEAT_COUNT__INDEX   0x04
#define CSR_W_REPEAT_FIRST__INDEX   0x05
#define CSR_W_REPEAT_END__INDEX     0x06
#if defined(__IPU_ARCH_VERSION__) && __IPU_ARCH_VERSION__ == 1
#define CSR_W_REPEAT_COUNT__VALUE__MASK 0xfff
#else
#define CSR_W_REPEAT_COUNT__VALUE__MASK 0xffff
#endif
#define CSR_W_COUNT_L__INDEX  0x60
#define CSR_W_COUNT_U__INDEX  0x61
#define CSR_W_DBG_DATA__INDEX 0x70

/* Registers of a worker's upper space: uget and uput. */
#define CSR_W_FP_STS__INDEX        0
#define CSR_W_FP_CLR__INDEX        1
#define CSR_W_FP_CLR__INV__SHIFT   0
#define CSR_W_FP_CLR__INV__MASK    0x1
#define CSR_W_FP_CLR__DIV0__SHIFT  1
#define CSR_W_FP_CLR__DIV0__MASK   0x1
#define CSR_W_FP_CLR__OFLO__SHIFT  2
#define CSR_W_FP_CLR__OFLO__MASK   0x1
#define CSR_W_FP_CLR__ZAACC__SHIFT 3
#define CSR_W_FP_CLR__ZAACC__MASK  0x1
#define CSR_W_FP_CTL__INDEX        2
#define CSR_W_FP_CTL__RND__SHIFT   16
#define CSR_W_FP_CTL__RND__MASK    0x7
#define CSR_W_FP_CTL__ESR__SHIFT   19
#define CSR_W_FP_CTL__ESR__MASK    0x1
#define CSR_W_FP_CTL__NANOO__SHIFT 20
#define CSR_W_FP_CTL__NANOO__MASK  0x1
#define CSR_W_PRNG_0_0__INDEX      3
#define CSR_W_PRNG_0_1__INDEX      4
#define CSR_W_PRNG_1_0__INDEX      5
#define CSR_W_PRNG_1_1__INDEX      6
#define CSR_W_PRNG_SEED__INDEX     7
#define CSR_W_TAS__INDEX           8
#define CSR_W_FP_NFMT__INDEX       9
#define CSR_W_FP_SCL__INDEX        10

/* Registers of the supervisor. */
#define CSR_S_SSR__INDEX            0x01
#define CSR_S_CR__INDEX             0x02
#define CSR_S_TILE_ID__INDEX        0x03
#define CSR_C_TILE_ID__INDEX        CSR_S_TILE_ID__INDEX
#define CSR_S_FP_ICTL__INDEX        0x20
#define CSR_S_FP_ICTL__INV__SHIFT   0
#define CSR_S_FP_ICTL__INV__MASK    0x1
#define CSR_S_FP_ICTL__DIV0__SHIFT  1
#define CSR_S_FP_ICTL__DIV0__MASK   0x1
#define CSR_S_FP_ICTL__OFLO__SHIFT  2
#define CSR_S_FP_ICTL__OFLO__MASK   0x1
#define CSR_S_FP_ICTL__RND__SHIFT   16
#define CSR_S_FP_ICTL__RND__MASK    0x7
#define CSR_S_FP_ICTL__ESR__SHIFT   19
#define CSR_S_FP_ICTL__ESR__MASK    0x1
#define CSR_S_FP_ICTL__NANOO__SHIFT 20
#define CSR_S_FP_ICTL__NANOO__MASK  0x1
#define CSR_S_WORKER0_BASE__INDEX   0x21
#define CSR_W_FP_INFMT__INDEX       49
#define CSR_S_FP_INFMT__INDEX       49
#define CSR_S_FP_ISCL__INDEX        51
#define CSR_S_CCCSLOAD__INDEX       0x50
#define CSR_S_SCOUNT_L__INDEX       0x60
#define CSR_S_SCOUNT_U__INDEX       0x61

/* Words of weights of the matrix unit: CWEI_unit_word. */
#define CWEI_0_0__INDEX 0
#define CWEI_0_1__INDEX 1
#define CWEI_0_2__INDEX 2
#define CWEI_0_3__INDEX 3
#define CWEI_1_0__INDEX 4
#define CWEI_1_1__INDEX 5
#define CWEI_1_2__INDEX 6
#define CWEI_1_3__INDEX 7

/* Whom a sync waits for. */
#define TEXCH_SYNCZONE_RECV      0
#define TEXCH_SYNCZONE_ANS       1
#define TEXCH_SYNCZONE_LOCAL     2
#define TEXCH_SYNCZONE_INTERNAL  3
#define TEXCH_SYNCZONE_EXTERNAL0 4

/* Flags of the matrix unit.  The machine's numbers are not published; these are this project's. */
#define TAMP_F16V4_E4_P0 0
#define TAMP_F16V4_E4_P1 1
#define TAMP_F16V4_E4_P2 2
#define TAMP_F16V4_E4_P3 3
#define TAMP_F16V4_E2_P0 8
#define TAMP_F16V4_E2_P1 9
#define TAMP_F16V4_E1_P0 16
#define TAMP_F32_E4_P0   0
#define TAMP_F32_E4_P1   1
#define TAMP_F32_E4_P2   2
#define TAMP_F32_E4_P3   3
#define TAMP_F32_E4_P4   4
#define TAMP_F32_E4_P5   5
#define TAMP_F32_E4_P6   6
#define TAMP_F32_E4_P7   7
#define TAMP_F32_E2_P0   8
#define TAMP_F32_E2_P1   9
#define TAMP_F32_E2_P2   10
#define TAMP_F32_E2_P3   11
#define TAMP_F32_E1_P0   16
#define TAMP_F32_E1_P2   18
#define TAMP_F8V8_E4_P0  0
#define TAMP_F8V8_E4_P1  1
#define TAMP_F8V8_E4_P2  2
#define TAMP_F8V8_E4_P3  3

#define TSLIC_F16V4_1x3_W0 0
#define TSLIC_F16V4_1x3_W1 1
#define TSLIC_F16V4_1x4_W0 16
#define TSLIC_F16V4_1x4_W1 17

#define TISTACC_P0 0
#define TISTACC_P1 1
#define TSTACC_P0  0
#define TSTACC_P1  1

/* Accumulators, truth values, ways to round. */
#if defined(__IPU_ARCH_VERSION__) && __IPU_ARCH_VERSION__ == 1
#define TFPU_AACC__COUNT 16
#else
#define TFPU_AACC__COUNT 32
#endif
#define TFPU_FP32_TRUE     0xffffffff
#define TFPU_FP16_TRUE     0xffff
#define TFPU_CLASS_SNAN    1
#define TFPU_CLASS_QNAN    2
#define TFPU_ROUND_NEAREST 0
#define TFPU_ROUND_UP      1
#define TFPU_ROUND_DOWN    2
#define TFPU_ROUND_ZERO    3

#endif
