/* SPDX-License-Identifier: Apache-2.0 */
/* An image as a file. */
#ifndef IMAGE_FILE_H
#define IMAGE_FILE_H

#include "image/image.h"

/* A hash of the program: equal for images that run the same programs on the same data, whichever process compiled them.
 */
uint64_t image_program_hash(const struct image *image);
/* The image as a file (base/container.h), and back.  Everything read is checked, so that no altered file can make the
 * engine read or write outside its blocks. */
void image_write(const struct image *image, char **data, size_t *size);
pop_status image_read(const char *name, const void *data, size_t size, struct image **image, pop_error *error);

#endif
