/* SPDX-License-Identifier: Apache-2.0 */
/* For the device's compiler, which reads the host's C headers with pointers of 32 bits: they ask for this list of
 * functions that a C library lacks, and hosts of 64 bits have none. */
