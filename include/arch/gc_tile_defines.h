/* SPDX-License-Identifier: Apache-2.0 */
/* Constants of the device's tiles by the names that codelets use.  Contexts and addresses are the modelled machine's
 * (ipu2).  Nothing on the host reads the numbers of registers and of their fields: they only have to be there and to be
 * different. */
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

/* Registers of a worker. */
#define CSR_W_PC__INDEX             0
#define CSR_W_WSR__INDEX            1
#define CSR_W_WSR__CTXTID_M1__SHIFT 0
#define CSR_W_WSR__CTXTID_M1__MASK  0x7
#define CSR_W_REPEAT_COUNT__INDEX   2
#if defined(__IPU_ARCH_VERSION__) && __IPU_ARCH_VERSION__ == 1
#define CSR_W_REPEAT_COUNT__VALUE__MASK 0xfff
#else
#define CSR_W_REPEAT_COUNT__VALUE__MASK 0xffff
#endif
#define CSR_W_FP_STS__INDEX        3
#define CSR_W_FP_CLR__INDEX        4
#define CSR_W_FP_CLR__ZAACC__SHIFT 0
#define CSR_W_FP_CLR__ZAACC__MASK  0x1
#define CSR_W_FP_NFMT__INDEX       5
#define CSR_W_FP_SCL__INDEX        6
#define CSR_W_FP_INFMT__INDEX      7
#define CSR_W_PRNG_0_0__INDEX      8
#define CSR_W_PRNG_0_1__INDEX      9
#define CSR_W_PRNG_1_0__INDEX      10
#define CSR_W_PRNG_1_1__INDEX      11
#define CSR_W_PRNG_SEED__INDEX     12

/* Registers of the supervisor. */
#define CSR_S_CCCSLOAD__INDEX       80
#define CSR_S_FP_ICTL__INDEX        81
#define CSR_S_FP_ICTL__INV__SHIFT   0
#define CSR_S_FP_ICTL__INV__MASK    0x1
#define CSR_S_FP_ICTL__DIV0__SHIFT  1
#define CSR_S_FP_ICTL__DIV0__MASK   0x1
#define CSR_S_FP_ICTL__OFLO__SHIFT  2
#define CSR_S_FP_ICTL__OFLO__MASK   0x1
#define CSR_S_FP_ICTL__ESR__SHIFT   3
#define CSR_S_FP_ICTL__ESR__MASK    0x1
#define CSR_S_FP_ICTL__NANOO__SHIFT 4
#define CSR_S_FP_ICTL__NANOO__MASK  0x1
#define CSR_S_SCOUNT_L__INDEX       96
#define CSR_S_SCOUNT_U__INDEX       97
#define CSR_C_TILE_ID__INDEX        98

/* Weights of the matrix unit: set n, half m. */
#define CWEI_0_0__INDEX 0
#define CWEI_0_1__INDEX 1
#define CWEI_0_2__INDEX 2
#define CWEI_0_3__INDEX 3
#define CWEI_1_0__INDEX 4
#define CWEI_1_1__INDEX 5
#define CWEI_1_2__INDEX 6
#define CWEI_1_3__INDEX 7

/* Whom a sync waits for. */
#define TEXCH_SYNCZONE_LOCAL    0
#define TEXCH_SYNCZONE_ALL      1
#define TEXCH_SYNCZONE_EXTERNAL 2

/* Accumulators; ways to round. */
#define TFPU_AACC__COUNT   16
#define TFPU_ROUND_NEAREST 0
#define TFPU_ROUND_ZERO    3

#endif
