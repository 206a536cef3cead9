/* SPDX-License-Identifier: Apache-2.0 */
/* The format of PopEF files (docs/reference/popef.md): what writer and reader share. */
#ifndef POPEF_FORMAT_H
#define POPEF_FORMAT_H

#include <popef/popef.h>
#include <stdint.h>

/* A section: a head, blobs, an end. Each of their parts begins at a multiple of BLOCK from its section's start. */
enum { BLOCK = 64, MAGIC_BYTES = 8, VERSION = 1, CHECKSUM_BYTES = 16 };
#define MAGIC               "popef\r\n\x1a"
#define LARGEST_DESCRIPTION (64u << 20) /* bytes */

struct blob_head {
    uint32_t kind;        /* enum popef_kind; 0: the end, whose size is the number of blobs */
    uint32_t description; /* bytes of CBOR */
    uint64_t size;        /* bytes of data */
};
void format_put_head(unsigned char *block, const struct blob_head *head);
struct blob_head format_get_head(const unsigned char *block);
/* size rounded up to whole blocks; no overflow up to half of the largest number. */
uint64_t format_blocks(uint64_t size);

/* Checks a description and the size of its data; on failure the reason is in why. */
bool format_check(popef_kind kind, const pop_profile_value *description, uint64_t size, char *why, size_t why_size);

/* Fills the error; returns the status. */
pop_status format_fail(pop_error *error, pop_status status, const char *api, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
