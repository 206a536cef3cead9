/* SPDX-License-Identifier: Apache-2.0 */
/* An image as a file. */
#ifndef IMAGE_FILE_H
#define IMAGE_FILE_H

#include "image/image.h"

#include <stdio.h>

/* A hash of the program: equal for images that run the same programs on the same data, whichever process compiled them.
 */
uint64_t image_program_hash(const struct image *image);
/* A hash of all that compiling made, names and model included: equal for an image and the file that it was saved to. */
uint64_t image_hash(const struct image *image);
/* The image as a file (base/container.h), and back.  Everything read is checked, so that no altered file can make the
 * engine read or write outside its blocks. */
void image_write(const struct image *image, char **data, size_t *size);
/* Writes it as it goes, without a copy; false, and errno set, when that failed. */
bool image_put(const struct image *image, FILE *file);
/* The image takes the file's bytes, whether or not it can be read: its large arrays stay in them. */
pop_status image_open(const char *name, struct file_view *file, struct image **image, pop_error *error);
/* Reads an image from a copy of the bytes. */
pop_status image_read(const char *name, const void *data, size_t size, struct image **image, pop_error *error);
/* Gives up the file that an image was read from, with the arrays that are in it. */
void image_file_close(struct image *image);

#endif
